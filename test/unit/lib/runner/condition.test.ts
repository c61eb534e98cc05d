import { beforeEach, describe, expect, it } from 'vitest';
import type { RunnerEvent } from '../../../../lib/runner/calls.ts';
import { Condition, reportLimit } from '../../../../lib/runner/limits/condition.ts';
import { NEW_LIFE } from '../../../../lib/runner/states.ts';

const told: string[] = [];
const report = (type: string, { about, detail }: Pick<RunnerEvent, 'about' | 'detail'>) =>
  void told.push(`${type}: ${about} ${detail}`);
beforeEach(() => void told.splice(0));

it('what fails and is fine in turns is reported once in a while', () => {
  const condition = new Condition({ about: 'The job', report, pauseMs: 60_000 });
  for (let times = 0; times < 3; times += 1) {
    condition.fails('failed', '@cron.1');
    condition.isFine('has succeeded');
  }
  expect(told).toEqual(['app.failing: The job failed']);
  expect(condition.isFailing).toBe(true);
});

it('what fails soon after it was fine is reported at once', () => {
  const condition = new Condition({ about: 'The job', report, pauseMs: 60_000 });
  condition.isFine('has succeeded');
  condition.fails('failed', '@cron.1');
  expect(told).toEqual(['app.fine: The job has succeeded', 'app.failing: The job failed']);
});

it('what is not looked at any more is fine at once, and for ever', () => {
  const condition = new Condition({ about: 'The job', report, pauseMs: 60_000 });
  condition.fails('failed', '@cron.1');
  condition.end('is gone');
  condition.fails('failed', '@cron.1');
  expect(told).toEqual(['app.failing: The job failed', 'app.fine: The job is gone']);
  const other = new Condition({ about: 'Another', report, pauseMs: 0 });
  other.end('is gone');
  other.fails('failed', '@cron.2');
  expect(told).toHaveLength(2);
});

describe('A process at its limit', () => {
  const said = { do: 'report', snapshot: '1.0.0-5', detail: '1.0.0-5 used more than 120 MB' } as const;
  const crashes = { ...NEW_LIFE.crashes, overruns: 1 };
  const web = { name: 'web', life: NEW_LIFE, report };

  it('is told of when it was ended for it, and when it stays below, and no other crash is', () => {
    reportLimit(web, { ...said, type: 'app.restarting', isCause: false });
    reportLimit({ ...web, life: { ...NEW_LIFE, crashes } }, { ...said, type: 'app.serving' });
    expect(told).toEqual([]);
    reportLimit(web, { ...said, type: 'app.restarting', isCause: true });
    reportLimit(web, { ...said, type: 'app.serving' });
    expect(told).toEqual([
      'app.failing: The process web used more than 120 MB and was started again',
      'app.fine: The process web stays below its limit',
    ]);
  });
});
