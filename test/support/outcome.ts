import { expect } from 'vitest';
import { senderRegistry, senders } from '../../functions/adapters/senders/registry.ts';
import { verifySignature } from '../../functions/adapters/senders/signatures/verifier.ts';
import { accept, type HookRequest } from '../../functions/api-deploy/accept.ts';
import { once } from '../../functions/core/concurrency.ts';
import { DeployError } from '../../functions/core/errors.ts';
import type { Delivery } from '../../functions/core/payload/delivery.ts';
import type { HookCall, SignedCall } from '../../functions/core/ports/sender.ts';
import { memoryClock } from '../fakes/clock.ts';
import { memoryLog } from '../fakes/deploy-log.ts';
import { memoryQueue } from '../fakes/job-queue.ts';
import { AT } from './entries.ts';

const registry = senderRegistry(senders);
const secrets = { '*': { github: ['s'], gitlab: ['s'], travis: ['no key'] } };

/** The sender of a call, whose deliveries are looked at. */
function recognise(call: HookCall) {
  const sender = registry.recognise(call);
  const read = (hook: HookCall) => {
    const deliveries = sender.read(hook);
    for (const delivery of deliveries) expectValid(delivery);
    return deliveries;
  };
  return { ...sender, read };
}

/** No sender may say what a later stage cannot take: an id, a branch or a name that is none, or text that commands. */
function expectValid(delivery: Delivery): void {
  const { sha, branch } = { sha: null, branch: null, ...delivery };
  if (sha !== null) expect(sha).toMatch(/^(?:[\da-f]{40}|[\da-f]{64})$/);
  if (branch !== null) expect(branch).not.toMatch(/\s|\.\.|\p{Cc}/u);
  const { owner, name } = delivery.repository ?? { owner: 'x', name: 'x' };
  // Only GitLab's groups nest.
  const owners = 'provider' in delivery && delivery.provider.startsWith('gitlab') ? owner.split('/') : [owner];
  for (const segment of [...owners, name]) {
    expect(segment).toMatch(/^[\w.-]{1,100}$/);
    expect(segment).not.toMatch(/^\.{1,2}$/);
  }
  expect(JSON.stringify(delivery)).not.toMatch(/\\u00|\\u202[a-e]|\\n/);
}

/** One for all calls, each of which has a user of its own. */
const log = once(memoryLog);
let users = 0;

/**
 * What becomes of a call with the real senders and signatures: `stored`, or the refusal's code. Throws for anything
 * else.
 */
export async function outcome(raw: Uint8Array, headers: HookRequest['headers'], signed = false): Promise<string> {
  users += 1;
  const ports = {
    log: log(),
    facts: log(),
    queue: memoryQueue(),
    clock: memoryClock(AT),
    recognise,
    hostName: () => 'memory',
    hostNames: ['memory'],
    hookSecrets: async () => (signed ? secrets : {}),
    verify: async (signed: SignedCall) => verifySignature(registry.signatureOf(signed.sender), signed),
    defaultBranch: 'main',
    trace: () => {},
  };
  const hook = {
    user: `ann-${users}`,
    uuid: '00000000-0000-4000-8000-000000000001',
    base: 'https://hooks.example.com',
    at: AT,
  };
  try {
    await accept({ ...hook, headers, query: {}, raw }, ports);
    return 'stored';
  } catch (error) {
    if (!(error instanceof DeployError)) throw error;
    expect(error.status).toBeLessThan(500);
    return error.code;
  }
}
