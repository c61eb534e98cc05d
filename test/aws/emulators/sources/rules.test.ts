import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Closable } from '../../../aws-local/invoke/invoker.ts';
import { startRules } from '../../../aws-local/sources/rules.ts';
import { fakeFunctions } from '../../../support/aws-local/fake-functions.ts';
import { templateOf } from '../../../support/aws-local/template-fixture.ts';

const TARGET = { Arn: 'arn:aws:lambda:us-east-1:000000000000:function:Sweep', Id: 'Target0' };

describe('The rules of a template', () => {
  const warnings: string[] = [];
  let rules: Closable | undefined;
  beforeEach(() => {
    warnings.length = 0;
    vi.useFakeTimers({ now: new Date('2026-03-01T10:00:00Z') });
  });
  afterEach(async () => {
    await rules?.close();
    vi.useRealTimers();
  });

  /** Starts the rule `Minutely`, which the function permits unless another one is `allowed`. */
  function start(rule: object, { allowed = 'Minutely', handle = (): unknown => undefined } = {}) {
    const permission = {
      Action: 'lambda:InvokeFunction',
      FunctionName: 'Sweep',
      Principal: 'events.amazonaws.com',
      SourceArn: `arn:aws:events:us-east-1:000000000000:rule/${allowed}`,
    };
    const template = templateOf({
      Allowed: ['AWS::Lambda::Permission', permission],
      Minutely: ['AWS::Events::Rule', { State: 'ENABLED', Targets: [TARGET], ...rule }],
    });
    const { events, invoker } = fakeFunctions<Record<string, unknown>>(handle);
    const bus = new EventEmitter() as Parameters<typeof startRules>[0]['bus'];
    rules = startRules({ template, functions: invoker, bus, warn: (sentence) => warnings.push(sentence) });
    return { events, bus };
  }
  const fails = () => {
    throw new Error('no database');
  };

  it('a rate runs at the start and then at its interval, until closed', async () => {
    const { events } = start({ ScheduleExpression: 'rate(1 minute)' });
    expect(events).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(events.map(({ time }) => time)).toEqual([0, 1, 2].map((minute) => `2026-03-01T10:0${minute}:00Z`));
    await rules?.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a rule that may not invoke its function does not, and is warned of', () => {
    const { events } = start({ ScheduleExpression: 'rate(1 minute)' }, { allowed: 'Hourly' });
    expect([events, vi.getTimerCount()]).toEqual([[], 0]);
    expect(warnings).toEqual([
      'On AWS, this would be refused: events.amazonaws.com is not authorized to perform: lambda:InvokeFunction on ' +
        'function Sweep for arn:aws:events:us-east-1:000000000000:rule/Minutely.',
    ]);
  });

  it('a failed run is reported and not repeated, and the schedule continues', async () => {
    const { events } = start({ ScheduleExpression: 'rate(1 minute)' }, { handle: fails });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(events).toHaveLength(2);
    expect(warnings[0]).toBe('Sweep, invoked by a rule, failed: no database');
  });

  it('an event that passes the pattern is tried three times, and then reported', async () => {
    vi.useRealTimers();
    const { events, bus } = start({ EventPattern: { source: ['aws.codebuild'] } }, { handle: fails });
    bus.emit('event', { source: 'aws.ec2' });
    bus.emit('event', { source: 'aws.codebuild' });
    await expect.poll(() => warnings).toEqual(['Sweep, invoked by a rule, failed: no database']);
    expect(events).toEqual(Array.from({ length: 3 }, () => ({ source: 'aws.codebuild' })));
  });

  it.each([
    ['cron(0 3 * * ? *)', { ScheduleExpression: 'cron(0 3 * * ? *)' }],
    ['a rate that no timer has', { ScheduleExpression: 'rate(30 days)' }],
    ['a disabled rule', { State: 'DISABLED' }],
    ['a target with an input of its own', { Targets: [{ ...TARGET, Input: '{}' }] }],
    ['a target that is no function', { Targets: [{ ...TARGET, Arn: 'arn:aws:sqs:us-east-1:000000000000:q' }] }],
    ['events that nothing here sends', { EventPattern: { source: ['app'] } }],
  ])('%s is refused at the start', (_what, rule) => {
    expect(() => start(rule)).toThrow(/is not supported|Expected|Invalid/);
  });
});
