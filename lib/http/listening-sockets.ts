import { readFileSync } from 'node:fs';

/** A TCP socket of this machine that listens. */
interface ListeningSocket {
  /** Address and port, as the kernel writes them. */
  readonly local: string;
  /** As the descriptors of its processes name it. */
  readonly socket: string;
  /** The user who has opened it. */
  readonly uid: number;
}

const LISTEN = '0A';

/** Returns the sockets that listen; none where the system does not tell. https://docs.kernel.org/networking/proc_net_tcp.html */
export function listeners(): readonly ListeningSocket[] {
  const lines = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((path) => textOf(path).split('\n'));
  return lines.flatMap((line) => {
    const [, local, , state, , , , uid, , inode] = line.trim().split(/\s+/);
    return state === LISTEN && local !== undefined ? [{ local, socket: `socket:[${inode}]`, uid: Number(uid) }] : [];
  });
}

/** Returns the id of the user whose program listens on a port; undefined where none does, or the system does not tell. */
export function userOfPort(port: number): number | undefined {
  const end = `:${hexOf(port)}`;
  return listeners().find(({ local }) => local.endsWith(end))?.uid;
}

export function hexOf(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}

/** Returns what stands in a file; empty where it is not there, or not shown. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
