import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from './gateway-error.ts';

/** Options of reading a body. */
export interface BodyOptions {
  /** Whether the client waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  /** The memory budget of all bodies together; absent: only the limit of each applies. */
  readonly budget?: BodyBudget;
}

/** The memory that the bodies of all requests may take at a time. */
export interface BodyBudget {
  readonly maxBytes: number;
  usedBytes: number;
}

// https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
const MAX_BODY_BYTES = 10 * 1024 * 1024;
// A client that still sends a rejected body after this time is disconnected.
const DRAIN_MS = 10_000;

/**
 * Reads the body, at most 10 MB. A client that expects `100 Continue` gets it, unless the body is too long. What the
 * body takes of the budget is given back when the response has ended.
 *
 * @throws GatewayError REQUEST_TOO_LARGE, or THROTTLED when the budget is used up; the rest of the body is then read
 * and discarded, so that the client sees the response
 */
export async function readBody(
  message: IncomingMessage,
  response: ServerResponse,
  { expectsContinue, budget }: BodyOptions,
): Promise<Buffer> {
  if (!hasBody(message)) return Buffer.alloc(0);
  if (Number(message.headers['content-length']) > MAX_BODY_BYTES) {
    leaveBody(message, response, expectsContinue);
    throw tooLarge();
  }
  if (expectsContinue) response.writeContinue();
  return collect(message, response, budget);
}

/** Lets the client see a response that is sent before its body was read: the rest of the body is discarded. */
export function leaveBody(message: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
  if (message.complete || message.readableFlowing || !hasBody(message)) return;
  // It may or may not send the body then, so the connection cannot serve another request.
  if (expectsContinue) response.shouldKeepAlive = false;
  else discard(message);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function collect(message: IncomingMessage, response: ServerResponse, budget?: BodyBudget): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.once('close', () => {
      if (budget) budget.usedBytes -= bytes;
    });
    const refuse = (error: GatewayError) => {
      message.removeAllListeners('data');
      discard(message);
      reject(error);
    };
    message.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (budget) budget.usedBytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) return refuse(tooLarge());
      if (budget && budget.usedBytes > budget.maxBytes) return refuse(new GatewayError('THROTTLED', NO_MEMORY));
      chunks.push(chunk);
    });
    message.on('end', () => resolve(Buffer.concat(chunks)));
    message.on('error', reject);
  });
}

function discard(message: IncomingMessage): void {
  const cut = setTimeout(() => message.destroy(), DRAIN_MS).unref();
  message.on('close', () => clearTimeout(cut));
  message.resume();
}

const NO_MEMORY = { reason: 'the bodies of all requests together take too much memory' };

function tooLarge(): GatewayError {
  return new GatewayError('REQUEST_TOO_LARGE', { reason: `the body is over ${MAX_BODY_BYTES} bytes` });
}
