import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { answerApi } from './answer.ts';
import type { ServerDependencies } from './dependencies.ts';

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

/** It is taken at once: what nobody reads when a command ends is lost. */
function outputOf(child: ChildProcessWithoutNullStreams): PassThrough {
  const output = new PassThrough();
  child.stdout.pipe(output, { end: false });
  child.stdin.on('error', () => {}).end();
  child.stderr.resume();
  const failed = () => void output.destroy(new Error('The command of the repository host failed.'));
  once(child, 'close').then(([code]) => (code === 0 ? output.end() : failed()), failed);
  output.on('error', () => {}).once('close', () => child.kill());
  return output;
}
