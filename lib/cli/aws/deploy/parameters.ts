import { PARAMETERS } from '../../../stack/parameter-table.ts';
import { UsageError } from '../../errors.ts';
import { type Findings, reservedRuns, SMALL_ACCOUNT, UNRESERVED, valueIn, type Wanted } from './checks.ts';

const FEW_RUNS = 'StageConcurrency=2';
/** Reserved concurrency is also a limit: too little would refuse a burst of webhooks. */
const RESERVED = { fewest: 10, most: 50 };

/**
 * Returns the parameters of a call, checked: `AlarmEmail=ops@example.com`. Throws a `UsageError`. The CDK ignores one that the
 * stack does not have: a misspelt one would have no effect and no error.
 */
export function checkedParameters(given: readonly string[]): readonly string[] {
  const wrong = given.find((one) => !/^[A-Za-z][A-Za-z0-9]*=/.test(one));
  if (wrong !== undefined) {
    throw new UsageError(`--parameters takes <Name>=<value>, such as AlarmEmail=ops@example.com, and not "${wrong}".`);
  }
  const unknown = given.map((one) => one.slice(0, one.indexOf('='))).find((name) => !Object.hasOwn(PARAMETERS, name));
  if (unknown === undefined) return given;
  throw new UsageError(
    `The stack has no parameter ${unknown}. It has ${Object.keys(PARAMETERS).toSorted().join(', ')}.`,
  );
}

/**
 * Returns the parameters to deploy with. The first time, in an account that may run few functions at a time, the stages
 * are limited, so that deploys leave the rest to the API; in one that may run many, login, webhooks and stages have runs
 * reserved, so that applications leave them those. Later the CDK keeps what is not given.
 */
export function deployParameters(
  wanted: Wanted,
  { concurrency, unreserved }: Pick<Findings, 'concurrency' | 'unreserved'>,
): readonly string[] {
  const { given, stack } = wanted;
  if (stack || concurrency === undefined) return given;
  const chosen = concurrency < SMALL_ACCOUNT ? FEW_RUNS : reservation(wanted, unreserved ?? 0);
  const isGiven = given.some((one) => one.split('=', 1)[0] === chosen?.split('=', 1)[0]);
  return chosen === null || isGiven ? given : [...given, chosen];
}

/**
 * Returns what to say of an account that may run many functions by now, where the first deploy has limited the stages
 * because it could run few: AWS raises the quota of new accounts by itself.
 */
export function outgrown(
  wanted: Wanted,
  { concurrency = 0, unreserved = 0 }: Pick<Findings, 'concurrency' | 'unreserved'>,
): readonly string[] {
  const isLimited = wanted.stack !== null && valueIn(wanted)('StageConcurrency') === FEW_RUNS.split('=')[1];
  if (!isLimited || concurrency < SMALL_ACCOUNT) return [];
  const chosen = ['StageConcurrency=0', reservation({ ...wanted, given: ['StageConcurrency=0'] }, unreserved)];
  const parameters = chosen.filter((one) => one !== null).join(' ');
  return [
    `The account may run ${concurrency} functions at a time by now, and the stages are limited as in a new one. A first deploy would choose now: --parameters ${parameters}`,
  ];
}

/** Returns the parameter that reserves runs; null where too few runs would be left. */
function reservation(wanted: Wanted, unreserved: number): string | null {
  const value = valueIn(wanted);
  let runs = RESERVED.most;
  while (runs >= RESERVED.fewest && reservedRuns(value, runs) > unreserved - UNRESERVED.documented) runs -= 1;
  return runs < RESERVED.fewest ? null : `ReservedConcurrency=${runs}`;
}
