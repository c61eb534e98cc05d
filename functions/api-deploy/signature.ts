import { DeployError } from '../core/errors.ts';
import type { Delivery } from '../core/payload/delivery.ts';
import type { HookCall } from '../core/ports/sender.ts';

/**
 * The secrets that webhooks are signed with: by `<user>/<owner>/<repository>`, `<user>` or `*`, then by sender. Two of one
 * sender hold while one replaces the other.
 */
export type HookSecrets = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** What is needed to tell whether a call is genuine. */
export interface SignaturePorts {
  /** The configured secrets, as they are now. */
  readonly hookSecrets: () => Promise<HookSecrets>;
  /**
   * What the signature of a call says, for the provider's name in the log. Throws `mw:auth:auth_server_down` when that
   * cannot be told now.
   */
  readonly verify: (
    provider: string,
    call: HookCall,
    secrets: readonly string[],
    now: number,
  ) => Promise<'valid' | 'missing' | 'invalid' | 'unsupported'>;
}

/** Hosts sign what CI found with the secret of the same webhook. */
const webhookOf: ReadonlyMap<string, string> = new Map([
  ['github-actions', 'github'],
  ['github-checks', 'github'],
  ['github-status', 'github'],
  ['gitlab-ci', 'gitlab'],
  ['bitbucket-pipelines', 'bitbucket'],
  ['gitea-actions', 'gitea'],
  ['forgejo-actions', 'forgejo'],
]);

const wrong = {
  missing: 'is missing',
  invalid: 'does not match',
  unsupported: 'cannot be made by this sender',
} as const;

/**
 * Refuses a call that is not signed with a secret configured for its sender; without one nothing is asked for. Throws
 * `deploy:auth:bad_creds`, or `mw:auth:auth_server_down` when the key to verify it with cannot be had.
 */
export async function requireSignature(
  deliveries: readonly Delivery[],
  { call, user, at }: { readonly call: HookCall; readonly user: string; readonly at: number },
  { hookSecrets, verify }: SignaturePorts,
): Promise<void> {
  const configured = await hookSecrets();
  for (const delivery of deliveries) {
    const secrets = secretsFor(delivery, user, configured);
    if (secrets === null) continue;
    const verdict = await verify(delivery.provider, call, secrets, at);
    if (verdict !== 'valid') throw refusal(delivery.provider, wrong[verdict]);
  }
}

/** Those of the narrowest scope that has any for the sender; null when none has. */
function secretsFor({ provider, repository }: Delivery, user: string, configured: HookSecrets) {
  const sender = webhookOf.get(provider) ?? provider;
  const name = repository && `${repository.owner}/${repository.name}`.toLowerCase();
  const own = Object.keys(configured).filter((scope) => name !== null && isOf(scope, user, name));
  const scopes = [...own, user, '*'].map((scope) => (Object.hasOwn(configured, scope) ? configured[scope] : undefined));
  const scope = scopes.find((secrets) => secrets && Object.hasOwn(secrets, sender));
  return scope?.[sender] ?? null;
}

function isOf(scope: string, user: string, name: string): boolean {
  return scope.startsWith(`${user}/`) && scope.slice(user.length + 1).toLowerCase() === name;
}

function refusal(provider: string, what: string): DeployError {
  const detail = `The signature of this call from ${provider} ${what}; a secret is configured for its webhook. Give the webhook the same one.`;
  return new DeployError('deploy:auth:bad_creds', detail);
}
