import type { PrintedLine } from '../../../api/shapes/log.ts';
import { basicHeader } from '../../../core/basic-auth.ts';
import { DeployError } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';
import type { AppOutput } from '../../../core/ports/applications.ts';
import type { BuildOutput } from '../../../core/ports/platform.ts';
import { isPathSegment } from '../../../core/text.ts';
import type { PlatformCallOptions } from './call.ts';
import { addressOf, baseUrl, type PlatformRequest } from './client.ts';
import { withServiceToken } from './service-token.ts';

const HEAD_TIMEOUT_MS = 8_000;
/** A longer line is dropped: the platform cuts lines far below that. */
const MAX_LINE_CHARACTERS = 1024 * 1024;

/** An output to read. */
interface OutputRequest extends Pick<PlatformRequest, 'path' | 'query'> {
  /** The user for whom the service acts. */
  readonly user: string;
  /** Names the call in error messages: `the output of shop`. */
  readonly what: string;
}

/**
 * Returns a function that reads an output of the platform as lines, in the service's own name; null when there is none.
 * Aborting the signal ends the iteration without an error. Throws `request:failed`, also while iterating.
 */
function outputReader({ url, fetch = globalThis.fetch, ...token }: PlatformCallOptions) {
  const base = baseUrl(url);
  const withToken = withServiceToken(token);
  return async (request: OutputRequest, signal: AbortSignal): Promise<AsyncIterable<readonly PrintedLine[]> | null> => {
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
    if (response.ok && response.body) return linesIn(response.body, signal);
    if (response.status !== 401) await response.body?.cancel();
    if (response.status === 404) return null;
    throw failed(`The platform answered ${response.status} for ${what}.`);
  };
}

/** Sends a request whose head must come in time; the body may take as long as it likes. */
async function answered(
  what: string,
  signal: AbortSignal,
  send: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
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

async function* linesIn(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<readonly PrintedLine[]> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of body) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = parts.pop() ?? '';
      if (rest.length > MAX_LINE_CHARACTERS) rest = '';
      const lines = parts.flatMap((part) => lineIn(part) ?? []);
      if (lines.length > 0) yield lines;
    }
  } catch (cause) {
    if (!signal.aborted) throw failed('The connection to the platform was lost.', cause);
  }
}

/** Returns null for a heartbeat, and for what is no line. */
function lineIn(text: string): PrintedLine | null {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return null;
    const { at, stream, line } = value;
    const isLine = typeof at === 'string' && typeof stream === 'string' && typeof line === 'string';
    return isLine ? { at, stream: stream === 'stderr' || stream === 'platform' ? stream : 'stdout', line } : null;
  } catch {
    return null;
  }
}

function failed(detail: string, cause?: unknown): DeployError {
  return new DeployError('request:failed', detail, { retry: true, ...(cause !== undefined && { cause }) });
}

/** Returns the output of applications behind the platform API, read in the service's own name. */
export function httpAppOutput(options: PlatformCallOptions): AppOutput {
  const read = outputReader(options);
  return {
    read: ({ user, app }, { lines, follow }, signal) => {
      const query = { lines: String(lines), ...(follow && { follow: 'true' }) };
      return read({ user, path: ['apps', user, app, 'logs'], query, what: `the output of ${app}` }, signal);
    },
  };
}

/** Returns the output of builds behind the platform API, read in the service's own name. */
export function httpBuildOutput(options: PlatformCallOptions): BuildOutput {
  const read = outputReader(options);
  return {
    read: ({ user, app, snapshot }, follow, signal) => {
      const path = ['apps', user, app, 'snapshots', snapshot, 'log'];
      const what = `the build log of ${snapshot}`;
      return read({ user, path, ...(follow && { query: { follow: 'true' } }), what }, signal);
    },
  };
}
