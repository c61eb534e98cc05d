import { basic, type Session } from './session.ts';

/** A refusal of the API: its problem document. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly code: string;
  readonly detail: string;

  constructor({ status, code, title, detail }: { status: number; code: string; title: string; detail: string }) {
    super(title);
    this.status = status;
    this.code = code;
    this.detail = detail;
  }
}

/** A request: the segments of its path below `/1`, which are encoded here. */
export interface ApiRequest {
  readonly path: readonly string[];
  readonly method?: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** The API, with the login of one user. */
export interface Api {
  readonly user: string;
  /** Returns the body of an answer. Throws a Problem, or a TypeError when the service does not answer. */
  call<T>(request: ApiRequest): Promise<T>;
  /** Yields the lines of a streamed answer. */
  lines(request: ApiRequest): AsyncGenerator<string>;
}

/** The service's address without a slash at its end: the page's files are in `<service>/assets/`. */
export const SERVICE = new URL('..', import.meta.url).href.replace(/\/+$/, '');

/** Returns the API for a login. `refused` is called when the login is not valid, or no longer. */
export function api(session: Session, refused: () => void): Api {
  const send = async (request: ApiRequest): Promise<Response> => {
    const response = await fetch(address(request), {
      method: request.method ?? 'GET',
      // Without this, a 401 would make the browser ask for a login with a dialog of its own.
      credentials: 'omit',
      cache: 'no-store',
      headers: {
        authorization: `Basic ${basic(session)}`,
        ...(request.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
      ...(request.signal && { signal: request.signal }),
    });
    if (response.ok) return response;
    const problem = await problemOf(response);
    // A 401 of another kind, such as a refused pairing, has no challenge.
    if (response.status === 401 && response.headers.has('www-authenticate') && problem.code !== 'mw:auth:not_you') {
      refused();
    }
    throw problem;
  };
  return {
    user: session.user,
    call: async <T>(request: ApiRequest) => {
      const response = await send(request);
      return (response.status === 204 ? null : await response.json()) as T;
    },
    lines: async function* (request) {
      const { body } = await send(request);
      if (body) yield* linesOf(body);
    },
  };
}

function address({ path, query = {} }: ApiRequest): string {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const text = search.toString();
  return `${SERVICE}/1/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

async function problemOf(response: Response): Promise<Problem> {
  const { status } = response;
  const said = await response.json().catch(() => null);
  return new Problem({
    status,
    code: typeof said?.code === 'string' ? said.code : 'request:failed',
    title: typeof said?.title === 'string' ? said.title : `The service answered ${status}.`,
    detail: typeof said?.detail === 'string' ? said.detail : 'Try again in a moment.',
  });
}

/** Ends the request when the reader stops reading. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const parts = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = parts.pop() ?? '';
      yield* parts;
    }
    if (rest !== '') yield rest;
  } finally {
    await reader.cancel().catch(() => {});
  }
}
