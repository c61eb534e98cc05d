import type { NewWebhook, WebhookApi } from '../../../functions/adapters/senders/webhook-api.ts';
import { jsonIn } from '../../../functions/core/json-value.ts';

export type Webhooks = ReturnType<typeof webhooks>;

interface WebhooksOptions {
  readonly webhookApi: WebhookApi;
  readonly api: string;
  readonly repository: string;
  readonly token: string;
}

const TIMEOUT_MS = 15_000;

/**
 * Returns the webhooks of a repository at its host. Each method throws an Error that says in a sentence what failed.
 */
export function webhooks({ webhookApi, api, repository, token }: WebhooksOptions) {
  const base = `${api}/${webhookApi.path(repository)}`;
  const call = async (method: string, address: string, json?: unknown): Promise<unknown> => {
    const response = await fetch(address, {
      method,
      headers: {
        accept: 'application/json',
        'user-agent': 'deployment-webhooks',
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...webhookApi.login(token),
      },
      body: json === undefined ? null : JSON.stringify(json),
      // The token must not be sent to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(() => {
      throw new Error(`${new URL(api).host} could not be reached.`);
    });
    const text = await response.text();
    if (!response.ok) throw new Error(refusal(new URL(api).host, repository, response.status));
    return method === 'DELETE' ? null : readJson(text);
  };
  return {
    list: async () => webhookApi.read(await call('GET', `${base}?per_page=100&limit=50&pagelen=100`)),
    create: async (webhook: NewWebhook) => {
      const [created] = webhookApi.read(await call('POST', base, webhookApi.body(webhook)));
      if (!created) throw new Error('The host created no webhook.');
      return created;
    },
    remove: async (id: string) => void (await call('DELETE', `${base}/${encodeURIComponent(id)}`)),
  };
}

/**
 * Returns the error sentence for a status. The host's own message is left out: it may repeat the URL and its secret.
 */
function refusal(host: string, repository: string, status: number): string {
  const tried = `${host} answered ${status} for the webhooks of ${repository}.`;
  if (status === 401) return `${tried} The token in HOOKS_HOST_TOKEN is not accepted.`;
  if (status !== 403 && status !== 404) return tried;
  return `${tried} Does the repository exist, and may the token in HOOKS_HOST_TOKEN administer its webhooks?`;
}

function readJson(text: string): unknown {
  const value = jsonIn(text);
  if (value === undefined) throw new Error('The response of the host could not be understood.');
  return value;
}
