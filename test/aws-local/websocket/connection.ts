import type { WebSocket } from 'ws';
import type { ConnectionFacts } from './events.ts';

/** Code and reason of a close, as in the event of `$disconnect`. */
export interface CloseInfo {
  readonly code: number;
  readonly reason: string;
}

/** API Gateway's reasons for a close without one. */
const REASONS: Readonly<Record<number, string>> = {
  1000: 'Connection Closed Normally',
  1001: 'Going away',
  1005: 'Client-side close frame status not set',
  1006: 'Connection closed abnormally',
};

/** An open connection with its limits. */
export class Connection {
  readonly facts: ConnectionFacts;
  /** Resolves when the socket is closed. */
  readonly ended: Promise<CloseInfo>;
  readonly #socket: WebSocket;
  readonly #limits: Limits;
  readonly #idle: NodeJS.Timeout;
  readonly #life: NodeJS.Timeout;
  #end: CloseInfo | undefined;

  /** @param work handles a message */
  constructor(
    socket: WebSocket,
    facts: ConnectionFacts,
    { limits, work }: { limits: Limits; work: (connection: Connection, text: string) => Promise<void> },
  ) {
    this.#socket = socket;
    this.#limits = limits;
    this.facts = facts;
    this.#idle = setTimeout(() => this.end(1001), limits.idleMs);
    this.#life = setTimeout(() => this.end(1001), limits.lifeMs);
    this.ended = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        this.#stopClocks();
        resolve(this.#end ?? closeInfo(code, reason.toString()));
      });
    });
    // The library has sent the close frame itself by then; this only stores its code for `$disconnect`.
    socket.on('error', (error) => this.end(closeCode(error)));
    socket.on('message', (data, isBinary) => this.#receive(data.toString(), isBinary, work));
  }

  /** Whether messages can still be sent. */
  get open(): boolean {
    return this.#end === undefined && this.#socket.readyState === this.#socket.OPEN;
  }

  /** Sends a message; false when the client is gone. */
  send(text: string): boolean {
    if (!this.open) return false;
    this.#idle.refresh();
    // An error also closes the socket, which is handled there.
    this.#socket.send(text, () => {});
    return true;
  }

  /** Closes the connection, by force when the client does not respond in time. A second call does nothing. */
  end(code: number, reason?: string): void {
    if (this.#end) return;
    this.#end = closeInfo(code, reason);
    this.#stopClocks();
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
    this.#idle.refresh();
    void work(this, text);
  }

  #stopClocks(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#life);
  }
}

function closeInfo(code: number, reason?: string): CloseInfo {
  return { code, reason: reason || (REASONS[code] ?? '') };
}

/** The code that `ws` closes with on an invalid message. */
function closeCode(error: Error & { code?: string }): number {
  if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return 1009;
  if (error.code === 'WS_ERR_INVALID_UTF8') return 1007;
  return error.code?.startsWith('WS_ERR_') ? 1002 : 1006;
}

/** Limits of a WebSocket API, in bytes and milliseconds. */
export interface Limits {
  /** Of a whole message, either way. */
  readonly messageBytes: number;
  /** Of one frame from a client; a longer message needs several. */
  readonly frameBytes: number;
  /** Without a message either way; pings do not count. */
  readonly idleMs: number;
  /** Duration of a connection, idle or not. */
  readonly lifeMs: number;
  /** Time limit for a client's response to the close frame. */
  readonly closeMs: number;
  /** Time limit for `$disconnect` when the server closes. */
  readonly disconnectTimeoutMs: number;
}

/**
 * The quotas of API Gateway, and sensible values for those that it does not publish.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html
 */
export const AWS_LIMITS: Limits = {
  messageBytes: 128 * 1024,
  frameBytes: 32 * 1024,
  idleMs: 10 * 60_000,
  lifeMs: 2 * 60 * 60_000,
  closeMs: 1_000,
  disconnectTimeoutMs: 2_000,
};
