import { DeployError } from '../core/errors.ts';
import type { DeliveredRepository, Delivery } from '../core/payload/delivery.ts';
import type { HookCall, Sender, SignatureCheck, SignedCall } from '../core/ports/sender.ts';

/**
 * The secrets that webhooks are signed with: by `<user>/<owner>/<repository>`, `<user>` or `*`, then by the sender of
 * the webhook. All secrets of a list are valid, so that one can replace another.
 */
export type HookSecrets = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** The ports that checking a signature needs. */
export interface SignaturePorts {
  /** Returns the secrets that are configured now. */
  readonly hookSecrets: () => Promise<HookSecrets>;
  /** Checks the signature of a call. Throws `mw:auth:auth_server_down` when the key cannot be fetched. */
  readonly verify: (signed: SignedCall) => Promise<SignatureCheck>;
}

/** A call after its login: the sender that made it, and its time in milliseconds since 1970. */
export interface ReceivedCall {
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

/**
 * Refuses a call that is not signed with a secret configured for its webhook; without such a secret no signature is
 * required. Throws `deploy:auth:bad_creds`, or `mw:auth:auth_server_down` when the key cannot be fetched.
 */
export async function requireSignature(
  deliveries: readonly Delivery[],
  received: ReceivedCall,
  { hookSecrets, verify }: SignaturePorts,
): Promise<void> {
  const { sender, call, at: now } = received;
  const configured = await hookSecrets();
  for (const { repository } of deliveries) {
    const secrets = secretsFor(repository, received, configured);
    if (secrets === null) continue;
    const check = await verify({ sender: sender.id, call, secrets, now });
    if (check !== 'valid') throw refusal(sender, problems[check]);
  }
}

/** Returns the secrets of the narrowest scope that has any for the webhook; null when none has. */
function secretsFor(
  repository: DeliveredRepository | null,
  { user, sender: { webhook } }: ReceivedCall,
  configured: HookSecrets,
): readonly string[] | null {
  const name = repository && `${repository.owner}/${repository.name}`.toLowerCase();
  const ofRepository = Object.keys(configured).filter((scope) => name !== null && isScopeOf(scope, user, name));
  const scopes = [...ofRepository, user, '*'].map((scope) =>
    Object.hasOwn(configured, scope) ? configured[scope] : undefined,
  );
  const scope = scopes.find((secrets) => secrets && Object.hasOwn(secrets, webhook));
  return scope?.[webhook] ?? null;
}

function isScopeOf(scope: string, user: string, name: string): boolean {
  return scope.startsWith(`${user}/`) && scope.slice(user.length + 1).toLowerCase() === name;
}

function refusal({ name }: Sender, problem: string): DeployError {
  const detail = `The signature of this call from ${name} ${problem}; a secret is configured for its webhook. Give the webhook the same one.`;
  return new DeployError('deploy:auth:bad_creds', detail);
}
