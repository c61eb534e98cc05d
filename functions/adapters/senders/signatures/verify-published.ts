import type { HookCall } from '../../../core/ports/sender.ts';
import type { PublishedKeys } from './published-keys.ts';
import { type Verdict, verifySignature } from './verify.ts';

/**
 * `verifySignature` where a secret of Travis CI may be the address at which its API shows the key
 * (`https://api.travis-ci.com/config`). The address is called only for a signature that is there and fits no key at hand.
 * Throws `mw:auth:auth_server_down` when what would tell cannot be reached: such a call is not let in.
 */
export function verifyWithPublished(keys: PublishedKeys) {
  return async (sender: string, call: HookCall, secrets: readonly string[], now: number): Promise<Verdict> => {
    const addresses = sender === 'travis' ? secrets.filter(isKeyAddress) : [];
    const given = secrets.filter((secret) => !addresses.includes(secret));
    const verdict = verifySignature(sender, call, given, now);
    if (verdict !== 'invalid' || addresses.length === 0) return verdict;
    const fits = (key: string) => verifySignature(sender, call, [key], now) === 'valid';
    const answers = await Promise.allSettled(
      addresses.map(async (address) => fits(await keys.at(address)) || fits(await keys.renewed(address))),
    );
    if (answers.some((answer) => answer.status === 'fulfilled' && answer.value)) return 'valid';
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed) throw failed.reason;
    return 'invalid';
  };
}

/** Whether a secret is an address to get the key from: over https, or on this machine. */
function isKeyAddress(secret: string): boolean {
  if (!URL.canParse(secret)) return false;
  const { protocol, hostname } = new URL(secret);
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname));
}
