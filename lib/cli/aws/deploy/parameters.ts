import { stages } from '../../../client/entry.ts';
import { PARAMETERS } from '../../../stack/parameter-table.ts';
import { UsageError } from '../../errors.ts';
import type { Stack } from '../stack.ts';

/** What a deploy was asked for. */
export interface Wanted {
  /** As they were given: `AppConcurrency=20`. */
  readonly given: readonly string[];
  /** The deployed stack; null before the first deploy. */
  readonly stack: Stack | null;
}

/** How many functions an account may run at a time, and how many of these are reserved for none; absent when that cannot be asked. */
export interface Runs {
  readonly concurrency?: number | undefined;
  readonly unreserved?: number | undefined;
}

/** New accounts may run 10 functions at a time, others 1000. */
export const SMALL_ACCOUNT = 100;
/** What Lambda keeps unreserved. https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html (November 2026) */
const UNRESERVED = 100;
const FEW_RUNS = 'StageConcurrency=2';
/** Reserved concurrency is also a limit: too little would refuse a burst of webhooks. */
const RESERVED = { fewest: 10, most: 50 };
/** The sweep, the watch, reconciling, the end of a build and the users have two each. */
const CALLED_BY_FEW = 5 * 2;

/**
 * Returns the parameters of a call, checked: `AlarmEmail=ops@example.com`. Throws a `UsageError`. The CDK ignores one that the
 * stack does not have: a misspelt one would have no effect and no error.
 */
export function checkedParameters(given: readonly string[]): readonly string[] {
  const wrong = given.find((one) => !/^[A-Za-z][A-Za-z0-9]*=/.test(one));
  if (wrong !== undefined) {
    throw new UsageError(`--parameters takes <Name>=<value>, such as AlarmEmail=ops@example.com, and not "${wrong}".`);
  }
  const unknown = given.map(nameOf).find((name) => !Object.hasOwn(PARAMETERS, name));
  if (unknown === undefined) return given;
  throw new UsageError(
    `The stack has no parameter ${unknown}. It has ${Object.keys(PARAMETERS).toSorted().join(', ')}.`,
  );
}

/** Returns the value that a parameter will have; undefined for its default. */
export function valueIn({ given, stack }: Wanted, name: string): string | undefined {
  return given.findLast((one) => nameOf(one) === name)?.slice(name.length + 1) ?? stack?.parameters[name];
}

/**
 * Returns the parameters to deploy with. The first time, in an account that may run few functions at a time, the stages
 * are limited, so that deploys leave the rest to the API; in one that may run many, login, webhooks and stages have runs
 * reserved, so that applications leave them those. Later the CDK keeps what is not given.
 */
export function deployParameters(wanted: Wanted, { concurrency, unreserved }: Runs): readonly string[] {
  const { given, stack } = wanted;
  if (stack || concurrency === undefined) return given;
  const chosen = concurrency < SMALL_ACCOUNT ? FEW_RUNS : reservation(wanted, unreserved);
  const isGiven = given.some((one) => chosen !== null && nameOf(one) === nameOf(chosen));
  return chosen === null || isGiven ? given : [...given, chosen];
}

/**
 * Returns what to say of an account that may run many functions by now, where the first deploy has limited the stages
 * because it could run few: AWS raises the quota of new accounts by itself. Null where there is nothing to say.
 */
export function outgrown(wanted: Wanted, { concurrency = 0, unreserved }: Runs): string | null {
  const isLimited = wanted.stack !== null && `StageConcurrency=${valueIn(wanted, 'StageConcurrency')}` === FEW_RUNS;
  if (!isLimited || concurrency < SMALL_ACCOUNT) return null;
  const given = ['StageConcurrency=0'];
  const parameters = [...given, reservation({ ...wanted, given }, unreserved) ?? ''].join(' ').trim();
  return `The account may run ${concurrency} functions at a time by now, and the stages are limited as in a new one. A first deploy would choose now: --parameters ${parameters}`;
}

/** Returns the parameter that reserves runs; null where too few runs would be left. */
function reservation(wanted: Wanted, unreserved = 0): string | null {
  let runs = RESERVED.most;
  while (runs >= RESERVED.fewest && reservedRuns((name) => valueIn(wanted, name), runs) > unreserved - UNRESERVED) {
    runs -= 1;
  }
  return runs < RESERVED.fewest ? null : `ReservedConcurrency=${runs}`;
}

/**
 * Returns how many runs the functions reserve: streams of changes, the login, webhooks and each stage, which reserves
 * `StageConcurrency` where that limits it, and those that few call. A test compares it with lib/stack.
 */
export function reservedRuns(value: (name: string) => string | undefined, each: number): number {
  const ofStage = Number(value('StageConcurrency') ?? 0) || each;
  return Number(value('ChangesConcurrency') ?? 0) + (each && 2 * each + stages.length * ofStage + CALLED_BY_FEW);
}

function nameOf(parameter: string): string {
  return parameter.split('=', 1)[0] ?? '';
}
