import * as v from 'valibot';

/** One request for changes. */
export interface ConnectionOptions {
  /** Without a login in it. */
  readonly address: string;
  readonly user: string;
  readonly secret: string;
  /** Milliseconds without a byte after which the connection counts as dead. */
  readonly silence: number;
  readonly signal: AbortSignal;
}

/** The service has answered, and asking again would bring the same answer. The message is one sentence for the user. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/**
 * The lines of an answer as they come; a line that was cut off is not among them. Leaving the loop ends the connection.
 *
 * @throws Refused when asking again cannot help; any other error when it can
 */
export async function* lines(options: ConnectionOptions): AsyncGenerator<string, void> {
  const unanswered = new AbortController();
  let body: ReadableStreamDefaultReader<Uint8Array> | undefined;
  try {
    const response = await alive(request(options, unanswered.signal), options);
    if (response.status !== 200) throw failure(response.status, await alive(response.text(), options), options);
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
    // The stream itself is cancelled, so that its end does not depend on how a signal reaches it.
    body?.cancel().catch(() => {});
  }
}

function request({ address, user, secret }: ConnectionOptions, signal: AbortSignal): Promise<Response> {
  const authorization = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
  // Where a redirect leads, the login might not belong.
  return fetch(address, { headers: { authorization, accept: 'application/x-ndjson' }, redirect: 'manual', signal });
}

/**
 * What the work gives, unless it takes longer than the silence may, or the caller wants no more. The time counts only
 * while something is awaited: a caller that is slow with a row has not lost the connection.
 */
async function alive<T>(work: Promise<T>, { silence, signal }: ConnectionOptions): Promise<T> {
  const settled = new AbortController();
  const over = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`nothing came for ${silence / 1000} s`)), silence);
    settled.signal.addEventListener('abort', () => clearTimeout(timer));
    signal.addEventListener('abort', () => reject(signal.reason), { signal: settled.signal });
    if (signal.aborted) reject(signal.reason);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    settled.abort();
  }
}

/** A page to log in, of a proxy in between, is a 200 as well. */
function checkedBody(response: Response, { address }: ConnectionOptions) {
  const type = response.headers.get('content-type') ?? '';
  if (response.body && /^application\/(?:x-ndjson|json)\b/.test(type)) return response.body;
  throw new Refused(
    `What answers at ${new URL(address).origin} does not speak of changes: is it the service's address?`,
  );
}

const Problem = v.object({ code: v.string(), detail: v.optional(v.string(), '') });

function failure(status: number, body: string, { address, user }: ConnectionOptions): Error {
  const said = sentence(body);
  // 408 and 429 ask for another try; of what else is the caller's fault, nothing becomes right by itself.
  if (status >= 500 || status === 408 || status === 429) return new Error(`it answered ${status}${said}`);
  if (status === 401 || status === 403) return new Refused(`The service refused the login of "${user}"${said}`);
  return new Refused(`The service at ${new URL(address).origin} answered ${status}${said}`);
}

function sentence(body: string): string {
  try {
    const { code, detail } = v.parse(Problem, JSON.parse(body));
    return ` (${code})${detail && `: ${detail}`}`;
  } catch {
    return '.';
  }
}
