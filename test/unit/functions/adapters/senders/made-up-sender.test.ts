import { createHmac } from 'node:crypto';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { ciConfigsOf } from '../../../../../functions/adapters/senders/ci-config/ci-configs.ts';
import { field } from '../../../../../functions/adapters/senders/ci-config/settings.ts';
import { defineSender } from '../../../../../functions/adapters/senders/define-sender.ts';
import { readBody } from '../../../../../functions/adapters/senders/fields/read.ts';
import { senderRegistry, senders } from '../../../../../functions/adapters/senders/registry.ts';
import { hmacHeader } from '../../../../../functions/adapters/senders/signatures/scheme.ts';
import { signatureVerifier } from '../../../../../functions/adapters/senders/signatures/verifier.ts';
import { requireSignature } from '../../../../../functions/api-deploy/signature.ts';
import { hookCommand } from '../../../../../lib/cli/hook/hook.ts';
import { holdTable, senderTable } from '../../../../support/documents/sender-docs.ts';
import { runInProcess } from '../../../../support/run-program.ts';
import { call } from '../../../../support/senders/sender-call.ts';

/** All that there is to write for a new sender, apart from its fixtures and its line in the registry. */
const acme = defineSender({
  id: 'acme-ci',
  name: 'Acme CI',
  sends: 'builds',
  header: 'X-Acme-Event',
  events: ['build.*'],
  requiredFields: ['acme.commit'],
  signature: hmacHeader('v0=', 'x-acme-signature'),
  configFile: {
    path: '.acme.yml',
    decide: (config) => (field(config, 'webhook') ? { hold: true, waitsFor: 'Acme CI' } : { hold: false, note: null }),
  },
  setup: ({ url }) => ({ where: 'Acme → Webhooks', settings: [['Endpoint', url]], secretSetting: 'Signing key' }),
  read: ({ body }) => {
    const { acme: build } = readBody(v.object({ acme: v.object({ commit: v.string() }) }), body, 'a build of Acme CI');
    return [
      {
        kind: 'build',
        hostKind: 'any',
        id: null,
        repository: { hostname: 'github.com', owner: 'ann', name: 'shop', url: null, private: false },
        sha: build.commit,
        branch: 'main',
        check: 'Acme CI',
        outcome: 'passed',
        state: 'green',
        pullRequest: false,
        message: null,
        author: null,
        skip: null,
        url: null,
      },
    ];
  },
});
const list = [...senders, acme];
const registry = senderRegistry(list);
const passed = call({ acme: { commit: 'a'.repeat(40) } }, { 'x-acme-event': 'build.passed' });

describe('a sender added with one file and one line', () => {
  it('is recognised by its header, or else by its body, and is the provider of its deliveries', () => {
    for (const hook of [passed, { ...passed, headers: {} }]) {
      expect(registry.recognise(hook)).toBe(acme);
      expect(registry.recognise(hook).read(hook)).toMatchObject([{ provider: 'acme-ci', outcome: 'passed' }]);
    }
    expect(() => registry.recognise({ ...passed, headers: { 'x-acme-event': 'user.created' } })).toThrow();
    expect(() => senderRegistry(senders).recognise(passed)).toThrow();
  });

  it('is named in the error for an unknown call', () => {
    expect(() => registry.recognise(call({}))).toThrow(/It is like no call of .*, CircleCI, .*, Acme CI\./);
  });

  it('has its signatures verified with the secrets of its webhook', async () => {
    const source = { fetchText: () => Promise.reject(new Error('not called')), clock: { now: () => 0 } };
    const ports = {
      hookSecrets: async () => ({ ann: { 'acme-ci': ['key'] } }),
      verify: signatureVerifier(registry.signatureOf, source),
    };
    const check = (headers: Readonly<Record<string, string>>) => {
      const received = { sender: acme, call: { ...passed, headers }, user: 'ann', at: 0 };
      return requireSignature(acme.read(passed), received, ports);
    };
    const signature = `v0=${createHmac('sha256', 'key').update(passed.raw).digest('hex')}`;
    await expect(check({ 'x-acme-signature': signature })).resolves.toBeUndefined();
    await expect(check({ 'x-acme-signature': `${signature}0` })).rejects.toThrow('from Acme CI does not match');
    await expect(check({})).rejects.toThrow('from Acme CI is missing');
  });

  it('holds a push by its configuration file', () => {
    const config = ciConfigsOf(list).find(({ path }) => path === '.acme.yml');
    expect(config).toMatchObject({ provider: 'acme-ci' });
    expect(config?.decide('webhook: https://deploy.example.com')).toEqual({ hold: true, waitsFor: 'Acme CI' });
    expect(config?.decide('')).toEqual({ hold: false, note: null });
    expect(() => config?.decide('- a list with a webhook')).toThrow('.acme.yml cannot be read');
  });

  it('is listed and printed by hooks hook', async () => {
    const hook = hookCommand(registry);
    const run = (args: string) =>
      runInProcess(`hook ${args}`, {
        env: { HOOKS_URL: 'https://deploy.example.com' },
        groups: [{ title: 'All', commands: [hook] }],
      });
    const { out } = await run('acme-ci ann/shop');
    expect(out).toMatch(/Acme → Webhooks\n\n +Endpoint +https:\/\/<user>:<token>@deploy\.example\.com/);
    expect(out).toContain('"acme-ci" in hookSecrets');
    expect((await run('')).err).toContain('acme-ci');
    expect((await run('svn ann/shop')).err).toContain('acme-ci');
  });

  it('has its rows in the README', () => {
    expect(senderTable(list)).toContain('Acme CI (`acme-ci`) | fixtures | read, signed |');
    expect(holdTable(list)).toContain('Acme CI (`.acme.yml`) | when this file has a webhook in it |');
  });
});
