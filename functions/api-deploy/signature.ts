import { DeployError } from '../core/errors.ts';
import { ANY_HOST_KIND, type DeliveredRepository, type Delivery } from '../core/payload/delivery.ts';
import type { HookCall, Sender, SignatureCheck, SignedCall } from '../core/ports/sender.ts';

/**
 * The secrets that webhooks are signed with: by `<user>/<owner>/<repository>`, `<user>` or `*`, then by the sender of
 * the webhook. All secrets of a list are valid, so that one can replace another; `unsigned` accepts calls without one.
 */
export type HookSecrets = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export interface SignaturePorts {
  /** Returns the secrets that are configured now. */
  readonly hookSecrets: () => Promise<HookSecrets>;
  /** Checks the signature of a call. Throws `mw:auth:auth_server_down` when the key cannot be fetched. */
  readonly verify: (signed: SignedCall) => Promise<SignatureCheck>;
}

/** A call after its login: the sender that made it, and its time in milliseconds since 1970. */
interface ReceivedCall {
  readonly sender: Sender;
  readonly call: HookCall;
  readonly user: string;
  readonly at: number;
}

const problems = {
  missing: 'is missing',
  invalid: 'does not match',
  unsupported: 'cannot be made by this sender',
} as const;

/** In a list of secrets: calls without a signature are accepted too. */
const UNSIGNED = 'unsigned';

/** The webhooks of a kind of repository host, where the kind is not the only one. */
const webhooksOfKind: Readonly<Record<string, readonly string[]>> = { gitea: ['gitea', 'forgejo'] };

type ScopedSecrets = readonly [scope: string, secrets: HookSecrets[string]];

/**
 * Refuses a call that is not signed with a secret configured for its webhook. Without such a secret no signature is
 * required, unless one protects the repository's host: then its sender must be named too, because anyone with the login
 * could call as a sender that does not sign. Throws `deploy:auth:bad_creds`, or `mw:auth:auth_server_down` when the key
 * cannot be fetched.
 */
export async function requireSignature(
  deliveries: readonly Delivery[],
  received: ReceivedCall,
  { hookSecrets, verify }: SignaturePorts,
): Promise<void> {
  const { sender, call, user, at: now } = received;
  const configured = await hookSecrets();
  for (const delivery of deliveries) {
    const scopes = scopesOf(delivery.repository, user, configured);
    const [scope, secretsOf] = scopes.find(([, secrets]) => Object.hasOwn(secrets, sender.webhook)) ?? [];
    const listed = secretsOf?.[sender.webhook];
    if (scope === undefined || listed === undefined) {
      if (isProtected(delivery, scopes)) throw notNamed(sender);
      continue;
    }
    const secrets = listed.filter((secret) => secret !== UNSIGNED);
    const check = await verify({ sender: sender.id, call, secrets, now });
    const mayBeUnsigned = check !== 'invalid' && listed.includes(UNSIGNED);
    if (check !== 'valid' && !mayBeUnsigned) throw refusal(sender, problems[check], scope);
  }
}

/** Returns the secrets of the scopes that include a repository, the narrowest first. */
function scopesOf(
  repository: DeliveredRepository | null,
  user: string,
  configured: HookSecrets,
): readonly ScopedSecrets[] {
  // A host finds the repository with the ending of a clone address too.
  const name = repository && `${repository.owner}/${repository.name}`.toLowerCase().replace(/\.git$/, '');
  const ofRepository = Object.keys(configured).filter((scope) => name !== null && isScopeOf(scope, user, name));
  const scopes = [...ofRepository, user, '*'].filter((scope) => Object.hasOwn(configured, scope));
  return scopes.map((scope) => [scope, configured[scope] ?? {}]);
}

/** Whether the webhook of the delivery's repository host must sign; any webhook, when the host is not known. */
function isProtected(delivery: Delivery, scopes: readonly ScopedSecrets[]): boolean {
  if (delivery.kind === 'notice') return false;
  const { hostKind } = delivery;
  const webhooks = webhooksOfKind[hostKind] ?? [hostKind];
  const signing = scopes.flatMap(([, secrets]) =>
    Object.entries(secrets).flatMap(([webhook, list]) => (list.includes(UNSIGNED) ? [] : [webhook])),
  );
  return hostKind === ANY_HOST_KIND ? signing.length > 0 : signing.some((webhook) => webhooks.includes(webhook));
}

function isScopeOf(scope: string, user: string, name: string): boolean {
  return scope.startsWith(`${user}/`) && scope.slice(user.length + 1).toLowerCase() === name;
}

function refusal({ name, webhook }: Sender, problem: string, scope: string): DeployError {
  const detail =
    `The signature of this call from ${name} ${problem}: the secrets of webhooks (hookSecrets) have one for ` +
    `"${webhook}" at "${scope}". Give the webhook the same one.`;
  return new DeployError('deploy:auth:bad_creds', detail);
}

function notNamed({ name, webhook }: Sender): DeployError {
  const detail =
    `Calls about this repository must be signed, and no secret is configured for ${name}. Add "${webhook}" to the same ` +
    `secrets of webhooks, with a secret, or with "${UNSIGNED}" if it cannot sign.`;
  return new DeployError('deploy:auth:bad_creds', detail);
}
