import type { Socket } from 'node:net';
import type { TrustsAddress } from './trusted-addresses.ts';

export interface ConnectionLimits {
  /** Open connections of all clients together. */
  readonly most: number;
  /** Whether an address is that of a proxy, which connects for many clients. Another one has at most a quarter. */
  readonly isProxy: TrustsAddress;
  /** Whether the last request of a connection had a login. */
  readonly hasLogin: (socket: Socket) => boolean;
}

const SHARE_OF_ADDRESS = 1 / 4;

/**
 * The open connections of some servers. At the limit a new one takes the place of the one that has been idle longest
 * without a login, so that who opens as many as there may be closes their own.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  /** The bytes that each had carried when it was used last, the longest idle first. */
  readonly #open = new Map<Socket, number>();
  readonly #ofAddress = new Map<string, number>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Takes a new connection in, or closes it. */
  add(socket: Socket): void {
    const { most, isProxy } = this.#limits;
    const address = socket.remoteAddress ?? '';
    const openOfAddress = this.#ofAddress.get(address) ?? 0;
    const isGreedy = openOfAddress >= most * SHARE_OF_ADDRESS && !isProxy(address);
    if (isGreedy || !this.#makeRoom(most)) return void socket.destroy();
    this.#open.set(socket, 0);
    this.#ofAddress.set(address, openOfAddress + 1);
    socket.once('close', () => this.#forget(socket, address));
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
      if (this.#limits.hasLogin(socket)) continue;
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

  #forget(socket: Socket, address: string): void {
    this.#open.delete(socket);
    const left = (this.#ofAddress.get(address) ?? 0) - 1;
    if (left > 0) this.#ofAddress.set(address, left);
    else this.#ofAddress.delete(address);
  }
}

function carried({ bytesRead, bytesWritten }: Socket): number {
  return bytesRead + bytesWritten;
}
