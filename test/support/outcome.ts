import { expect } from 'vitest';
import { senderRegistry, senders } from '../../functions/adapters/senders/registry.ts';
import { verifySignature } from '../../functions/adapters/senders/signatures/verifier.ts';
import { accept, type HookRequest } from '../../functions/api-deploy/accept.ts';
import { DeployError } from '../../functions/core/errors.ts';
import type { SignedCall } from '../../functions/core/ports/sender.ts';
import { memoryClock } from '../fakes/clock.ts';
import { memoryLog } from '../fakes/deploy-log.ts';
import { memoryQueue } from '../fakes/job-queue.ts';
import { AT } from './entries.ts';

const registry = senderRegistry(senders);
const secrets = { '*': { github: ['s'], gitlab: ['s'], travis: ['no key'], drone: ['s'], buildkite: ['s'] } };

/**
 * What becomes of a call with the real senders and signatures: `stored`, or the refusal's code. Throws for anything
 * else.
 */
export async function outcome(raw: Uint8Array, headers: HookRequest['headers'], signed = false): Promise<string> {
  const log = memoryLog();
  const ports = {
    log,
    facts: log,
    queue: memoryQueue(),
    clock: memoryClock(AT),
    recognise: registry.recognise,
    hostName: () => 'memory',
    hostNames: ['memory'],
    hookSecrets: async () => (signed ? secrets : {}),
    verify: async (signed: SignedCall) => verifySignature(registry.signatureOf(signed.sender), signed),
    defaultBranch: 'main',
    trace: () => {},
  };
  const hook = { user: 'ann', uuid: '00000000-0000-4000-8000-000000000001', base: 'https://hooks.example.com', at: AT };
  try {
    await accept({ ...hook, headers, query: {}, raw }, ports);
    return 'stored';
  } catch (error) {
    if (!(error instanceof DeployError)) throw error;
    expect(error.status).toBeLessThan(500);
    return error.code;
  }
}
