import { randomUUID } from 'node:crypto';
import { array, looseObject, optional, parse, string } from 'valibot';
import { OperatorError } from '../../../../lib/files/errors.ts';
import { nameOf } from '../../arn.ts';
import { ACCOUNT, REGION } from '../../clients.ts';
import type { Closable, Invoker, Warn } from '../../invoke/invoker.ts';
import { nameOfResource } from '../../resources/resources.ts';
import type { Resource, Template } from '../../template/template.ts';
import { parseSchedule, type Timetable } from './cron.ts';

/** A function that the template schedules. */
interface Schedule {
  readonly functionName: string;
  /** The ARN that the event names. */
  readonly arn: string;
  readonly source: 'aws.events' | 'aws.scheduler';
  readonly next: Timetable;
  /** Whether it is a rate, which also runs at the start. */
  readonly atStart: boolean;
  /** JSON that replaces the default event. */
  readonly input: string | undefined;
}

const Target = looseObject({ Arn: string(), Input: optional(string()) });
const Rule = looseObject({
  ScheduleExpression: optional(string()),
  State: optional(string(), 'ENABLED'),
  Targets: optional(array(Target), []),
});
const SchedulerSchedule = looseObject({
  ScheduleExpression: string(),
  ScheduleExpressionTimezone: optional(string(), 'UTC'),
  State: optional(string(), 'ENABLED'),
  Target,
});

/** The longest delay of a timer; longer ones are split. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Invokes functions by the schedules of the template (`AWS::Events::Rule`, `AWS::Scheduler::Schedule`). A rate also
 * runs at the start, so that unfinished work continues without waiting for an interval. A failed run is reported and
 * not repeated.
 *
 * @throws OperatorError for an expression or a time zone that is not supported
 */
export function startSchedules(options: { template: Template; functions: Invoker; warn: Warn }): Closable {
  const stops = schedulesOf(options.template).map((schedule) => keep(schedule, options));
  return {
    close: async () => {
      for (const stop of stops) stop();
    },
  };
}

function keep(schedule: Schedule, { functions, warn }: { functions: Invoker; warn: Warn }): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const run = (time: Date) => {
    functions.invoke(schedule.functionName, eventOf(schedule, time)).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      if (!stopped) warn(`${schedule.functionName}, started by its schedule, failed: ${reason}`);
    });
  };
  const wait = (due: Date | undefined) => {
    if (!due) return;
    const delay = Math.max(0, due.getTime() - Date.now());
    timer = setTimeout(
      () => {
        if (delay > LONGEST_TIMER_MS) return wait(due);
        run(due);
        wait(schedule.next(due));
      },
      Math.min(delay, LONGEST_TIMER_MS),
    );
  };
  const now = new Date();
  if (schedule.atStart) run(now);
  wait(schedule.next(now));
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

function schedulesOf(template: Template): Schedule[] {
  return [
    ...template.ofType('AWS::Events::Rule').flatMap(ofRule),
    ...template.ofType('AWS::Scheduler::Schedule').flatMap(ofScheduler),
  ];
}

function ofRule(resource: Resource): Schedule[] {
  const { ScheduleExpression: expression, State, Targets } = parse(Rule, resource.properties);
  if (expression === undefined || State === 'DISABLED') return [];
  const arn = `arn:aws:events:${REGION}:${ACCOUNT}:rule/${nameOfResource(resource)}`;
  return Targets.filter(isFunction).map((target) => scheduleOf({ expression, arn, target, source: 'aws.events' }));
}

function ofScheduler(resource: Resource): Schedule[] {
  const given = parse(SchedulerSchedule, resource.properties);
  if (given.State === 'DISABLED' || !isFunction(given.Target)) return [];
  if (!/^(?:UTC|Etc\/UTC)$/.test(given.ScheduleExpressionTimezone)) {
    throw new OperatorError(`${resource.logicalId}: only UTC is supported as a schedule's time zone.`);
  }
  const arn = `arn:aws:scheduler:${REGION}:${ACCOUNT}:schedule/default/${nameOfResource(resource)}`;
  return [scheduleOf({ expression: given.ScheduleExpression, arn, target: given.Target, source: 'aws.scheduler' })];
}

function isFunction({ Arn }: { Arn: string }): boolean {
  return Arn.split(':')[2] === 'lambda';
}

function scheduleOf(options: {
  expression: string;
  arn: string;
  source: Schedule['source'];
  target: { Arn: string; Input?: string | undefined };
}): Schedule {
  const { expression, arn, source, target } = options;
  const atStart = expression.startsWith('rate(');
  return {
    functionName: nameOf(target.Arn),
    arn,
    source,
    next: parseSchedule(expression),
    atStart,
    input: target.Input,
  };
}

/** https://docs.aws.amazon.com/lambda/latest/dg/with-eventbridge-scheduler.html */
function eventOf({ input, source, arn }: Schedule, time: Date): unknown {
  if (input !== undefined) return JSON.parse(input);
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source,
    account: ACCOUNT,
    time: `${time.toISOString().slice(0, 19)}Z`,
    region: REGION,
    resources: [arn],
    detail: {},
  };
}
