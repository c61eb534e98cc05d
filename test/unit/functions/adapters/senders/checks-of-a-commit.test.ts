import { describe, expect, it } from 'vitest';
import { senderRegistry, senders } from '../../../../../functions/adapters/senders/registry.ts';
import { decisionOf } from '../../../../../functions/api-deploy/decision.ts';
import { checkKey } from '../../../../../functions/core/hold/checks.ts';
import { fixture } from '../../../../support/senders/sender-call.ts';

type Body = Readonly<Record<string, unknown>>;
const registry = senderRegistry(senders);

/** Returns a fixture with fields of its body changed, by their paths. */
function call(name: string, changes: Readonly<Record<string, unknown>>) {
  const hook = fixture(name);
  const body = structuredClone(hook.body) as Body;
  for (const [path, value] of Object.entries(changes)) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    const parent = keys.reduce<Record<string, unknown>>((at, key) => at[key] as Record<string, unknown>, body);
    parent[last] = value;
  }
  return { ...hook, body };
}

/** Returns the result that a call reports for a commit of the branch main. */
function resultOf(name: string, changes: Readonly<Record<string, unknown>>) {
  const hook = call(name, changes);
  const [delivery] = registry.recognise(hook).read(hook);
  const result = delivery && decisionOf(delivery, 'main').checkResult;
  if (!result) throw new Error(`${name} reports no result of main.`);
  return result;
}

describe('two checks of one name', () => {
  it.each([
    ['github-actions/success', { 'workflow_run.workflow_id': 1 }, { 'workflow_run.workflow_id': 2 }],
    [
      'github-actions/success',
      { 'workflow_run.workflow_id': undefined, 'workflow_run.path': '.github/workflows/a.yml' },
      { 'workflow_run.workflow_id': undefined, 'workflow_run.path': '.github/workflows/b.yml' },
    ],
    [
      'gitea-actions/success',
      { 'workflow_run.path': 'a.yml@refs/heads/main' },
      { 'workflow_run.path': 'b.yml@refs/heads/main' },
    ],
    ['github-checks/success', { 'check_suite.app.slug': 'one' }, { 'check_suite.app.slug': 'two' }],
    ['circleci/success', { 'project.id': 'one' }, { 'project.id': 'two' }],
    ['circleci/success', { 'workflow.name': 'test' }, { 'workflow.name': 'lint' }],
    ['bitbucket-pipelines/successful', { 'commit_status.key': 'one' }, { 'commit_status.key': 'two' }],
    ['github-status/success', { context: 'one' }, { context: 'two' }],
    ['forgejo-actions/success', { 'run.workflow_id': 'a.yml' }, { 'run.workflow_id': 'b.yml' }],
  ])('are told apart in %s by %j and %j', (name, one, other) => {
    expect(checkKey(resultOf(name, one))).not.toBe(checkKey(resultOf(name, other)));
    expect(checkKey(resultOf(name, one))).toBe(checkKey(resultOf(name, one)));
  });
});

describe('a later run of a check', () => {
  it.each([
    ['github-actions/success', { 'workflow_run.run_attempt': 1 }, { 'workflow_run.run_attempt': 2 }],
    [
      'github-actions/success',
      { 'workflow_run.run_number': 56, 'workflow_run.run_attempt': 3 },
      { 'workflow_run.run_number': 57, 'workflow_run.run_attempt': 1 },
    ],
    ['gitea-actions/success', { 'workflow_run.run_number': 57 }, { 'workflow_run.run_number': 58 }],
    [
      'github-checks/success',
      { 'check_suite.updated_at': '2024-01-10T09:12:30Z' },
      { 'check_suite.updated_at': '2024-01-10T09:12:31Z' },
    ],
    ['github-status/success', { id: 1 }, { id: 2 }],
    [
      'gitlab-ci/success',
      { 'object_attributes.finished_at': '2024-01-10 09:12:30 UTC' },
      { 'object_attributes.finished_at': '2024-01-10 09:12:31 UTC' },
    ],
    [
      'bitbucket-pipelines/successful',
      { 'commit_status.updated_on': '2024-01-10T09:12:30+00:00' },
      { 'commit_status.updated_on': '2024-01-10T09:12:30.5+00:00' },
    ],
    [
      'circleci/success',
      { 'workflow.stopped_at': '2024-01-10T09:12:30.000Z' },
      { 'workflow.stopped_at': '2024-01-10T09:12:31.000Z' },
    ],
    ['travis/passed', { finished_at: '2024-01-10T09:12:30Z' }, { finished_at: '2024-01-10T09:12:31Z' }],
    ['forgejo-actions/success', { 'run.stopped': '2024-01-10T09:12:30Z' }, { 'run.stopped': '2024-01-10T09:12:31Z' }],
  ])('of %s is known by %j and %j', (name, earlier, later) => {
    const [one, other] = [resultOf(name, earlier), resultOf(name, later)];
    expect(checkKey(one)).toBe(checkKey(other));
    expect(other.run).toBeGreaterThan(one.run ?? Number.POSITIVE_INFINITY);
  });
});
