import type { SignatureCheck, SignedCall } from '../../../core/ports/sender.ts';
import type { SignatureScheme } from './scheme.ts';

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
