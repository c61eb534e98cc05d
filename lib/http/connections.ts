import type { Server, Socket } from 'node:net';
import { type Refusal, refuseUpgrade } from './refusal.ts';

export interface ConnectionLimits {
  /** Open connections of all servers together. */
  readonly most: number;
  /** Whether the last request of a connection had a login. */
  readonly hasLogin?: (socket: Socket) => boolean;
}

/** Returns whose connection it is: all that are one party's have at most a quarter. Undefined: it is one of many. */
export type PartyOf = (socket: Socket) => string | undefined;

const SHARE_OF_PARTY = 1 / 4;

const TOO_MANY: Refusal = {
  status: 503,
  sentence: 'There are too many connections; try again in a moment.',
  headers: { 'retry-after': '1' },
};
/** For a client to read the refusal, and how many get one at a time. */
const REFUSED_MS = 1_000;
const MOST_REFUSED = 100;

/**
 * The open connections of some servers. At the limit a new one takes the place of the one that has been idle longest
 * without a login, so that who opens as many as there may be closes their own. Where there is none, the new one is refused.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  /** The bytes that each had carried when it was used last, the longest idle first. */
  readonly #open = new Map<Socket, number>();
  readonly #ofParty = new Map<string, number>();
  #refused = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Has a server, whose listeners of connections are all there, get those for which there is room. */
  guard(server: Server, partyOf: PartyOf = () => undefined): void {
    const serve = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (!this.#add(socket, partyOf(socket))) return this.#refuse(socket);
      for (const one of serve) one.call(server, socket);
    });
  }

  #add(socket: Socket, party: string | undefined): boolean {
    const { most } = this.#limits;
    const openOfParty = party === undefined ? 0 : (this.#ofParty.get(party) ?? 0);
    if (openOfParty >= most * SHARE_OF_PARTY || !this.#makeRoom(most)) return false;
    this.#open.set(socket, 0);
    if (party !== undefined) this.#ofParty.set(party, openOfParty + 1);
    socket.once('close', () => this.#forget(socket, party));
    return true;
  }

  #refuse(socket: Socket): void {
    if (this.#refused >= MOST_REFUSED) return void socket.destroy();
    this.#refused += 1;
    // Unread bytes would have the system cut the connection before its client has read the answer.
    refuseUpgrade(socket.resume(), TOO_MANY);
    const timer = setTimeout(() => socket.destroy(), REFUSED_MS);
    socket.once('close', () => {
      clearTimeout(timer);
      this.#refused -= 1;
    });
  }

  /** Says that a request of the connection has ended. */
  used(socket: Socket): void {
    // Not one that has been closed meanwhile.
    if (this.#open.delete(socket)) this.#open.set(socket, carried(socket));
  }

  closeAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #makeRoom(most: number): boolean {
    if (this.#open.size < most) return true;
    for (const [socket, before] of this.#open) {
      if (this.#limits.hasLogin?.(socket)) continue;
      // A long request carries bytes too. This puts it at the end, where it is met again when all others do.
      if (carried(socket) !== before) this.used(socket);
      else {
        this.#open.delete(socket);
        socket.destroy();
        return true;
      }
    }
    return false;
  }

  #forget(socket: Socket, party: string | undefined): void {
    this.#open.delete(socket);
    if (party === undefined) return;
    const left = (this.#ofParty.get(party) ?? 0) - 1;
    if (left > 0) this.#ofParty.set(party, left);
    else this.#ofParty.delete(party);
  }
}

function carried({ bytesRead, bytesWritten }: Socket): number {
  return bytesRead + bytesWritten;
}
