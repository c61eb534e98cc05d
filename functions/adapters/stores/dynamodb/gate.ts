import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Entry } from '../../../core/entry/entry.ts';
import { byName, type CheckResult, checkKey, isSettled } from '../../../core/hold/checks.ts';
import type { Gate } from '../../../core/ports/deploy-facts.ts';
import type { Step } from '../../../core/ports/deploy-log.ts';
import { type Item, keys, N, numberIn, S, stringIn } from './items.ts';
import { expiry, retention } from './retention.ts';

// A check has an attribute for what it came to and one for what it was before, so that what each call may replace needs
// no look at what is there: many checks call at the same time, and none of them has to try again.
const SETTLED = 'settled#';
const OPEN = 'open#';

/** The gate in its item; none is one of which nothing is known. */
export function gateOf(item: Item | undefined): Gate {
  return {
    checks: checksIn(item),
    version: numberIn(item, 'version') ?? 0,
    held: numberIn(item, 'held') ?? null,
    deploying: numberIn(item, 'deploying') ?? null,
    awaitsPush: item?.awaits_push?.BOOL ?? false,
  };
}

function checksIn(item: Item = {}): readonly CheckResult[] {
  const results = (prefix: string) =>
    Object.keys(item).flatMap((name) =>
      name.startsWith(prefix) ? [JSON.parse(stringIn(item, name) ?? 'null') as CheckResult] : [],
    );
  const settled = results(SETTLED);
  const known = new Set(settled.map(checkKey));
  return byName([...settled, ...results(OPEN).filter((result) => !known.has(checkKey(result)))]);
}

/** Remembers what a check said, as `withResult` does. */
export function checkUpdate(table: string, entry: Entry, result: CheckResult | null, now: number): TransactWriteItem[] {
  const Key = gateKey(entry);
  if (!result || !Key) return [];
  const value = result.outcome === 'pending' ? 'if_not_exists(#check, :result)' : ':result';
  return [
    {
      Update: {
        TableName: table,
        Key,
        UpdateExpression: `SET #check = ${value}, expires = :expires ADD version :one`,
        ExpressionAttributeNames: { '#check': `${isSettled(result) ? SETTLED : OPEN}${checkKey(result)}` },
        ExpressionAttributeValues: {
          ':result': S(JSON.stringify(result)),
          ':expires': N(expiry(now, retention.gate)),
          ':one': N(1),
        },
      },
    },
  ];
}

/** What a step changes of the gate of its entry's commit. */
export function gateUpdate(table: string, after: Entry, step: Step, now: number): TransactWriteItem[] {
  const Key = gateKey(after);
  if (!step.gate || !Key) return [];
  const { sets, removes, values } = gateExpression(step.gate);
  const set = ['expires = :expires', ...sets].join(', ');
  const condition = versionCondition(step.ifVersion);
  return [
    {
      Update: {
        TableName: table,
        Key,
        UpdateExpression: `SET ${set}${removes.length > 0 ? ` REMOVE ${removes.join(', ')}` : ''}`,
        ...condition.expression,
        ExpressionAttributeValues: { ...values, ...condition.values, ':expires': N(expiry(now, retention.gate)) },
      },
    },
  ];
}

function versionCondition(version: number | undefined) {
  if (version === undefined) return {};
  if (version === 0) return { expression: { ConditionExpression: 'attribute_not_exists(version)' } };
  return { expression: { ConditionExpression: 'version = :version' }, values: { ':version': N(version) } };
}

function gateKey({ user, repository, sha, branch }: Entry): Item | null {
  return repository && sha && branch ? keys.gate(user, { ...repository, sha }, branch) : null;
}

function gateExpression({ held, deploying, awaitsPush }: NonNullable<Step['gate']>) {
  const numbers = Object.entries({ held, deploying }).filter(([, value]) => value !== undefined);
  const set = numbers.filter(([, value]) => value !== null);
  const values: Item = Object.fromEntries(set.map(([name, value]) => [`:${name}`, N(value ?? 0)]));
  const sets = set.map(([name]) => `${name} = :${name}`);
  if (awaitsPush !== undefined) {
    sets.push('awaits_push = :awaits');
    values[':awaits'] = { BOOL: awaitsPush };
  }
  return { sets, values, removes: numbers.filter(([, value]) => value === null).map(([name]) => name) };
}
