import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from './gateway-responses.ts';

// https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
const MAX_BODY_BYTES = 10 * 1024 * 1024;
// A client that still sends a rejected body after this time is disconnected.
const DRAIN_MS = 10_000;

/**
 * Reads the body, at most 10 MB. A client that expects `100 Continue` gets it, unless the body is too long.
 *
 * @throws GatewayError REQUEST_TOO_LARGE; the rest of the body is then read and discarded, so that the client sees the
 * response
 */
export async function readBody(
  message: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
): Promise<Buffer> {
  if (!hasBody(message)) return Buffer.alloc(0);
  if (Number(message.headers['content-length']) > MAX_BODY_BYTES) {
    leaveBody(message, response, expectsContinue);
    throw tooLarge();
  }
  if (expectsContinue) response.writeContinue();
  return collect(message);
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

function collect(message: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    message.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) return void chunks.push(chunk);
      message.removeAllListeners('data');
      discard(message);
      reject(tooLarge());
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

function tooLarge(): GatewayError {
  return new GatewayError('REQUEST_TOO_LARGE', { reason: `the body is over ${MAX_BODY_BYTES} bytes` });
}
