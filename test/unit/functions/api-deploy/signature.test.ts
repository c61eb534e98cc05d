import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifySignature } from '../../../../functions/adapters/senders/signatures/verifier.ts';
import { type HookSecrets, requireSignature } from '../../../../functions/api-deploy/signature.ts';
import type { Delivery } from '../../../../functions/core/payload/delivery.ts';
import type { SignedCall } from '../../../../functions/core/ports/sender.ts';
import { AT } from '../../../support/entries.ts';
import { build, notice, push } from '../../../support/senders/deliveries.ts';
import { registry } from '../../../support/senders/sender-call.ts';

const raw = new TextEncoder().encode('{"ref": "refs/heads/master"}');
const signed = (secret: string) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`,
});

function check(configured: HookSecrets, headers: Record<string, string>, delivery: Delivery = push()) {
  const call = { headers, query: {}, body: {}, raw };
  const sender = registry.find(delivery.provider);
  if (sender === null) throw new Error(`There is no sender ${delivery.provider}.`);
  const verify = async (given: SignedCall) => verifySignature(registry.signatureOf(given.sender), given);
  return requireSignature(
    [delivery],
    { sender, call, user: 'ann', at: AT },
    { hookSecrets: async () => configured, verify },
  );
}

describe('a call', () => {
  it('needs no signature when no secret is configured for its sender', async () => {
    await expect(check({}, {})).resolves.toBeUndefined();
    await expect(check({ ann: { gitlab: ['s'] }, bob: { github: ['s'] } }, {})).resolves.toBeUndefined();
  });

  it.each(['*', 'ann', 'ann/ann/shop', 'ann/Ann/Shop'])('needs the secret configured for %s', async (scope) => {
    const configured = { [scope]: { github: ['one'] } };
    await expect(check(configured, signed('one'))).resolves.toBeUndefined();
    const refused = { code: 'deploy:auth:bad_creds', status: 401 };
    await expect(check(configured, {})).rejects.toMatchObject({
      ...refused,
      detail: expect.stringContaining('is missing'),
    });
    await expect(check(configured, signed('two'))).rejects.toMatchObject({
      ...refused,
      detail: expect.stringContaining('does not match'),
    });
  });

  it('needs the secret of its repository with the ending .git too', async () => {
    const named = push({ repository: { hostname: null, owner: 'ann', name: 'shop.git', url: null, private: false } });
    await expect(check({ 'ann/ann/shop': { github: ['one'] } }, {}, named)).rejects.toMatchObject({ status: 401 });
  });

  it('may be signed with either of two secrets while one replaces the other', async () => {
    const configured = { ann: { github: ['new', 'old'] } };
    await expect(check(configured, signed('old'))).resolves.toBeUndefined();
    await expect(check(configured, signed('new'))).resolves.toBeUndefined();
  });

  it('needs the secret of its repository before that of its user or of all', async () => {
    const configured = { '*': { github: ['all'] }, ann: { github: ['hers'] }, 'ann/ann/shop': { github: ['own'] } };
    await expect(check(configured, signed('own'))).resolves.toBeUndefined();
    await expect(check(configured, signed('hers'))).rejects.toThrow();
    await expect(check(configured, signed('hers'), notice({ repository: null }))).resolves.toBeUndefined();
  });

  it('cannot get around the secret as another event of the same webhook', async () => {
    const configured = { ann: { github: ['one'] } };
    for (const provider of ['github-actions', 'github-checks', 'github-status']) {
      await expect(check(configured, {}, build({ provider }))).rejects.toMatchObject({ status: 401 });
      await expect(check(configured, signed('one'), build({ provider }))).resolves.toBeUndefined();
    }
  });

  it.each(['gitea', 'forgejo'])('cannot get around the secret of %s as one of its Actions', async (host) => {
    const configured = { ann: { [host]: ['one'] } };
    const delivery = build({ provider: `${host}-actions` });
    const signature = createHmac('sha256', 'one').update(raw).digest('hex');
    await expect(check(configured, {}, delivery)).rejects.toMatchObject({ status: 401 });
    await expect(check(configured, { [`x-${host}-signature`]: signature }, delivery)).resolves.toBeUndefined();
  });

  it('is refused when a secret is configured for a sender that cannot sign, or an empty list of them', async () => {
    await expect(check({ ann: { ci: ['one'] } }, {}, build({ provider: 'ci' }))).rejects.toMatchObject({
      detail: expect.stringContaining('cannot be made by this sender'),
    });
    await expect(check({ ann: { github: [] } }, signed('one'))).rejects.toMatchObject({ status: 401 });
  });

  it('cannot get around the secret of its repository host as a sender that has none', async () => {
    const detail = expect.stringMatching(/no secret is configured for .+"unsigned" if it cannot sign/);
    for (const scope of ['*', 'ann', 'ann/ann/shop']) {
      const configured = { [scope]: { github: ['one'] } };
      for (const provider of ['ci', 'travis', 'circleci']) {
        const refused = check(configured, {}, build({ provider, hostKind: 'github' }));
        await expect(refused, provider).rejects.toMatchObject({ code: 'deploy:auth:bad_creds', status: 401, detail });
        await expect(check(configured, {}, build({ provider, hostKind: 'any' }))).rejects.toMatchObject({ detail });
      }
    }
    const forgejo = push({ provider: 'forgejo', hostKind: 'gitea' });
    await expect(check({ ann: { gitea: ['one'] } }, {}, forgejo)).rejects.toMatchObject({ detail });
  });

  it('needs no signature for the repository of another host, of another user or for a notice', async () => {
    const configured = { ann: { github: ['one'] }, 'ann/ann/other': { gitlab: ['two'] } };
    const ofGitlab = build({ provider: 'ci', hostKind: 'gitlab' });
    await expect(check(configured, {}, ofGitlab)).resolves.toBeUndefined();
    await expect(check(configured, {}, push({ provider: 'gitlab', hostKind: 'gitlab' }))).resolves.toBeUndefined();
    await expect(check(configured, {}, notice({ provider: 'ci' }))).resolves.toBeUndefined();
    await expect(check({ bob: { github: ['one'] } }, {}, build({ provider: 'ci' }))).resolves.toBeUndefined();
  });

  it('is accepted without a signature when its sender is named with "unsigned", also beside a secret', async () => {
    const unsigned = build({ provider: 'ci', hostKind: 'github' });
    const configured = { ann: { github: ['one'], ci: ['unsigned'] } };
    await expect(check(configured, {}, unsigned)).resolves.toBeUndefined();
    await expect(check(configured, {})).rejects.toMatchObject({ status: 401 });
    const replaced = { ann: { github: ['one', 'unsigned'] } };
    await expect(check(replaced, {})).resolves.toBeUndefined();
    await expect(check(replaced, signed('one'))).resolves.toBeUndefined();
    await expect(check(replaced, signed('two'))).rejects.toMatchObject({ status: 401 });
    await expect(check(replaced, signed('unsigned'))).rejects.toMatchObject({ status: 401 });
    await expect(check(replaced, {}, unsigned)).resolves.toBeUndefined();
  });
});
