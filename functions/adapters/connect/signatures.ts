import type { SignaturePorts } from '../../api-deploy/signature.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { publishedKeys } from '../senders/signatures/published-keys.ts';
import { verifyWithPublished } from '../senders/signatures/verify-published.ts';
import { travisKey } from '../senders/travis/signature.ts';
import { systemClock } from '../system/system.ts';

/** What tells whether a call is signed with a secret, or with the key at the address that stands in the secret's place. */
export function connectSignatures(clock: Pick<Clock, 'now'> = systemClock): SignaturePorts['verify'] {
  return verifyWithPublished(publishedKeys(fetchTravisKey, clock));
}

/** The client is loaded only by who has such an address to call. */
async function fetchTravisKey(address: string): Promise<string> {
  const { textAt } = await import('../hosts/text-at.ts');
  return travisKey(await textAt(address));
}
