import * as v from 'valibot';
import { PrintedLine } from '../../../api/shapes/log.ts';
import { basicHeader } from '../../../core/basic-auth.ts';
import { DeployError } from '../../../core/errors.ts';
import { jsonIn } from '../../../core/json.ts';
import type { AppOutput } from '../../../core/ports/applications.ts';
import type { BuildOutput } from '../../../core/ports/platform.ts';
import { isPathSegment } from '../../../core/text.ts';
import { listed, type PlatformCallOptions } from './call.ts';
import { addressOf, baseUrl, type PlatformAnswer, type PlatformRequest, withServiceToken } from './client.ts';

const HEAD_TIMEOUT_MS = 8_000;
/** A longer line is dropped: the platform cuts lines far below that. */
const MAX_LINE_CHARACTERS = 1024 * 1024;

interface OutputRequest extends Pick<PlatformRequest, 'path' | 'query'> {
  readonly user: string;
  /** Names the call in error messages: `the output of shop`. */
  readonly what: string;
}

/**
 * Returns a function that reads an output of the platform as lines, in the service's own name; null when there is none.
 * What is not as the schema describes it is left out. Aborting the signal ends the iteration without an error. Throws
 * `request:failed`, also while iterating, and `request:conflict` while another reads what has one reader.
 */
export function linesReader<S extends v.GenericSchema>(
  { url, fetch = globalThis.fetch, ...token }: PlatformCallOptions,
  schema: S,
) {
  const base = baseUrl(url);
  const withToken = withServiceToken(token);
  return async (
    request: OutputRequest,
    signal: AbortSignal,
  ): Promise<AsyncIterable<readonly v.InferOutput<S>[]> | null> => {
    const { user, path, what } = request;
    if (!path.every(isPathSegment)) return null;
    const response = await answered(what, signal, (either) =>
      withToken(async (secret) => {
        const headers = { authorization: basicHeader(`${user}:${secret}`), accept: 'application/x-ndjson' };
        const answer = await fetch(addressOf(base, request), { headers, signal: either, redirect: 'manual' });
        // It may be asked again, and an answer that nobody reads holds its connection.
        if (answer.status === 401) await answer.body?.cancel();
        return answer;
      }),
    );
    if (response.ok && response.body) return linesIn(response.body, schema, signal);
    if (response.status !== 401) await response.body?.cancel();
    if (response.status === 404) return null;
    if (response.status === 409) throw new DeployError('request:conflict', `Another reads ${what}.`);
    throw failed(`The platform answered ${response.status} for ${what}.`);
  };
}

/** Sends a request whose head must come in time; the body may take as long as it likes. */
async function answered(
  what: string,
  signal: AbortSignal,
  send: (signal: AbortSignal) => Promise<PlatformAnswer>,
): Promise<PlatformAnswer> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), HEAD_TIMEOUT_MS);
  try {
    return await send(AbortSignal.any([signal, late.signal]));
  } catch (cause) {
    throw failed(`The platform did not answer for ${what}; try again.`, cause);
  } finally {
    clearTimeout(timer);
  }
}

async function* linesIn<S extends v.GenericSchema>(
  body: AsyncIterable<Uint8Array>,
  schema: S,
  signal: AbortSignal,
): AsyncGenerator<readonly v.InferOutput<S>[]> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of body) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = parts.pop() ?? '';
      if (rest.length > MAX_LINE_CHARACTERS) rest = '';
      // A heartbeat is an empty line.
      const lines = listed(schema, parts.map(jsonIn));
      if (lines.length > 0) yield lines;
    }
  } catch (cause) {
    if (!signal.aborted) throw failed('The connection to the platform was lost.', cause);
  }
}

/** Other streams, which later platforms may have, count as standard output; a line may have no time. */
const AnsweredLine = v.object({
  ...PrintedLine.entries,
  at: v.string(),
  stream: v.fallback(PrintedLine.entries.stream, 'stdout'),
});

function failed(detail: string, cause?: unknown): DeployError {
  return new DeployError('request:failed', detail, { retry: true, ...(cause !== undefined && { cause }) });
}

export function httpAppOutput(options: PlatformCallOptions): AppOutput {
  const read = linesReader(options, AnsweredLine);
  return {
    read: ({ user, app }, { lines, follow, process }, signal) => {
      const wanted = process === undefined ? {} : { process };
      const query = { lines: String(lines), ...(follow && { follow: 'true' }), ...wanted };
      return read({ user, path: ['apps', user, app, 'logs'], query, what: `the output of ${app}` }, signal);
    },
  };
}

export function httpBuildOutput(options: PlatformCallOptions): BuildOutput {
  const read = linesReader(options, AnsweredLine);
  return {
    read: ({ user, app, snapshot }, follow, signal) => {
      const path = ['apps', user, app, 'snapshots', snapshot, 'log'];
      const what = `the build log of ${snapshot}`;
      return read({ user, path, ...(follow && { query: { follow: 'true' } }), what }, signal);
    },
  };
}
