import { describe, expect, it } from 'vitest';
import { travis } from '../../../../../functions/adapters/senders/travis/travis.ts';
import type { BuildResult } from '../../../../../functions/core/payload/delivery.ts';
import { bodyField, fixture } from '../../../../support/senders/sender-call.ts';

function read(name: string, changes: Readonly<Record<string, unknown>> = {}): BuildResult {
  const [delivery] = travis.read(fixture(`travis/${name}`, changes));
  if (delivery?.kind !== 'build') throw new Error('not a build');
  return delivery;
}

describe('a build of Travis CI', () => {
  it('in the format of 2012, without type, state, build_url and pull_request, passes by its status', () => {
    expect(read('2012-passed')).toMatchObject({
      outcome: 'passed',
      pullRequest: false,
      branch: 'master',
      repository: { hostname: 'github.com', owner: 'ada', name: 'hello-api', url: 'https://github.com/ada/hello-api' },
    });
    expect(read('2012-failed')).toMatchObject({ outcome: 'failed', state: 'Broken' });
    expect(read('2012-running')).toMatchObject({ outcome: 'pending' });
  });

  it('has the state of the build, not of the jobs in its matrix', () => {
    expect(read('fixed')).toMatchObject({ outcome: 'passed', state: 'Fixed' });
    for (const name of ['failed', 'errored', 'canceled']) expect(read(name)).toMatchObject({ outcome: 'failed' });
    expect(read('started')).toMatchObject({ outcome: 'pending' });
    expect(read('2012-failed', { matrix: [{ status: 0, result: 0 }] }).outcome).toBe('failed');
  });

  it('passes only with the number 0, not with similar values', () => {
    for (const status of [1, null, '0', '', false, [], {}, -1, 'Passed']) {
      expect(read('passed', { status }).outcome).toBe('failed');
      expect(read('passed', { status: undefined, result: status }).outcome).toBe('failed');
    }
    expect(read('passed', { status: undefined }).outcome).toBe('passed');
    expect(read('passed', { result: undefined }).outcome).toBe('passed');
  });

  it('does not pass when number and state contradict each other', () => {
    expect(read('passed', { result: 1 }).outcome).toBe('failed');
    expect(read('passed', { state: 'failed' }).outcome).toBe('failed');
    expect(read('passed', { status_message: 'Broken' }).outcome).toBe('failed');
    expect(read('passed', { state: 'started' })).toMatchObject({ outcome: 'pending' });
  });

  it('without a state is pending until it has finished', () => {
    const silent = { state: undefined, status_message: undefined, result_message: undefined };
    expect(read('passed', silent)).toMatchObject({ outcome: 'passed', state: 'Passed' });
    expect(read('passed', { ...silent, status: 1, result: 1 })).toMatchObject({ outcome: 'failed', state: 'Failed' });
    const running = { ...silent, status: null, result: null, finished_at: null };
    expect(read('passed', running)).toMatchObject({ outcome: 'pending', state: 'Pending' });
  });

  it('is skipped by a marker anywhere in the commit message', () => {
    expect(read('passed', { message: 'Docs\n\n[skip deploy]' }).skip).toMatchObject({ deploy: true });
  });

  it('is flagged when it is for a pull request, in any format', () => {
    expect(read('pull-request')).toMatchObject({ pullRequest: true, outcome: 'passed', branch: 'main' });
    expect(read('pull-request').head).toEqual({ sha: 'd'.repeat(40), outcome: 'passed' });
    expect(read('pull-request', { head_commit: 'main' })).not.toHaveProperty('head');
    expect(read('pull-request-without-type').pullRequest).toBe(true);
    expect(read('passed', { type: 'pull_request' }).pullRequest).toBe(true);
    expect(read('passed', { pull_request: true }).pullRequest).toBe(true);
    expect(read('passed', { pull_request_number: 7 }).pullRequest).toBe(true);
    for (const type of ['push', 'cron', 'api']) expect(read('passed', { type }).pullRequest).toBe(false);
  });

  it('of a tag has no branch, although its branch field is the name of the tag', () => {
    expect(read('tag').branch).toBeNull();
    expect(read('tag', { branch: 'main', tag: 'main' }).branch).toBeNull();
  });

  it('has the same id when it is sent again, and another id when it was restarted', () => {
    const { id } = read('passed');
    expect(read('passed').id).toBe(id);
    const later = '2024-01-10T10:00:00Z';
    const ids = [read('started').id, read('failed').id, read('fixed').id, read('passed', { finished_at: later }).id];
    expect(new Set([id, ...ids]).size).toBe(5);
  });

  it('has the host of the code, not of repository.url, which can be a home page', () => {
    const { repository } = read('passed', { compare_url: null });
    expect(repository).toMatchObject({ hostname: null, url: null });
    expect(read('bitbucket')).toMatchObject({
      hostKind: 'bitbucket',
      repository: { hostname: 'bitbucket.org', owner: 'octo-team' },
    });
    expect(read('2012-passed', { compare_url: null }).repository.hostname).toBe('github.com');
  });

  it('is rejected when a field that identifies it is missing or invalid', () => {
    const repository = bodyField(fixture('travis/passed'), 'repository');
    const refused: [Readonly<Record<string, unknown>>, RegExp][] = [
      [{ id: undefined }, /but id is missing/],
      [{ id: {} }, /but id is not of the expected type/],
      [{ commit: undefined }, /but commit is missing/],
      [{ commit: '1f7e6d5c' }, /but commit is not a commit of 40 or 64/],
      [{ status: undefined, result: undefined }, /has neither status nor result/],
      [{ branch: 'a b' }, /but branch is not a name that git allows/],
      [{ repository: { ...repository, owner_name: '..' } }, /but repository.owner_name contains other characters/],
      [{ repository: { ...repository, name: undefined } }, /but repository.name is missing/],
    ];
    for (const [changes, detail] of refused) {
      const refusal = { code: 'deploy:provider:not_supported', detail: expect.stringMatching(detail) };
      expect(() => read('passed', changes)).toThrow(expect.objectContaining(refusal));
    }
  });
});
