import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Closable } from '../../../aws-local/invoke/invoker.ts';
import { startSchedules } from '../../../aws-local/sources/schedules.ts';
import { fakeFunctions } from '../../../support/aws-local/fake-functions.ts';
import { templateOf } from '../../../support/aws-local/template-fixture.ts';

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
  const permission = { Action: 'lambda:InvokeFunction', FunctionName: 'Sweep', Principal: 'events.amazonaws.com' };
  const of = (rule: string) => ({ ...permission, SourceArn: `arn:aws:events:us-east-1:000000000000:rule/${rule}` });
  const rule = (expression: string, more = {}, allowed = 'Minutely') =>
    templateOf({
      Allowed: ['AWS::Lambda::Permission', of(allowed)],
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

  it('a rule that may not invoke its function does not, and is warned of', () => {
    const warnings: string[] = [];
    const { events, invoker } = fakeFunctions();
    const template = rule('rate(1 minute)', {}, 'Hourly');
    startSchedules({ template, functions: invoker, warn: (sentence) => warnings.push(sentence) });
    expect([events, vi.getTimerCount()]).toEqual([[], 0]);
    expect(warnings).toEqual([
      'On AWS, this would be refused: events.amazonaws.com is not authorized to perform: lambda:InvokeFunction on ' +
        'function Sweep for arn:aws:events:us-east-1:000000000000:rule/Minutely.',
    ]);
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

  it.each(['rate(2 hours)', 'rate(1 day)'])('%s is a rate', async (expression) => {
    const { events, invoker } = fakeFunctions();
    schedules = startSchedules({ template: rule(expression), functions: invoker, warn: () => {} });
    await vi.advanceTimersByTimeAsync(86_400_000);
    expect(events).toHaveLength(expression === 'rate(1 day)' ? 2 : 13);
  });

  it.each(['cron(0 3 * * ? *)', 'at(2026-04-01T00:00:00)', 'rate(0 minutes)', 'rate(1 week)', 'rate(30 days)'])(
    '%s is refused at the start',
    (expression) => {
      const start = () =>
        startSchedules({ template: rule(expression), functions: fakeFunctions().invoker, warn: () => {} });
      expect(start).toThrow('is not supported');
    },
  );
});
