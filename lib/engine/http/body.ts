import type { IncomingMessage, ServerResponse } from 'node:http';
import { refusals } from '../../../functions/api/refusals.ts';
import type { HttpLimits } from './limits.ts';
import { busy, Refused, unreadable } from './refused.ts';

/** A request of `node:http` and its response. */
export interface Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether the client waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
}

/** Reads the bodies of requests, and limits the memory of all together. */
export class Bodies {
  readonly #limits: HttpLimits;
  #usedBytes = 0;

  constructor(limits: HttpLimits) {
    this.#limits = limits;
  }

  /**
   * Returns the body. A client that expects `100 Continue` gets it, unless the body is too long. The memory counts until
   * the response has ended. Throws Refused, `request:too_large`, `request:throttled` or for a client that is too slow.
   */
  async read({ message, response, expectsContinue }: Exchange): Promise<Uint8Array> {
    if (!hasBody(message)) return new Uint8Array();
    const { bodyBytes, arrivalMs } = this.#limits;
    if (Number(message.headers['content-length']) > bodyBytes) throw tooLarge(bodyBytes);
    if (expectsContinue) response.writeContinue();
    let late: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve, reject) => {
        late = setTimeout(() => reject(unreadable('the body did not arrive in time', 408)), arrivalMs);
        this.#collect(message, response, { resolve, reject });
      });
    } finally {
      clearTimeout(late);
    }
  }

  #collect(
    message: IncomingMessage,
    response: ServerResponse,
    { resolve, reject }: { resolve: (body: Uint8Array) => void; reject: (error: Error) => void },
  ): void {
    const { bodyBytes, bodiesBytes } = this.#limits;
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.once('close', () => {
      this.#usedBytes -= bytes;
    });
    const refuse = (refused: Refused) => {
      message.removeAllListeners('data');
      chunks.length = 0;
      reject(refused);
    };
    message.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      this.#usedBytes += chunk.length;
      if (bytes > bodyBytes) return refuse(tooLarge(bodyBytes));
      if (this.#usedBytes > bodiesBytes) return refuse(busy('the bodies of all requests take too much memory'));
      chunks.push(chunk);
    });
    message.on('end', () => resolve(Buffer.concat(chunks)));
    message.on('error', reject);
  }
}

/**
 * Lets the client see an answer that is sent before its body was read: what it still sends is read and dropped, for a
 * while.
 */
export function leaveBody({ message, response, expectsContinue }: Exchange, drainMs: number): void {
  if (message.complete || !hasBody(message)) return;
  // The client may or may not send the body then, so the connection cannot serve another request.
  if (expectsContinue && message.readableFlowing === null) response.shouldKeepAlive = false;
  const cut = setTimeout(() => message.destroy(), drainMs).unref();
  message.once('close', () => clearTimeout(cut));
  message.resume();
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function tooLarge(bodyBytes: number): Refused {
  return new Refused(refusals.tooLarge, `the body is over ${bodyBytes} bytes`);
}
