import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Closable } from '../../../aws-local/invoke/invoker.ts';
import { parseSchedule } from '../../../aws-local/sources/schedules/cron.ts';
import { startSchedules } from '../../../aws-local/sources/schedules/schedules.ts';
import { fakeFunctions } from '../../../support/aws-local/fake-functions.ts';
import { templateOf } from '../../../support/aws-local/template-fixture.ts';

describe('A schedule expression', () => {
  it.each([
    ['rate(1 minute)', '2026-03-01T10:00:30Z', '2026-03-01T10:01:30.000Z'],
    ['rate(12 hours)', '2026-03-01T10:00:00Z', '2026-03-01T22:00:00.000Z'],
    ['rate(2 days)', '2026-02-27T10:00:00Z', '2026-03-01T10:00:00.000Z'],
    ['cron(0 3 * * ? *)', '2026-03-01T03:00:00Z', '2026-03-02T03:00:00.000Z'],
    ['cron(0/15 * * * ? *)', '2026-03-01T10:31:10Z', '2026-03-01T10:45:00.000Z'],
    ['cron(30 9 ? * MON-FRI *)', '2026-03-06T10:00:00Z', '2026-03-09T09:30:00.000Z'],
    ['cron(0 0 29 FEB ? *)', '2026-03-01T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['cron(5,10 8-9 1 1 ? 2027)', '2026-03-01T00:00:00Z', '2027-01-01T08:05:00.000Z'],
    ['cron(0 12 ? * 1 *)', '2026-03-02T00:00:00Z', '2026-03-08T12:00:00.000Z'],
    ['cron(0 3 L * ? *)', '2026-02-03T00:00:00Z', '2026-02-28T03:00:00.000Z'],
    ['cron(0 3 15W * ? *)', '2026-02-03T00:00:00Z', '2026-02-16T03:00:00.000Z'],
    ['cron(0 3 ? * 6L *)', '2026-02-03T00:00:00Z', '2026-02-27T03:00:00.000Z'],
    ['cron(0 3 ? * FRI#2 *)', '2026-02-03T00:00:00Z', '2026-02-13T03:00:00.000Z'],
    ['at(2026-04-01T00:00:00)', '2026-03-01T00:00:00Z', '2026-04-01T00:00:00.000Z'],
  ])('%s after %s is due at %s', (expression, after, due) => {
    expect(parseSchedule(expression)(new Date(after))?.toISOString()).toBe(due);
  });

  it('a schedule in the past is never due again', () => {
    expect(parseSchedule('at(2020-01-01T00:00:00)')(new Date())).toBeUndefined();
    expect(parseSchedule('cron(0 0 1 1 ? 2020)')(new Date())).toBeUndefined();
  });

  it.each([
    'rate(0 minutes)',
    'rate(5 weeks)',
    'cron(0 3 * *)',
    'cron(0 3 32 * ? *)',
    'cron(0 3 ? * 8 *)',
    'cron(0 3 ? * MON *) ) x',
    'cron(61 * * * ? *)',
    'soon',
    'at(soon)',
  ])('an unsupported schedule expression is refused: %s', (expression) => {
    expect(() => parseSchedule(expression)).toThrow('not supported');
  });
});

describe('The schedules of a template', () => {
  let schedules: Closable | undefined;
  beforeEach(() => {
    vi.useFakeTimers({ now: new Date('2026-03-01T10:00:00Z') });
  });
  afterEach(async () => {
    await schedules?.close();
    vi.useRealTimers();
  });
  const target = (more = {}) => ({
    Arn: 'arn:aws:lambda:us-east-1:000000000000:function:Sweep',
    Id: 'Target0',
    ...more,
  });
  const rule = (expression: string, more = {}) =>
    templateOf({
      Minutely: [
        'AWS::Events::Rule',
        { ScheduleExpression: expression, State: 'ENABLED', Targets: [target()], ...more },
      ],
    });

  it('a rate runs at the start and then at its interval, until closed', async () => {
    const { events, invoker } = fakeFunctions<Record<string, unknown>>();
    schedules = startSchedules({ template: rule('rate(1 minute)'), functions: invoker, warn: () => {} });
    expect(events).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(events.map((event) => event.time)).toEqual([
      '2026-03-01T10:00:00Z',
      '2026-03-01T10:01:00Z',
      '2026-03-01T10:02:00Z',
    ]);
    expect(events[0]).toMatchObject({
      'detail-type': 'Scheduled Event',
      source: 'aws.events',
      resources: ['arn:aws:events:us-east-1:000000000000:rule/Minutely'],
    });
    await schedules.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a cron schedule runs only when it is due', async () => {
    const { events, invoker } = fakeFunctions<Record<string, unknown>>();
    schedules = startSchedules({ template: rule('cron(0 11 * * ? *)'), functions: invoker, warn: () => {} });
    await vi.advanceTimersByTimeAsync(3_599_000);
    expect(events).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1000);
    expect(events).toHaveLength(1);
  });

  it('the input of a Scheduler schedule replaces the event', async () => {
    const { events, invoker } = fakeFunctions();
    const template = templateOf({
      Daily: [
        'AWS::Scheduler::Schedule',
        { ScheduleExpression: 'at(2026-05-01T00:00:00)', Target: target({ Input: '{"shards":8}' }) },
      ],
    });
    schedules = startSchedules({ template, functions: invoker, warn: () => {} });
    await vi.advanceTimersByTimeAsync(61 * 86_400_000);
    expect(events).toEqual([{ shards: 8 }]);
  });

  it('disabled rules, event rules and other targets are ignored', () => {
    const { events, invoker } = fakeFunctions();
    const others = [
      rule('rate(1 minute)', { State: 'DISABLED' }),
      rule('rate(1 minute)', { Targets: [{ Arn: 'arn:aws:sqs:us-east-1:000000000000:q', Id: 'q' }] }),
    ];
    for (const template of others) startSchedules({ template, functions: invoker, warn: () => {} });
    expect(events).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a failed run is reported and the schedule continues', async () => {
    const warnings: string[] = [];
    const { events, invoker } = fakeFunctions(() => {
      throw new Error('no database');
    });
    schedules = startSchedules({
      template: rule('rate(1 minute)'),
      functions: invoker,
      warn: (sentence) => warnings.push(sentence),
    });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(events).toHaveLength(2);
    expect(warnings[0]).toBe('Sweep, started by its schedule, failed: no database');
  });

  it('a time zone other than UTC is refused', () => {
    const template = templateOf({
      Daily: [
        'AWS::Scheduler::Schedule',
        { ScheduleExpression: 'rate(1 day)', ScheduleExpressionTimezone: 'Europe/Vienna', Target: target() },
      ],
    });
    expect(() => startSchedules({ template, functions: fakeFunctions().invoker, warn: () => {} })).toThrow(
      'Daily: only UTC',
    );
  });
});
