import type { WebSocket } from 'ws';
import type { ConnectionFacts } from './events.ts';
import type { Limits } from './limits.ts';

/** Code and reason of a close, as in the event of `$disconnect`. */
export interface CloseInfo {
  readonly code: number;
  readonly reason: string;
}

/** Words of API Gateway for a close without a reason of its own. */
const REASONS: Readonly<Record<number, string>> = {
  1000: 'Connection Closed Normally',
  1001: 'Going away',
  1005: 'Client-side close frame status not set',
  1006: 'Connection closed abnormally',
};

/** An open connection with its limits of time and size; it ends once. */
export class Connection {
  readonly facts: ConnectionFacts;
  /** Resolves when the socket is gone. */
  readonly ended: Promise<CloseInfo>;
  /** Epoch milliseconds of the last message, either way. */
  lastActiveAt: number;
  readonly #socket: WebSocket;
  readonly #limits: Limits;
  readonly #idle: NodeJS.Timeout;
  readonly #life: NodeJS.Timeout;
  #end: CloseInfo | undefined;
  #underWay = 0;

  /** @param work what is done with each message; while too much of it is under way, the client has to wait */
  constructor(
    socket: WebSocket,
    facts: ConnectionFacts,
    { limits, work }: { limits: Limits; work: (connection: Connection, text: string) => Promise<void> },
  ) {
    this.#socket = socket;
    this.#limits = limits;
    this.facts = facts;
    this.lastActiveAt = Date.now();
    this.#idle = setTimeout(() => this.end(1001), limits.idleMs);
    this.#life = setTimeout(() => this.end(1001), limits.lifeMs);
    this.ended = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        this.#stopClocks();
        resolve(this.#end ?? closeInfo(code, reason.toString()));
      });
    });
    // The library has sent the close frame itself by then; this only keeps its code for `$disconnect`.
    socket.on('error', (error) => this.end(closeCode(error)));
    socket.on('message', (data, isBinary) => this.#receive(data.toString(), isBinary, work));
  }

  /** Whether messages still reach the client. */
  get open(): boolean {
    return this.#end === undefined && this.#socket.readyState === this.#socket.OPEN;
  }

  /** Sends a message; false when the client is gone. A client that leaves too much unread is disconnected. */
  send(text: string): boolean {
    if (!this.open) return false;
    if (this.#socket.bufferedAmount + Buffer.byteLength(text) > this.#limits.bufferedBytes) {
      this.end(1008, 'Too many unread messages');
      return false;
    }
    this.#touch();
    // What fails here closes the socket as well, which is where it is noticed.
    this.#socket.send(text, () => {});
    return true;
  }

  /** Closes the connection, by force when the client does not answer in time. A second call does nothing. */
  end(code: number, reason?: string): void {
    if (this.#end) return;
    this.#end = closeInfo(code, reason);
    this.#stopClocks();
    this.#socket.resume();
    this.#socket.close(code, this.#end.reason);
    const force = setTimeout(() => this.#socket.terminate(), this.#limits.closeMs);
    void this.ended.then(() => clearTimeout(force));
  }

  #receive(text: string, isBinary: boolean, work: (connection: Connection, text: string) => Promise<void>): void {
    if (!this.open) return;
    if (isBinary) {
      // https://docs.aws.amazon.com/apigateway/latest/developerguide/websocket-api-develop-binary-media-types.html
      this.end(1003, 'Binary frames are not supported');
      return;
    }
    this.#touch();
    this.#underWay += 1;
    if (this.#underWay >= this.#limits.messagesAtOnce) this.#socket.pause();
    void work(this, text).finally(() => {
      this.#underWay -= 1;
      if (this.#underWay < this.#limits.messagesAtOnce) this.#socket.resume();
    });
  }

  #touch(): void {
    this.lastActiveAt = Date.now();
    this.#idle.refresh();
  }

  #stopClocks(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#life);
  }
}

function closeInfo(code: number, reason?: string): CloseInfo {
  return { code, reason: reason || (REASONS[code] ?? '') };
}

/** The code that `ws` closes with on a message it cannot take. */
function closeCode(error: Error & { code?: string }): number {
  if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return 1009;
  if (error.code === 'WS_ERR_INVALID_UTF8') return 1007;
  return error.code?.startsWith('WS_ERR_') ? 1002 : 1006;
}
