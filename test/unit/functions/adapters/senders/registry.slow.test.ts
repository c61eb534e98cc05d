import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ciConfigsOf, configFiles } from '../../../../../functions/adapters/senders/ci-config/ci-configs.ts';
import { matchingSenders } from '../../../../../functions/adapters/senders/recognition.ts';
import { senderRegistry, senders } from '../../../../../functions/adapters/senders/registry.ts';
import { travis } from '../../../../../functions/adapters/senders/travis/travis.ts';
import { DeployError } from '../../../../../functions/core/errors.ts';
import type { HookCall } from '../../../../../functions/core/ports/sender.ts';
import { call, fixture, fixtures, recognise, registry } from '../../../../support/senders/sender-call.ts';

function refusal(hook: HookCall): DeployError {
  try {
    recognise(hook).read(hook);
  } catch (error) {
    if (error instanceof DeployError) return error;
    throw error;
  }
  throw new Error('the call was accepted');
}

describe('the registry of senders', () => {
  const folder = fileURLToPath(new URL('../../../../../functions/adapters/senders/', import.meta.url));
  const files = readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((file) => / = defineSender\(/.test(readFileSync(join(folder, file), 'utf8')));

  it('contains the sender of every file that defines one, named after its id', async () => {
    const modules = await Promise.all(files.map((file) => import(`../../../../../functions/adapters/senders/${file}`)));
    // Beside a sender its signature may be exported.
    const exported = modules.flatMap((module: Record<string, object>) =>
      Object.values(module).filter((one) => 'sends' in one),
    );
    expect(new Set(exported)).toEqual(new Set(senders));
    expect(senders.map(({ id }) => id).sort()).toEqual(files.map((file) => basename(file, '.ts')).sort());
  });

  it('has fixtures for every sender', () => {
    const callers = fixtures().map(({ sender }) => sender);
    expect(callers.sort()).toEqual(senders.map(({ id }) => id).sort());
  });

  it('rejects two senders with the same id', () => {
    expect(() => senderRegistry([...senders, travis])).toThrow('same id');
  });

  it('names only senders of the registry as the owner of a webhook', () => {
    for (const { webhook } of senders) expect(registry.find(webhook)?.webhook).toBe(webhook);
  });

  it('has one sender per CI configuration file', () => {
    const paths = ciConfigsOf(senders).map(({ path }) => path);
    expect(paths).not.toHaveLength(0);
    expect(new Set(paths).size).toBe(paths.length);
  });

  it('has the list of configuration files that the stages load without what reads the calls', () => {
    const ofSenders = senders.flatMap(({ id, configFile }) => (configFile === null ? [] : [{ id, configFile }]));
    expect(configFiles).toEqual(ofSenders);
    const events = readFileSync(join(folder, '../../aws/events.ts'), 'utf8');
    expect(events.match(/senders\/[\w/-]+\.ts/g)).toEqual(['senders/ci-config/ci-configs.ts']);
  });

  for (const { sender, names } of fixtures()) {
    for (const name of names) {
      it(`recognises ${name} as a call of ${sender} and of no other`, () => {
        const hook = fixture(name);
        const [recognised, ...others] = matchingSenders(senders, hook);
        expect([recognised?.id, ...others]).toEqual([sender]);
        expect(recognise(hook)).toBe(recognised);
        expect(recognised?.read(hook)).not.toHaveLength(0);
      });
    }
  }
});

describe('the headers of a call', () => {
  it('take precedence over the body, which can look like that of another sender', () => {
    const hook = { ...fixture('gitlab/push'), headers: { 'x-github-event': 'push' } };
    expect(recognise(hook).name).toBe('GitHub');
  });

  it('identify the sender, whatever the event and the body', () => {
    const headers = new Set(senders.flatMap(({ header }) => (header ? [header.toLowerCase()] : [])));
    expect(headers.size).toBe(7);
    for (const header of headers) {
      const hook = call({ object_kind: 'pipeline', commit_status: {} }, { [header]: 'anything' });
      expect(matchingSenders(senders, hook), header).toHaveLength(1);
    }
  });
});

describe('a call that no sender recognises', () => {
  it('is rejected with the names of all senders, in a sentence that a person reads', () => {
    const error = refusal(call({ hello: 'world' }));
    expect(error).toMatchObject({ code: 'deploy:provider:not_supported', status: 400, retry: false });
    for (const { name } of senders) expect(error.detail).toContain(name.replace(/,.*/, ''));
    expect(error.detail.length).toBeLessThan(700);
  });

  it('is rejected with the missing fields when it is similar to one of a sender', () => {
    const pushed = refusal(call({ ref: 'refs/heads/main', repository: { name: 'r', owner: { name: 'o' } } }));
    expect(pushed.detail).toMatch(/like one of GitHub, without headers, but lacks after\./);
    const built = refusal(call({ id: 1, repository: { owner_name: 'o', name: 'r' } }));
    expect(built.detail).toMatch(/like one of Travis CI, but lacks commit\./);
  });

  it('is never quoted in the error', () => {
    const answer = (hook: HookCall): string => {
      try {
        return JSON.stringify(recognise(hook).read(hook));
      } catch (error) {
        return String(error);
      }
    };
    for (const body of [
      { s3cret: 's3cret' },
      { ref: 's3cret', after: 's3cret', repository: { name: 's3cret', owner: 's3cret' } },
      {
        object_kind: 'push',
        type: 'workflow-completed',
        event: 's3cret',
        build: { state: 's3cret', number: 's3cret' },
      },
    ]) {
      for (const headers of [
        {},
        { 'x-github-event': 'push' },
        { 'x-github-event': 's3cret!' },
        { 'x-gitea-event': 'push' },
        { 'x-gitlab-event': 'Push Hook' },
        { 'x-event-key': 'repo:push' },
        { 'circleci-event-type': 'workflow-completed' },
      ]) {
        expect(answer(call(body, headers))).not.toContain('s3cret');
      }
    }
  });
});
