import * as v from 'valibot';
import { printableValue } from '../../../terminal/printable.ts';
import { inCommands } from '../in-commands.ts';

/** One request for changes. */
export interface ConnectionOptions {
  /** Without a login in it. */
  readonly address: string;
  readonly user: string;
  readonly secret: string;
  /** A connection without a byte for that long is dead. */
  readonly silenceMs: number;
  readonly signal: AbortSignal;
}

/** The service refused, and another attempt would be refused as well. The message is one sentence for the user. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** The service takes no further stream or request now. */
export class Throttled extends Error {
  override readonly name = 'Throttled';

  constructor(
    message: string,
    /** The answer's body. */
    readonly body: string,
    /** The pause that the service asks for. */
    readonly retryAfterMs: number,
  ) {
    super(message);
  }
}

/** Used when the service sends no `Retry-After`. */
const RETRY_AFTER_MS = 5_000;

/**
 * Yields the lines of a response as they arrive, without a last line that was cut off. Leaving the loop ends the
 * connection.
 *
 * @throws Refused when another attempt cannot help; Throttled when it can later; any other error when it can
 */
export async function* lines(options: ConnectionOptions): AsyncGenerator<string, void> {
  const unanswered = new AbortController();
  let body: ReadableStreamDefaultReader<Uint8Array> | undefined;
  try {
    const response = await alive(request(options, unanswered.signal), options);
    if (response.status !== 200) throw failure(response, await alive(response.text(), options), options);
    body = checkedBody(response, options).getReader();
    const decoder = new TextDecoder();
    let unfinished = '';
    for (;;) {
      const { done, value } = await alive(body.read(), options);
      if (done) return;
      const parts = (unfinished + decoder.decode(value, { stream: true })).split('\n');
      unfinished = parts.pop() ?? '';
      yield* parts;
    }
  } finally {
    unanswered.abort();
    // Cancelled explicitly, so that the end of the stream does not depend on how the signal reaches it.
    body?.cancel().catch(() => {});
  }
}

function request({ address, user, secret }: ConnectionOptions, signal: AbortSignal): Promise<Response> {
  const authorization = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
  // A redirect could lead the login to another host.
  return fetch(address, { headers: { authorization, accept: 'application/x-ndjson' }, redirect: 'manual', signal });
}

/**
 * Returns the result of the work, unless it takes longer than `silenceMs` or the caller aborts. The time runs only
 * while something is awaited: a caller that is slow with a row has not lost the connection.
 */
async function alive<T>(work: Promise<T>, { silenceMs, signal }: ConnectionOptions): Promise<T> {
  const settled = new AbortController();
  const interrupted = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`nothing came for ${silenceMs / 1000} s`)), silenceMs);
    settled.signal.addEventListener('abort', () => clearTimeout(timer));
    signal.addEventListener('abort', () => reject(signal.reason), { signal: settled.signal });
    if (signal.aborted) reject(signal.reason);
  });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    settled.abort();
  }
}

/** The login page of a proxy in between is a 200 as well. */
function checkedBody(response: Response, { address }: ConnectionOptions) {
  const type = response.headers.get('content-type') ?? '';
  if (response.body && /^application\/(?:x-ndjson|json)\b/.test(type)) return response.body;
  throw new Refused(`What answers at ${new URL(address).origin} is not the service: is its address right?`);
}

const Problem = v.object({ code: v.string(), detail: v.optional(v.string(), '') });

function failure({ status, headers }: Response, body: string, { address, user }: ConnectionOptions): Error {
  const said = sentence(body);
  if (status === 429) {
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    return new Throttled(`it answered 429${said}`, body, seconds >= 0 ? seconds * 1000 : RETRY_AFTER_MS);
  }
  // 408 may succeed later; any other 4xx would be the same again.
  if (status >= 500 || status === 408) return new Error(`it answered ${status}${said}`);
  if (status === 401 || status === 403) return new Refused(`The service refused the login of "${user}"${said}`);
  return new Refused(explanation(body) ?? `The service at ${new URL(address).origin} answered ${status}${said}`);
}

/** The service's own words with its code; null when something else answered. */
function explanation(body: string): string | null {
  const problem = v.safeParse(Problem, parsed(body));
  if (!problem.success || problem.output.detail === '') return null;
  return `${inCommands(problem.output.detail)} (${problem.output.code})`;
}

function parsed(text: string): unknown {
  try {
    return printableValue(JSON.parse(text));
  } catch {
    return null;
  }
}

function sentence(body: string): string {
  const problem = v.safeParse(Problem, parsed(body));
  if (!problem.success) return '.';
  const { code, detail } = problem.output;
  return ` (${code})${detail && `: ${detail}`}`;
}
