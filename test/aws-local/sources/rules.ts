import { setTimeout as pause } from 'node:timers/promises';
import { array, looseObject, optional, parse, record, string, unknown } from 'valibot';
import { OperatorError } from '../../../lib/files/errors.ts';
import { nameOf } from '../arn.ts';
import type { Closable, Invoker, Warn } from '../invoke/invoker.ts';
import type { RunningServices } from '../services.ts';
import type { Resource, Template } from '../template/template.ts';
import { allowedRules, arnOfRule } from './allowed-rules.ts';
import { type Filter, parseFilter } from './event-filter.ts';

/** A rule with a pattern, and a function that it invokes. */
interface RuleTarget {
  readonly matches: Filter;
  readonly functionName: string;
  readonly arn: string;
  /** JSON that replaces the event. */
  readonly input: string | undefined;
}

const Rule = looseObject({
  EventPattern: optional(record(string(), unknown())),
  State: optional(string(), 'ENABLED'),
  Targets: optional(array(looseObject({ Arn: string(), Input: optional(string()) })), []),
});

const UNSUPPORTED = ['InputPath', 'InputTransformer'];
/**
 * Lambda tries an event twice more: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
const RETRY_AFTER_MS = [1000, 2000];

/**
 * Invokes functions with the events that match the patterns of the template's rules. An event that a function fails on
 * is tried twice more, sooner than on AWS, and then reported.
 *
 * @throws OperatorError for a pattern, or a way to change the event, that is not supported
 */
export function startEventRules(options: {
  readonly template: Template;
  readonly functions: Invoker;
  readonly bus: RunningServices['bus'];
  readonly warn: Warn;
}): Closable {
  const { functions, bus, warn } = options;
  const targets = options.template.ofType('AWS::Events::Rule').flatMap(targetsOf).filter(allowedRules(options));
  const closing = new AbortController();
  const deliver = async ({ functionName, input }: RuleTarget, event: object) => {
    for (const retryAfterMs of [...RETRY_AFTER_MS, undefined]) {
      try {
        return await functions.invoke(functionName, input === undefined ? event : JSON.parse(input));
      } catch (error) {
        if (closing.signal.aborted) return;
        const reason = error instanceof Error ? error.message : String(error);
        if (retryAfterMs === undefined) return warn(`${functionName}, invoked by an event, failed: ${reason}`);
        await pause(retryAfterMs, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  };
  bus.on('event', (event) => {
    if (closing.signal.aborted) return;
    for (const target of targets.filter(({ matches }) => matches(event))) void deliver(target, event);
  });
  return { close: async () => closing.abort() };
}

function targetsOf(resource: Resource): RuleTarget[] {
  const { logicalId, properties } = resource;
  const { EventPattern, State, Targets } = parse(Rule, properties);
  if (EventPattern === undefined || State === 'DISABLED') return [];
  const matches = parseFilter(JSON.stringify(EventPattern));
  return Targets.filter(({ Arn }) => Arn.split(':')[2] === 'lambda').map((target) => {
    const changed = UNSUPPORTED.find((name) => name in target);
    if (changed !== undefined) throw new OperatorError(`${logicalId}: ${changed} of a target is not supported.`);
    return { matches, arn: arnOfRule(resource), functionName: nameOf(target.Arn), input: target.Input };
  });
}
