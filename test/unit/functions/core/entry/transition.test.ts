import { describe, expect, it } from 'vitest';
import { applied, dueAfter, ending, failure, startsStage } from '../../../../../functions/core/entry/transition.ts';
import { DeployError } from '../../../../../functions/core/errors.ts';
import { AT, entry, MINUTE } from '../../../../support/entries.ts';

describe('the changes that end an entry', () => {
  const running = {
    name: 'check',
    status: 'running',
    startedAt: AT,
    finishedAt: null,
    attempts: 2,
    detail: null,
  } as const;

  it('with an error show it as the entry’s own and as that of the failed stage', () => {
    const error = new DeployError('deploy:platform:start_app', 'It exits with 1.', { logTail: ['boom'] });
    expect(failure(entry({ stages: [running] }), error, AT + 5)).toMatchObject({
      status: 'error',
      reason: 'It exits with 1.',
      error: { code: 'deploy:platform:start_app', status: 500, detail: 'It exits with 1.' },
      logTail: ['boom'],
      stages: [{ name: 'check', status: 'failed', finishedAt: AT + 5, attempts: 2, detail: 'It exits with 1.' }],
      finishedAt: AT + 5,
    });
  });

  it('say how to set a variable that the application misses', () => {
    const error = new DeployError('deploy:platform:start_app', 'It exits with 1.', {
      logTail: ['Error: SESSION_SECRET is not set'],
    });
    const advice =
      'It exits with 1. Set SESSION_SECRET with "hooks env set SESSION_SECRET=- --app shop", also before a deploy.';
    const { reason, stages } = failure(entry({ appName: 'shop', stages: [running] }), error, AT);
    expect([reason, stages?.[0]?.detail]).toEqual([advice, advice]);
    expect(failure(entry({ appName: null, stages: [running] }), error, AT).reason).toBe('It exits with 1.');
    const short = new DeployError('deploy:platform:start_app', 'Error: A_KEY is not set (server.js:1)');
    expect(failure(entry({ appName: 'shop', stages: [running] }), short, AT).reason).toBe(
      'Error: A_KEY is not set (server.js:1). Set A_KEY with "hooks env set A_KEY=- --app shop", also before a deploy.',
    );
  });

  it('keep no secret, and little of what the platform printed', () => {
    const error = new DeployError('deploy:platform:start_app', `password=hunter2 ${'x'.repeat(2000)}`, {
      logTail: ['Bearer abcdefghijkl', ...Array.from({ length: 39 }, () => 'x'.repeat(2000))],
    });
    const text = JSON.stringify(failure(entry({ stages: [running] }), error, AT));
    expect(text).not.toMatch(/hunter2|abcdefghijkl/);
    expect(text.length).toBeLessThan(25_000);
  });

  it('for another reason say it, and end only what is final', () => {
    expect(ending('superseded', 'Newer.', AT + 5)).toMatchObject({ reason: 'Newer.', finishedAt: AT + 5 });
    expect(ending('held', 'Waiting.', AT + 5)).toMatchObject({ reason: 'Waiting.', finishedAt: null });
  });
});

describe('a transition', () => {
  it('changes the fields that it names, under the next number of the feed', () => {
    const before = entry({ reason: 'Waiting.' });
    expect(applied(before, { changes: { status: 'running' } }, 7)).toEqual({ ...before, status: 'running', seq: 7 });
  });

  it('makes the entry due a minute later, unless it says otherwise', () => {
    expect(dueAfter(entry({ updatedAt: AT }), {})).toBe(AT + MINUTE);
    expect(dueAfter(entry({ updatedAt: AT }), { dueAt: AT + 5 })).toBe(AT + 5);
  });

  it('starts a stage when it is the next one, or when it begins a hold', () => {
    expect(startsStage(entry(), entry({ stage: 'fetch' }))).toBe(true);
    expect(startsStage(entry(), entry({ status: 'held' }))).toBe(true);
    expect(startsStage(entry({ status: 'held' }), entry({ status: 'running' }))).toBe(false);
  });
});
