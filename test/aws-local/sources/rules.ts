import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { OperatorError } from '../../../lib/files/errors.ts';
import { nameOf } from '../arn.ts';
import { ACCOUNT, REGION } from '../clients.ts';
import type { Closable, Invoker, Warn } from '../invoke/invoker.ts';
import { invocationDenials } from '../permissions/invocations.ts';
import { nameOfResource } from '../resources/resources.ts';
import type { RunningServices } from '../services.ts';
import type { Resource, Template } from '../template/template.ts';
import { type Filter, parseFilter } from './event-filter.ts';

/** A rule of the template and a function that it invokes. */
interface RuleTarget {
  /** The ARN of the rule. */
  readonly arn: string;
  readonly functionName: string;
  /** The function gets the events that pass. */
  readonly matches: Filter;
  /** The rate at which it gets an event of the rule itself, if it has a schedule. */
  readonly everyMs: number | undefined;
}

const Rule = v.looseObject({
  ScheduleExpression: v.optional(v.string()),
  EventPattern: v.optional(v.looseObject({ source: v.tuple([v.literal('aws.codebuild')]) })),
  State: v.optional(v.literal('ENABLED')),
  // A function; one with an input of its own would get another event.
  Targets: v.array(
    v.strictObject({
      Id: v.string(),
      Arn: v.pipe(v.string(), v.startsWith('arn:aws:lambda:')),
      RetryPolicy: v.optional(v.looseObject({})),
    }),
  ),
});

const UNITS_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
/**
 * Lambda tries an event twice more: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
const RETRY_AFTER_MS = [1000, 2000];

/**
 * Invokes functions by the rules of the template. A rate (`rate(5 minutes)`) begins at the start, so that unfinished work
 * continues without waiting for an interval, and a failed run is not repeated. An event that a function fails on is tried
 * twice more, sooner than on AWS, and then reported. A rule without the permission to invoke its function only warns:
 * EventBridge counts it in a metric.
 *
 * @throws OperatorError for another expression or pattern, ValiError for a target that changes the event
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-troubleshooting.html
 */
export function startRules(options: {
  readonly template: Template;
  readonly functions: Invoker;
  readonly bus: RunningServices['bus'];
  readonly warn: Warn;
}): Closable {
  const { template, functions, bus, warn } = options;
  const denialOf = invocationDenials(template);
  const targets = template
    .ofType('AWS::Events::Rule')
    .flatMap(targetsOf)
    .filter(({ functionName, arn: sourceArn }) => {
      const denial = denialOf({ functionName, sourceArn, principal: 'events.amazonaws.com' });
      if (denial !== undefined) warn(`On AWS, this would be refused: ${denial}.`);
      return denial === undefined;
    });
  const closing = new AbortController();
  const { signal } = closing;
  const deliver = async ({ functionName, everyMs }: RuleTarget, event: object) => {
    const pauses = everyMs === undefined ? RETRY_AFTER_MS : [];
    for (const pauseMs of [...pauses, undefined]) {
      try {
        return await functions.invoke(functionName, event);
      } catch (error) {
        if (signal.aborted) return;
        const reason = error instanceof Error ? error.message : String(error);
        if (pauseMs === undefined) return warn(`${functionName}, invoked by a rule, failed: ${reason}`);
        await pause(pauseMs, undefined, { signal }).catch(() => {});
      }
    }
  };
  bus.on('event', (event) => {
    if (signal.aborted) return;
    for (const target of targets.filter(({ matches }) => matches(event))) void deliver(target, event);
  });
  const timers = targets.flatMap((target) => {
    if (target.everyMs === undefined) return [];
    const run = () => void deliver(target, scheduledEvent(target.arn));
    run();
    return [setInterval(run, target.everyMs)];
  });
  return {
    close: async () => {
      closing.abort();
      for (const timer of timers) clearInterval(timer);
    },
  };
}

function targetsOf(resource: Resource): RuleTarget[] {
  const { EventPattern, ScheduleExpression, Targets } = v.parse(Rule, resource.properties);
  const rule = {
    arn: `arn:aws:events:${REGION}:${ACCOUNT}:rule/${nameOfResource(resource)}`,
    matches: EventPattern === undefined ? () => false : parseFilter(JSON.stringify(EventPattern)),
    everyMs: ScheduleExpression === undefined ? undefined : readRate(ScheduleExpression),
  };
  return Targets.map(({ Arn }) => ({ ...rule, functionName: nameOf(Arn) }));
}

function readRate(expression: string): number {
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const everyMs = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  // A timer of Node has 31 bits.
  if (everyMs > 0 && everyMs < 2 ** 31) return everyMs;
  throw new OperatorError(`The schedule ${expression} is not supported.`);
}

function scheduledEvent(arn: string): object {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: ACCOUNT,
    time: `${new Date().toISOString().slice(0, 19)}Z`,
    region: REGION,
    resources: [arn],
    detail: {},
  };
}
