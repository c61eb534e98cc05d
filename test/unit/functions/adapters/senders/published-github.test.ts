import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../../../functions/core/payload/delivery.ts';
import { readPayload } from '../../../../../functions/core/payload/payload.ts';
import { outcome } from '../../../../support/outcome.ts';
import { recognise } from '../../../../support/senders/sender-call.ts';

// Payloads of GitHub.com and of an early and a late version of GitHub Enterprise Server, contributed by their users and published
// under the MIT licence at https://github.com/octokit/webhooks: layouts that this project did not write itself.
const collections = ['api.github.com', 'ghes-31', 'ghes-35'] as const;
const require = createRequire(import.meta.url);

interface Event {
  readonly name: string;
  readonly examples: readonly Readonly<Record<string, unknown>>[];
}

function eventsOf(collection: (typeof collections)[number]): readonly Event[] {
  return JSON.parse(readFileSync(require.resolve(`@octokit/webhooks-examples/${collection}/index.json`), 'utf8'));
}

/** The call as GitHub makes it: the bytes of the example, as JSON or in a form. */
function deliver(name: string, example: unknown, form = false): { sender: string; said: readonly Delivery[] } {
  const json = JSON.stringify(example);
  const raw = new TextEncoder().encode(form ? `payload=${encodeURIComponent(json)}` : json);
  const headers = { 'x-github-event': name, 'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958' };
  const call = { headers, query: {}, raw, body: readPayload(raw, undefined).body };
  const sender = recognise(call);
  return { sender: sender.name, said: sender.read(call) };
}

/** What the examples of an event on GitHub.com say, in their order. */
function said(name: string): readonly (readonly Delivery[])[] {
  const examples = eventsOf('api.github.com').find((event) => event.name === name)?.examples ?? [];
  return examples.map((example) => deliver(name, example).said);
}

const senders = new Map([
  ['workflow_run', 'GitHub Actions'],
  ['check_suite', 'GitHub checks'],
  ['check_run', 'GitHub checks'],
  ['status', 'GitHub statuses'],
]);
const kinds = new Map([
  ['push', ['push']],
  ['workflow_run', ['build']],
  ['check_suite', ['build', 'notice']],
  ['status', ['build']],
]);

describe.each(collections)('each published example of %s', (collection) => {
  const examples = eventsOf(collection).flatMap(({ name, examples }) =>
    examples.map((example, at) => ({ name, at, example })),
  );

  it('is recognised and read as the kind of its event, as JSON and as a form', () => {
    expect(examples.length).toBeGreaterThanOrEqual(49);
    for (const { name, at, example } of examples) {
      const plain = deliver(name, example);
      expect(plain.sender, `${name} ${at}`).toBe(senders.get(name) ?? 'GitHub');
      expect(plain.said, `${name} ${at}`).not.toHaveLength(0);
      for (const { kind } of plain.said) expect(kinds.get(name) ?? ['notice'], `${name} ${at}`).toContain(kind);
      expect(deliver(name, example, true), `${name} ${at}`).toEqual(plain);
    }
  });

  it('is accepted by the webhook without an error', async () => {
    for (const { name, at, example } of examples) {
      const raw = new TextEncoder().encode(JSON.stringify(example));
      expect(await outcome(raw, { 'x-github-event': name }), `${name} ${at}`).toBe('stored');
    }
  });

  it('is read with its repository', () => {
    for (const { name, at, example } of examples) {
      const { repository } = example;
      const about = { full_name: undefined, ...(typeof repository === 'object' ? repository : null) }.full_name;
      for (const { repository: read } of deliver(name, example).said) {
        expect(read && `${read.owner}/${read.name}`, `${name} ${at}`).toBe(about ?? null);
      }
    }
  });
});

describe('the published pushes of GitHub.com', () => {
  const repository = { hostname: 'github.com', owner: 'Codertocat', name: 'Hello-World', private: false };
  const sha = '6113728f27ae82c7b1a177c8d03f9e96e0adf246';

  it('are read with commit, branch and previous commit', () => {
    const created = {
      kind: 'push',
      repository,
      ref: 'refs/tags/simple-tag',
      branch: null,
      sha,
      before: null,
      forced: false,
      message: 'Adding a .gitignore file',
      author: 'Codertocat',
    };
    const deleted = { ...created, sha: null, before: sha, message: null };
    const branch = { ...created, ref: 'refs/heads/master', branch: 'master', message: 'Initial commit' };
    expect(said('push')).toMatchObject(
      [created, deleted, deleted, deleted, branch, branch, deleted].map((one) => [one]),
    );
  });
});

describe('the published pings of GitHub.com', () => {
  it('show whether the webhook sends pushes, and whether it sends CI results', () => {
    const works = { kind: 'notice', reason: expect.stringContaining('the webhook works'), bringsCi: true };
    const never = { kind: 'notice', reason: expect.stringContaining('will never deploy'), bringsCi: false };
    expect(said('ping')).toMatchObject([[works], [works], [works], [never]]);
  });
});

describe('the published CI results of GitHub.com', () => {
  it('of workflow runs release nothing: four were not triggered by a push, one is of a fork', () => {
    const fork = {
      branch: 'main',
      sha: '5779607b49aab1200488439f02372c57b4f75444',
      outcome: 'pending',
      pullRequest: true,
    };
    const other = { branch: 'master', sha: '3484a3fb816e0859fd6e1cea078d76385ff50625', outcome: 'neutral' };
    const states = ['queued', 'success', 'success', 'queued', 'action_required'];
    expect(said('workflow_run')).toMatchObject(
      states.map((state, at) => [{ ...(at === 0 ? fork : other), kind: 'build', state }]),
    );
  });

  it('of check suites are builds when another app has completed, and notices when they are of Actions or incomplete', () => {
    const passed = {
      kind: 'build',
      sha: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821',
      branch: 'changes',
      check: 'octocoders-linter',
      outcome: 'passed',
      pullRequest: false,
    };
    const actions = { kind: 'notice', reason: expect.stringContaining('is of GitHub Actions') };
    const open = { kind: 'notice', reason: 'The check suite has not completed.' };
    expect(said('check_suite')).toMatchObject(
      [passed, actions, passed, passed, open, open, open, open, open].map((one) => [one]),
    );
  });

  it('of statuses are a build for each branch that contains the commit', () => {
    const build = {
      kind: 'build',
      sha: '6113728f27ae82c7b1a177c8d03f9e96e0adf246',
      check: 'default',
      outcome: 'passed',
    };
    const on = (...branches: string[]) => branches.map((branch) => ({ ...build, branch }));
    const three = on('master', 'changes', 'gh-pages');
    expect(said('status')).toMatchObject([three, three, on('master'), three]);
  });

  it('of check runs are notices, because their suite has the same result', () => {
    for (const [one] of said('check_run')) expect(one).toMatchObject({ kind: 'notice', provider: 'github-checks' });
  });
});
