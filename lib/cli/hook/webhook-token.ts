import { NewToken, Tokens } from '../../../functions/api/shapes/logins.ts';
import { looksLikeToken } from '../../../functions/core/secrets.ts';
import { type Api, api, parsed } from '../service/api.ts';
import type { Service } from '../service/stored-login.ts';

const PATH = ['auth', 'tokens'];
const MOST_NAME_CHARACTERS = 56;

interface Named {
  readonly sender: string;
  readonly repository: string;
  readonly environment: string | undefined;
}

/**
 * Returns the secret for a webhook: with a password a new API token, because a host shows the address of a webhook to all
 * administrators of the repository, and a password cannot be revoked there alone; with a token that, which can make none.
 * `replace` revokes the tokens of earlier webhooks of the repository and returns their names, `drop` the one that was made.
 */
export async function webhookSecret(service: Service, webhook: Named, signal: AbortSignal) {
  const { secret } = service;
  if (looksLikeToken(secret)) {
    return { secret, made: null, replace: async (): Promise<readonly string[]> => [], drop: async () => undefined };
  }
  const client = api(service, signal);
  const earlier = await tokensOf(webhook, client);
  // Another name: the webhook before works until this one does.
  const name = freeName(baseName(webhook), earlier);
  const { token } = parsed(
    NewToken,
    await client.call({ method: 'POST', path: PATH, body: { name, rights: 'deploy' } }),
  );
  return {
    secret: token,
    made: name,
    replace: () => revokeAll(earlier, client),
    drop: async () => void (await revokeAll([name], client)),
  };
}

/** Revokes the API tokens that were made for the webhooks of a repository, of any environment, and returns their names. */
export async function revokeTokens(service: Service, webhook: Named, signal: AbortSignal): Promise<readonly string[]> {
  const client = api(service, signal);
  return revokeAll(await tokensOf(webhook, client, (name) => name.replace(/~[a-z\d-]+/, '')), client);
}

async function revokeAll(names: readonly string[], client: Api): Promise<readonly string[]> {
  for (const name of names) await client.call({ method: 'DELETE', path: [...PATH, name] });
  return names;
}

async function tokensOf(webhook: Named, client: Api, shown = (name: string) => name): Promise<readonly string[]> {
  const base = baseName(webhook);
  const { tokens } = parsed(Tokens, await client.call({ path: PATH }));
  const isOurs = (name: string) =>
    name === base || (name.startsWith(`${base} `) && /^\d+$/.test(name.slice(base.length + 1)));
  return tokens.map(({ name }) => name).filter((name) => isOurs(shown(name)));
}

function baseName({ sender, repository, environment }: Named): string {
  const of = environment === undefined ? sender : `${sender}~${environment}`;
  // A name has no slash, and no owner has a plus.
  return `webhook ${of} ${repository.replaceAll('/', '+')}`.slice(0, MOST_NAME_CHARACTERS);
}

function freeName(base: string, taken: readonly string[]): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base} ${number}`;
    if (!taken.includes(name)) return name;
  }
}
