/** Whose credentials a call carries. */
export interface Caller {
  readonly user: string;
  readonly secret: string;
}

/** What came back; `body` is undefined when it is not JSON. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** One call of the platform API. Rejects when there was no whole answer in time; an answer of any status is given back. */
export type AccountsCall = (method: 'GET' | 'PUT', path: string, caller: Caller, json?: unknown) => Promise<Answer>;

/** The calls to the platform API at `url`. Throws at once when that is no HTTP address, or one that holds credentials. */
export function accountsCall(options: {
  readonly url: string;
  readonly fetch?: typeof fetch;
  readonly timeoutMs?: number;
}): AccountsCall {
  const { fetch = globalThis.fetch, timeoutMs = 5000 } = options;
  const base = baseUrl(options.url);
  return async (method, path, caller, json) => {
    const send = async (): Promise<Answer> => {
      const response = await fetch(`${base}${path}`, { ...init, signal });
      return { status: response.status, body: readJson(await response.text()) };
    };
    const signal = AbortSignal.timeout(timeoutMs);
    const init: RequestInit = {
      method,
      headers: headersOf(caller, json !== undefined),
      body: json === undefined ? null : JSON.stringify(json),
      // Credentials are for this address only.
      redirect: 'manual',
    };
    // A function that slept keeps connections which the other side has closed meanwhile: the first use of one fails.
    return send().catch((error: unknown) => (signal.aborted ? Promise.reject(error) : send()));
  };
}

function headersOf({ user, secret }: Caller, hasBody: boolean): Record<string, string> {
  return {
    authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`,
    accept: 'application/json',
    ...(hasBody && { 'content-type': 'application/json' }),
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  // fetch would refuse such an address too, but with a message that quotes the password.
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new Error('The address of the platform must be an http or https URL without credentials.');
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
