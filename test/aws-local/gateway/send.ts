import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { GatewayError } from './gateway-responses.ts';
import type { HttpResponse, ResponseStream } from './handle-request.ts';

/** Of a regional API: https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html */
const STREAM_IDLE_MS = 5 * 60_000;

/**
 * Sends a response. A stream that fails, is silent or takes too long is cut off, which the
 * client sees as an incomplete response, since the status is already sent.
 *
 * @throws GatewayError DEFAULT_5XX when a header cannot be sent; then nothing was written
 */
export async function send(
  response: ServerResponse,
  requestId: string,
  answer: HttpResponse,
  idleMs = STREAM_IDLE_MS,
): Promise<void> {
  try {
    writeHead(response, requestId, answer);
  } catch (error) {
    if ('endsAt' in answer) await answer.body.return?.();
    throw error;
  }
  if ('endsAt' in answer) return sendStream(response, answer, idleMs);
  const bytes = Buffer.isBuffer(answer.body) ? answer.body : Buffer.from(answer.body);
  if (answer.status !== 204 && answer.status !== 304) response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}

function writeHead(response: ServerResponse, requestId: string, { status, headers }: HttpResponse): void {
  response.statusCode = status;
  try {
    response.setHeader('x-amzn-RequestId', requestId);
    for (const [name, value] of headers) response.setHeader(name, value);
  } catch (error) {
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    throw new GatewayError('DEFAULT_5XX', { reason: `a header cannot be sent: ${String(error)}` });
  }
}

async function sendStream(response: ServerResponse, { body, endsAt }: ResponseStream, idleMs: number): Promise<void> {
  const cut = setTimeout(() => response.destroy(), endsAt - Date.now());
  const idle = setTimeout(() => response.destroy(), idleMs);
  const watched = async function* () {
    for await (const chunk of body) {
      idle.refresh();
      yield chunk;
    }
  };
  // Before the first byte of the body, so that the client knows at once that the stream has begun.
  response.flushHeaders();
  try {
    // Destroys the connection when the body fails, so that the response is not taken for complete.
    await pipeline(watched, response);
  } finally {
    clearTimeout(cut);
    clearTimeout(idle);
  }
}
