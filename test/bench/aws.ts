// Which quota of AWS bends first: what a deploy takes, as tests count it, times deploys an hour, against each quota.
// Nothing is measured here, and nothing was tried on an account.
import { DEPLOY } from '../support/template/costs.ts';
import { type Bench, plainRow } from './row.ts';

/** What an account allows; a rate a second, or how many at a time. */
interface Account {
  readonly name: string;
  /** https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html */
  readonly runs: number;
  /** Of one stage, as the first deploy limits or reserves them. */
  readonly runsOfStage: number;
  /** Quota L-72045165; a new account has 0 or 1, an old one what is asked for. 300 is the most that was seen listed. */
  readonly builds: number;
}

const OLD: Account = { name: 'old', runs: 1000, runsOfStage: 50, builds: 300 };
const ACCOUNTS: readonly Account[] = [{ name: 'new', runs: 10, runsOfStage: 2, builds: 1 }, OLD];

/** Of each account, a second: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html#api-requests */
const CONTROL_CALLS = 15;
const GET_FUNCTION = 100;
/** Of a method of the API, a second: the stage's own throttle. */
const HOOKS = 50;
/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html */
const WRITE_UNITS_OF_PARTITION = 1000;

/** The first two are counted by tests (hosting.test.ts, costs.ts); seconds are estimates, of a build of a minute. */
const TAKES = {
  controlCalls: 5,
  writeUnits: DEPLOY.writeUnits,
  /** Three changes, each asked after until it is settled: 200 ms and half as much more each time, for two seconds. */
  getFunction: 3 * 5,
  runSeconds: 20,
  /** Of the longest stage, which starts the application. */
  stageSeconds: 15,
  buildSeconds: 60,
  changes: 7,
};
/**
 * A run of `changes-signal` has so many changes, and posts one message for all of them to each connection of their user,
 * so many at a time. Lambda runs one at a time for a partition, which a user is.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html
 */
const SIGNALS = { changesOfRun: 100, postsAtATime: 20, postSeconds: 0.015, runSeconds: 60 };
/** Of all APIs of an account together, a second: https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html */
const GATEWAY_REQUESTS = 10_000;
const WATCHERS = 1000;
/**
 * Calls a second that cannot be raised, of FilterLogEvents in the region with the fewest, and the pause of a reader of
 * output while nothing comes. https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html
 */
const LOG_SEARCHES = 5;
const READER_PAUSE_SECONDS = 10;
/** PutSubscriptionFilter, likewise; one at the first start of an application. */
const NEW_FILTERS = 5;
/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html */
const READ_UNITS_OF_PARTITION = 3000;
/** A page of 100 entries of up to a kilobyte, read consistently, whatever comes before it: entries are keys of their number. */
const READ_UNITS_OF_PAGE = 25;
/** Tables and their indexes grow without a quota; an estimate, of an entry with its changes, indexes and payload. */
const ENTRY_KILOBYTES = 6;

/** The part of each quota that is used at a rate of deploys a second; more than 1 is more than AWS allows. */
function used(rate: number, { runs, runsOfStage, builds }: Account): Record<string, number> {
  return {
    'builds at a time': (rate * TAKES.buildSeconds) / builds,
    'runs at a time': (rate * TAKES.runSeconds) / runs,
    'runs of the longest stage': (rate * TAKES.stageSeconds) / runsOfStage,
    "Lambda's control plane": (rate * TAKES.controlCalls) / CONTROL_CALLS,
    GetFunction: (rate * TAKES.getFunction) / GET_FUNCTION,
    'webhooks a second': rate / HOOKS,
  };
}

/** What watchers of one user take while so many deploys a second change the user's log. */
function watched(rate: number): Record<string, number> {
  const seconds = (WATCHERS / SIGNALS.postsAtATime) * SIGNALS.postSeconds;
  const changes = rate * TAKES.changes;
  const runs = Math.min(changes, 1 / seconds);
  return {
    'changes of a run': (changes * seconds) / SIGNALS.changesOfRun,
    'seconds of a run': seconds / SIGNALS.runSeconds,
    'posts of the account': (runs * WATCHERS) / GATEWAY_REQUESTS,
  };
}

/** Which quota is used most, and how much of it. */
function first(parts: Readonly<Record<string, number>>): { readonly name: string; readonly part: number } {
  const [[name, part] = ['', 0]] = Object.entries(parts).sort(([, one], [, other]) => other - one);
  return { name, part };
}

const percent = (part: number) => `${Math.round(part * 100)} %`;

export const run: Bench = async () => {
  const rows = [100, 1_000, 10_000].flatMap((hourly) =>
    ACCOUNTS.map((account) => {
      const { name, part } = first(used(hourly / 3600, account));
      const limit = { most: '100 %', reached: part <= 1 };
      // What a new account allows is for information: more has to be asked for.
      return plainRow(
        `${hourly} an hour, ${account.name}: ${name}`,
        percent(part),
        account.name === 'old' ? limit : undefined,
      );
    }),
  );
  const partition = (10 * TAKES.writeUnits) / WRITE_UNITS_OF_PARTITION;
  const pages = ((WATCHERS / 60) * READ_UNITS_OF_PAGE) / READ_UNITS_OF_PARTITION;
  const most = (part: number) => ({ most: '100 %', reached: part <= 1 });
  const watchers = [10_000 / 3600, 10].map((rate) => {
    const { name, part } = first(watched(rate));
    const deploys = rate === 10 ? '10 a second' : '10000 an hour';
    return plainRow(`${WATCHERS} watchers of one user, ${deploys} of that user: ${name}`, percent(part), most(part));
  });
  const sustained = first(used(10, OLD));
  return [
    ...rows,
    plainRow('10 a second of one user: write units of a partition', percent(partition), most(partition)),
    plainRow(`10 a second, old: ${sustained.name}; the rest waits in its queue`, percent(sustained.part)),
    ...watchers,
    plainRow(
      'a million entries of one user, 1000 pages a minute: read units of a partition',
      percent(pages),
      most(pages),
    ),
    plainRow(
      'readers of quiet output, eu-central-1: FilterLogEvents',
      `${LOG_SEARCHES * READER_PAUSE_SECONDS} at most`,
    ),
    plainRow('first starts: PutSubscriptionFilter', `${NEW_FILTERS} a second at most`),
    plainRow('a million entries: the tables', `${ENTRY_KILOBYTES} GB, without a quota`),
  ];
};
