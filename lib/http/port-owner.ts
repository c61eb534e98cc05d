import { readdir, readFile, readlink } from 'node:fs/promises';
import { membersOf, type StartedGroup } from '../process/members.ts';
import { descendants } from '../process/process-info.ts';

/** `unknown` where the system does not tell, or does not show the files of the processes. */
export type PortOwner = 'own' | 'another' | 'unknown';

interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Whether it is a process of the group, or one that has left it, that takes the connections to a port. Linux only:
 * elsewhere it is `unknown`. https://docs.kernel.org/networking/proc_net_tcp.html
 */
export async function ownerOfPort(address: Address, group: StartedGroup): Promise<PortOwner> {
  const wanted = await listeningSockets(address);
  if (wanted.length === 0) return 'unknown';
  const isOwn = (inodes: ReadonlySet<string>) => wanted.every((inode) => inodes.has(inode));
  // Most servers are the leader of their group, or below it: all of /proc is read for the others only.
  const leader = await socketsOf([group.pgid, ...descendants(group.pgid)]);
  if (isOwn(leader.inodes)) return 'own';
  const all = await socketsOf(await pidsOf(group));
  if (isOwn(all.inodes)) return 'own';
  return all.areHidden ? 'unknown' : 'another';
}

/**
 * Returns the TCP ports on which processes of a group listen, or those that have left it, in order; none where the system does
 * not tell.
 */
export async function portsOf(group: StartedGroup): Promise<readonly number[]> {
  const { inodes } = await socketsOf(await pidsOf(group));
  const ofGroup = (await listeners()).filter(({ inode }) => inodes.has(inode));
  return [...new Set(ofGroup.map(({ local }) => Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16)))].sort(
    (one, other) => one - other,
  );
}

async function pidsOf(group: StartedGroup): Promise<readonly number[]> {
  return (await membersOf([group])).map(({ pid }) => pid);
}

const LISTEN = '0A';
/** The local addresses that take connections to an address, the most specific ones first, as the kernel writes them. */
const TAKERS: Readonly<Record<string, readonly string[]>> = {
  '127.0.0.1': ['0100007F', '0000000000000000FFFF00000100007F', '00000000', '0'.repeat(32)],
  '::1': ['00000000000000000000000001000000', '0'.repeat(32)],
};

/** Returns the inodes of the sockets that take the connections; several where they share the port. */
async function listeningSockets({ host, port }: Address): Promise<readonly string[]> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const listening = await listeners();
  for (const taker of TAKERS[host] ?? []) {
    const inodes = listening.filter(({ local }) => local === `${taker}:${hex}`).map(({ inode }) => inode);
    if (inodes.length > 0) return inodes;
  }
  return [];
}

/** Returns the sockets of this machine that listen, with address and port as the kernel writes them. */
async function listeners(): Promise<readonly { readonly local: string; readonly inode: string }[]> {
  const files = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'latin1').catch(() => '')),
  );
  const sockets = files.flatMap((file) => file.split('\n')).map((line) => line.trim().split(/\s+/));
  return sockets.flatMap(([, local, , state, , , , , , inode]) =>
    state === LISTEN && local !== undefined && inode !== undefined ? [{ local, inode }] : [],
  );
}

/** The sockets that processes have open. Those of a program with file capabilities (setcap) are hidden. */
async function socketsOf(pids: readonly number[]): Promise<{ inodes: ReadonlySet<string>; areHidden: boolean }> {
  const inodes = new Set<string>();
  let areHidden = false;
  const add = async (pid: number) => {
    const folder = `/proc/${pid}/fd`;
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      areHidden ||= error.code === 'EACCES';
      return [];
    });
    // Files are closed meanwhile.
    const files = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
    for (const file of files) inodes.add(/^socket:\[(\d+)\]$/.exec(file)?.[1] ?? '');
  };
  await Promise.all(pids.map(add));
  return { inodes, areHidden };
}
