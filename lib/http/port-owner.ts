import { readdirSync, readlinkSync } from 'node:fs';
import { hasCode } from '../files/errors.ts';
import { membersOf, type StartedGroup } from '../process/members.ts';
import { descendants } from '../process/process-info.ts';
import { hexOf, listeners } from './listening-sockets.ts';

/** `unknown` where the system does not tell, or does not show the files of the processes. */
export type PortOwner = 'own' | 'another' | 'unknown';

interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * A port on which a group of processes listens. All applications are one user of the machine, so that another one may take a
 * port as soon as its application closes it. Linux only: elsewhere its owner is `unknown`.
 * https://docs.kernel.org/networking/proc_net_tcp.html
 */
export class OwnPort {
  /** The listening socket, and the file by which a process of the group has it open: while it does, nobody else has the port. */
  #held: (OpenSocket & { readonly address: Address }) | undefined;

  constructor(private readonly group: StartedGroup) {}

  /** Whether it is a process of the group, or one that has left it, that takes the connections to an address. */
  async owner(address: Address): Promise<PortOwner> {
    const wanted = listeningSockets(address);
    if (wanted.length === 0) return 'unknown';
    // Most servers are the leader of their group, or below it: all of /proc is read for the others only.
    if (this.#holds(address, wanted, this.#first())) return 'own';
    const all = socketsOf(await pidsOf(this.group));
    if (this.#holds(address, wanted, all)) return 'own';
    return all.areHidden ? 'unknown' : 'another';
  }

  /** Whether the owner is the group still, when it was. Returns at once; what has left the group and listens anew is not found. */
  isStillOwn(): boolean {
    if (!this.#held || targetOf(this.#held.file) === this.#held.socket) return true;
    const { address } = this.#held;
    return this.#holds(address, listeningSockets(address), this.#first());
  }

  #first(): OpenSockets {
    return socketsOf([this.group.pgid, ...descendants(this.group.pgid)]);
  }

  #holds(address: Address, wanted: readonly string[], { files }: OpenSockets): boolean {
    const [socket = ''] = wanted;
    const file = files.get(socket);
    if (file === undefined || !wanted.every((one) => files.has(one))) return false;
    this.#held = { file, socket, address };
    return true;
  }
}

/**
 * Returns the TCP ports on which processes of a group listen, or those that have left it, in order; none where the system does
 * not tell.
 */
export async function portsOf(group: StartedGroup): Promise<readonly number[]> {
  const { files } = socketsOf(await pidsOf(group));
  const ofGroup = listeners().filter(({ socket }) => files.has(socket));
  return [...new Set(ofGroup.map(({ local }) => Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16)))].sort(
    (one, other) => one - other,
  );
}

async function pidsOf(group: StartedGroup): Promise<readonly number[]> {
  return (await membersOf([group])).map(({ pid }) => pid);
}

/** The local addresses that take connections to an address, the most specific ones first, as the kernel writes them. */
const TAKERS: Readonly<Record<string, readonly string[]>> = {
  '127.0.0.1': ['0100007F', '0000000000000000FFFF00000100007F', '00000000', '0'.repeat(32)],
  '::1': ['00000000000000000000000001000000', '0'.repeat(32)],
};

/** Returns the sockets that take the connections; several where they share the port. */
function listeningSockets({ host, port }: Address): readonly string[] {
  const listening = listeners();
  for (const taker of TAKERS[host] ?? []) {
    const sockets = listening.filter(({ local }) => local === `${taker}:${hexOf(port)}`).map(({ socket }) => socket);
    if (sockets.length > 0) return sockets;
  }
  return [];
}

interface OpenSocket {
  readonly file: string;
  readonly socket: string;
}

interface OpenSockets {
  /** The file of each by which a process has it open. */
  readonly files: ReadonlyMap<string, string>;
  /** Those of a program with file capabilities (setcap) are. */
  readonly areHidden: boolean;
}

function socketsOf(pids: readonly number[]): OpenSockets {
  const files = new Map<string, string>();
  let areHidden = false;
  for (const folder of pids.map((pid) => `/proc/${pid}/fd`)) {
    try {
      for (const name of readdirSync(folder)) files.set(targetOf(`${folder}/${name}`), `${folder}/${name}`);
    } catch (error) {
      areHidden ||= hasCode(error, 'EACCES');
    }
  }
  return { files, areHidden };
}

/** Returns what a descriptor is of; empty when it was closed meanwhile. */
function targetOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
