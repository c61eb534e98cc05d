import type { RawData, WebSocket } from 'ws';
import type { SignalLimits } from './limits.ts';

/** An open WebSocket, within its limits: too long, too idle, too old or too slow, it is closed. */
export class Connection {
  /** Resolves when the socket is closed. */
  readonly ended: Promise<void>;
  readonly #socket: WebSocket;
  readonly #limits: SignalLimits;
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #handle: (text: string) => Promise<void>;
  #isClosing = false;
  #handled: Promise<void> = Promise.resolve();
  #waiting = 0;

  /** @param handle handles a message; the next one is handled after it, and the socket is not read meanwhile */
  constructor(socket: WebSocket, limits: SignalLimits, handle: (text: string) => Promise<void>) {
    this.#socket = socket;
    this.#limits = limits;
    this.#handle = handle;
    this.#timers = [limits.idleMs, limits.lifeMs].map((ms) => setTimeout(() => this.end(1001), ms));
    this.ended = new Promise((resolve) => socket.once('close', () => resolve()));
    void this.ended.then(() => this.#stopTimers());
    // The library has sent the close frame itself by then.
    socket.on('error', () => this.end(1002));
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
  }

  /** Sends a message. A client with too much unread is disconnected. */
  send(text: string): void {
    if (this.#isClosing || this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount + Buffer.byteLength(text) > this.#limits.unreadBytes) {
      return void this.end(1008, 'Too many unread messages');
    }
    this.#touch();
    // An error also closes the socket, which is handled there.
    this.#socket.send(text, () => {});
  }

  /** Closes the connection, by force when the client does not answer in time. A second call does nothing. */
  end(code: number, reason?: string): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#stopTimers();
    this.#socket.resume();
    this.#socket.close(code, reason);
    const force = setTimeout(() => this.#socket.terminate(), this.#limits.closeMs);
    void this.ended.then(() => clearTimeout(force));
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.#isClosing) return;
    if (isBinary) return void this.end(1003, 'Binary frames are not supported');
    this.#touch();
    this.#waiting += 1;
    this.#socket.pause();
    this.#handled = this.#handled.then(async () => {
      if (!this.#isClosing) await this.#handle(data.toString());
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#socket.resume();
    });
  }

  #touch(): void {
    this.#timers[0]?.refresh();
  }

  #stopTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
