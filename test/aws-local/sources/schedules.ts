import { randomUUID } from 'node:crypto';
import { array, looseObject, optional, parse, string } from 'valibot';
import { OperatorError } from '../../../lib/files/errors.ts';
import { nameOf } from '../arn.ts';
import { ACCOUNT, REGION } from '../clients.ts';
import type { Closable, Invoker, Warn } from '../invoke/invoker.ts';
import type { Resource, Template } from '../template/template.ts';
import { allowedRules, arnOfRule } from './allowed-rules.ts';

/** A function that the template schedules. */
interface Schedule {
  readonly functionName: string;
  /** The ARN that the event names. */
  readonly arn: string;
  readonly everyMs: number;
  /** JSON that replaces the default event. */
  readonly input: string | undefined;
}

const Rule = looseObject({
  ScheduleExpression: optional(string()),
  State: optional(string(), 'ENABLED'),
  Targets: optional(array(looseObject({ Arn: string(), Input: optional(string()) })), []),
});

const UNITS_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * Invokes functions by the rates of the template's rules (`rate(5 minutes)`), and at the start, so that unfinished work
 * continues without waiting for an interval. A failed run is reported and not repeated.
 *
 * @throws OperatorError for another expression
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 */
export function startSchedules(options: { template: Template; functions: Invoker; warn: Warn }): Closable {
  const isAllowed = allowedRules(options);
  const schedules = options.template.ofType('AWS::Events::Rule').flatMap(schedulesOf).filter(isAllowed);
  const stops = schedules.map((schedule) => keep(schedule, options));
  return {
    close: async () => {
      for (const stop of stops) stop();
    },
  };
}

function keep(schedule: Schedule, { functions, warn }: { functions: Invoker; warn: Warn }): () => void {
  let stopped = false;
  const run = () => {
    functions.invoke(schedule.functionName, eventOf(schedule, new Date())).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      if (!stopped) warn(`${schedule.functionName}, started by its schedule, failed: ${reason}`);
    });
  };
  run();
  const timer = setInterval(run, schedule.everyMs);
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}

function schedulesOf(resource: Resource): Schedule[] {
  const { ScheduleExpression: expression, State, Targets } = parse(Rule, resource.properties);
  if (expression === undefined || State === 'DISABLED') return [];
  const everyMs = readRate(expression);
  const arn = arnOfRule(resource);
  const functions = Targets.filter(({ Arn }) => Arn.split(':')[2] === 'lambda');
  return functions.map(({ Arn, Input: input }) => ({ functionName: nameOf(Arn), arn, everyMs, input }));
}

function readRate(expression: string): number {
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression.trim()) ?? [];
  const everyMs = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  // A timer of Node has 31 bits.
  if (everyMs > 0 && everyMs < 2 ** 31) return everyMs;
  throw new OperatorError(`The schedule ${expression} is not supported.`);
}

function eventOf({ input, arn }: Schedule, time: Date): unknown {
  if (input !== undefined) return JSON.parse(input);
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: ACCOUNT,
    time: `${time.toISOString().slice(0, 19)}Z`,
    region: REGION,
    resources: [arn],
    detail: {},
  };
}
