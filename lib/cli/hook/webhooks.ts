import type { WantedWebhook, Webhook, WebhookDialect } from './webhook-api.ts';

/** The webhooks of one repository. */
export interface Webhooks {
  list(): Promise<readonly Webhook[]>;
  create(wanted: WantedWebhook): Promise<Webhook>;
  remove(id: string): Promise<void>;
}

export interface WebhooksOptions {
  readonly dialect: WebhookDialect;
  readonly api: string;
  readonly repository: string;
  readonly token: string;
}

const timeoutMs = 15_000;

/** The webhooks of a repository at its host. Each call throws an Error with one sentence that says what failed. */
export function webhooks({ dialect, api, repository, token }: WebhooksOptions): Webhooks {
  const base = `${api}/${dialect.path(repository)}`;
  const call = async (method: string, address: string, json?: unknown): Promise<unknown> => {
    const response = await fetch(address, {
      method,
      headers: {
        accept: 'application/json',
        'user-agent': 'deployment-webhooks',
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...dialect.login(token),
      },
      body: json === undefined ? null : JSON.stringify(json),
      // The token is for this address only.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch(() => {
      throw new Error(`${new URL(api).host} could not be reached.`);
    });
    const text = await response.text();
    if (!response.ok) throw new Error(refusal(new URL(api).host, repository, response.status));
    return method === 'DELETE' ? null : readJson(text);
  };
  return {
    list: async () => dialect.read(await call('GET', `${base}?per_page=100&limit=50&pagelen=100`)),
    create: async (wanted) => {
      const [made] = dialect.read(await call('POST', base, dialect.body(wanted)));
      if (!made) throw new Error('The host made no webhook.');
      return made;
    },
    remove: async (id) => void (await call('DELETE', `${base}/${encodeURIComponent(id)}`)),
  };
}

/** Without the host's own words, which may repeat the address and the secret in it. */
function refusal(host: string, repository: string, status: number): string {
  const tried = `${host} answered ${status} for the webhooks of ${repository}.`;
  if (status === 401) return `${tried} The token in HOOKS_HOST_TOKEN is not accepted.`;
  if (status !== 403 && status !== 404) return tried;
  return `${tried} Does the repository exist, and may the token in HOOKS_HOST_TOKEN administer its webhooks?`;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('The answer of the host could not be understood.');
  }
}
