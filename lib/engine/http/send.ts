import type { ServerResponse } from 'node:http';
import { identified, rendered } from '../../../functions/api/answers.ts';
import type { HttpAnswer, StreamAnswer } from '../../../functions/api/http.ts';
import type { Answered } from './answer.ts';

interface Sending {
  readonly uuid: string;
  /** The client of a whole answer is disconnected when it takes nothing for this time. */
  readonly stalledMs: number;
}

/**
 * Sends an answer. A client that disconnects is no error. A stream that takes too long is cut off, which the client sees
 * as an incomplete answer, since the status is sent already. Throws when a header cannot be sent, before anything is
 * written, and what the body of a stream throws; then it is cut off.
 */
export async function send(response: ServerResponse, answered: Answered, { uuid, stalledMs }: Sending): Promise<void> {
  if ('whole' in answered) return sendWhole(response, answered.whole, { uuid, stalledMs });
  const { streamed, endsAt } = answered;
  const { status, headers, body } = streamed;
  if (body === null) return sendWhole(response, { status, headers }, { uuid, stalledMs });
  try {
    writeHead(response, status, identified(headers, uuid));
  } catch (error) {
    await body[Symbol.asyncIterator]().return?.();
    throw error;
  }
  await sendStream(response, body, endsAt);
}

function sendWhole(response: ServerResponse, answer: HttpAnswer, { uuid, stalledMs }: Sending): void {
  if (response.destroyed) return;
  const { status, headers, body } = rendered(answer, uuid);
  writeHead(response, status, headers);
  if (status !== 204 && status !== 304) response.setHeader('content-length', Buffer.byteLength(body));
  response.setTimeout(stalledMs, () => response.destroy());
  // A text is one write together with the head.
  response.end(body);
}

function writeHead(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>): void {
  response.statusCode = status;
  try {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  } catch (error) {
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    throw error;
  }
}

async function sendStream(response: ServerResponse, body: StreamAnswer['body'], endsAt: number): Promise<void> {
  const cut = setTimeout(() => response.destroy(), endsAt - Date.now());
  // Before the first byte of the body, so that the client knows at once that the stream has begun.
  response.flushHeaders();
  const pieces = body[Symbol.asyncIterator]();
  let resume = () => {};
  const resumed = () =>
    new Promise<void>((resolve) => {
      resume = resolve;
    });
  response.once('close', () => {
    resume();
    // The piece that it waits for may never come.
    void pieces.return?.()?.catch(() => {});
  });
  response.on('drain', () => resume());
  response.on('error', () => {});
  try {
    // No stream and pipeline: they double the time of a change, which may have hundreds of readers.
    while (!response.destroyed) {
      const { value, done } = await pieces.next();
      if (done) {
        response.end(() => resume());
        return await resumed();
      }
      if (!response.destroyed && !response.write(value)) await resumed();
    }
  } finally {
    clearTimeout(cut);
  }
}
