import type { SignatureCheck, SignedCall } from '../../../core/ports/sender.ts';
import type { Clock } from '../../../core/ports/system.ts';
import { type PublishedKeys, publishedKeys } from './published-keys.ts';
import type { SignatureScheme } from './scheme.ts';

interface KeySource {
  /** Returns the response at an address. Throws an Error whose message says in a few words what is wrong. */
  fetchText(address: string): Promise<string>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Returns a function that checks signatures, also of senders that publish their key: in place of a secret, the address
 * is configured at which the sender's API responds with it (`https://api.travis-ci.com/config`). The address is
 * requested only for a call that is signed and matches no other secret. The function throws
 * `mw:auth:auth_server_down` when the key cannot be fetched: such a call is refused.
 */
export function signatureVerifier(
  schemeOf: (sender: string) => SignatureScheme | null,
  source: KeySource,
): (signed: SignedCall) => Promise<SignatureCheck> {
  const caches = new Map<string, PublishedKeys>();
  return async ({ sender, ...signed }) => {
    const scheme = schemeOf(sender);
    const readKey = scheme?.publishedKey;
    const addresses = readKey ? signed.secrets.filter(isKeyAddress) : [];
    const secrets = signed.secrets.filter((secret) => !addresses.includes(secret));
    const check = verifySignature(scheme, { ...signed, secrets });
    if (check !== 'invalid' || readKey === undefined || addresses.length === 0) return check;
    const keys = caches.get(sender) ?? publishedKeys(async (at) => readKey(await source.fetchText(at)), source.clock);
    caches.set(sender, keys);
    const matches = (key: string) => verifySignature(scheme, { ...signed, secrets: [key] }) === 'valid';
    return anyMatches(addresses, keys, matches);
  };
}

async function anyMatches(
  addresses: readonly string[],
  keys: PublishedKeys,
  matches: (key: string) => boolean,
): Promise<SignatureCheck> {
  const results = await Promise.allSettled(
    addresses.map(async (address) => matches(await keys.at(address)) || matches(await keys.renewed(address))),
  );
  if (results.some((result) => result.status === 'fulfilled' && result.value)) return 'valid';
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return 'invalid';
}

/** Whether a secret is an address to fetch a key from: over https, or on this machine. */
function isKeyAddress(secret: string): boolean {
  if (!URL.canParse(secret)) return false;
  const { protocol, hostname } = new URL(secret);
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname));
}

/** Checks the signature of a call by the sender's scheme; null: the sender cannot sign. Never throws. */
export function verifySignature(
  scheme: SignatureScheme | null,
  { call, secrets, now }: Omit<SignedCall, 'sender'>,
): SignatureCheck {
  if (scheme === null) return 'unsupported';
  if (!scheme.isSigned(call.headers)) return 'missing';
  // Every secret is tried, so that the time taken does not reveal which one matches.
  const matching = secrets.filter((secret) => secret !== '' && scheme.isValid(call, secret, now));
  return matching.length > 0 ? 'valid' : 'invalid';
}
