import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { answerApi } from './answer.ts';
import type { ServerDependencies } from './dependencies.ts';

/** A request of this process. */
export interface OwnRequest {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** Its answer. The body is read once, or discarded; reading it throws when it is incomplete. */
export interface OwnAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
  discard(): void;
}

/** Answers a request for the API or a tarball as the server does, without a connection. */
export async function answerOwn(deps: ServerDependencies, request: OwnRequest): Promise<OwnAnswer> {
  const { method, url, headers, signal } = request;
  const { authorization, accept = '' } = headers;
  const answer = await answerApi(deps, { method, url, authorization, accept, body: chunks(request.body) });
  const { status, body } = answer;
  if (typeof body === 'string') return { status, headers: answer.headers, body: chunks(body), discard: () => {} };
  const end = () => void body.kill();
  signal?.addEventListener('abort', end);
  body.once('close', () => signal?.removeEventListener('abort', end));
  if (signal?.aborted) end();
  return { status, headers: answer.headers, body: outputOf(body), discard: end };
}

async function* chunks(text = ''): AsyncGenerator<Uint8Array> {
  if (text !== '') yield Buffer.from(text);
}

/**
 * It is read from here on, whenever the caller begins: Node discards what a child has printed that nobody reads when it
 * ends.
 */
function outputOf(child: ChildProcessWithoutNullStreams): AsyncGenerator<Uint8Array> {
  const ended = once(child, 'close');
  ended.catch(() => {});
  child.stdin.on('error', () => {}).end();
  child.stderr.resume();
  return output(child, child.stdout.pipe(new PassThrough()), ended);
}

async function* output(
  child: ChildProcessWithoutNullStreams,
  printed: PassThrough,
  ended: Promise<readonly unknown[]>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* printed;
    const [code] = await ended;
    if (code !== 0) throw new Error('The command of the repository host failed.');
  } finally {
    child.kill();
  }
}
