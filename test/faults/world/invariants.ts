import { paginateQuery } from '@aws-sdk/client-dynamodb';
import { entryOf, type Item, numberIn, stringIn } from '../../../functions/adapters/stores/dynamodb/items.ts';
import { commitStatusOf } from '../../../functions/core/entry/commit-status.ts';
import { type Entry, isFinal } from '../../../functions/core/entry/entry.ts';
import { errors } from '../../../functions/core/errors.ts';
import type { World } from './world.ts';

/** What senders were told, which has to be true in the end. */
export interface Promised {
  readonly user: string;
  /** The addresses of the entries of all answers 202 and 200. */
  readonly accepted: readonly string[];
  /** Codes of the answers that were errors. */
  readonly refusals: readonly string[];
  /**
   * Whether a staged tarball may be left, because a worker stored it after the end; the bucket deletes it after two
   * days.
   */
  readonly leavesTarballs: boolean;
}

/** A user's part of the log. */
export interface UserLog {
  readonly entries: readonly Entry[];
  readonly changes: readonly Entry[];
  readonly items: readonly Item[];
}

/** Returns everything that the log holds of a user. */
export async function logOf(world: World, user: string): Promise<UserLog> {
  const { client, table } = world.table();
  const query = {
    TableName: table,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: user } },
    ConsistentRead: true,
  };
  const items: Item[] = [];
  for await (const { Items = [] } of paginateQuery({ client }, query)) items.push(...Items);
  const withPrefix = (prefix: string) => items.filter((item) => skOf(item).startsWith(prefix));
  return { items, entries: withPrefix('E#').map(entryOf), changes: withPrefix('C#').map(entryOf) };
}

/** Returns each promise of the service that does not hold for a user, in words; nothing when all hold. */
export async function violations(world: World, promised: Promised): Promise<string[]> {
  const log = await logOf(world, promised.user);
  return [
    ...gaps(log),
    ...unfinished(log),
    ...broken(log, promised),
    ...history(log),
    ...activations(world, log, promised.user),
    ...statuses(world, log),
    ...(await objects(world, log, promised)),
  ];
}

function gaps({ items, entries, changes }: UserLog): string[] {
  const head = items.find((item) => skOf(item) === 'HEAD');
  const counted = (what: string, numbers: readonly number[], last: number) =>
    numbers.length === last && numbers.every((number, index) => number === index + 1)
      ? []
      : [`${what} are ${numbers.join(',')}, and the counter says ${last}`];
  return [
    ...counted(
      'seqs',
      changes.map(({ seq }) => seq),
      numberIn(head, 'changes') ?? 0,
    ),
    ...counted(
      'numbers',
      entries.map(({ number }) => number),
      numberIn(head, 'entries') ?? 0,
    ),
  ];
}

function unfinished({ items, entries }: UserLog): string[] {
  const open = entries.filter(({ status }) => !isFinal(status)).map((one) => `${named(one)} is still ${one.status}`);
  const ended = items.filter((item) => skOf(item).startsWith('E#') && isFinal(entryOf(item).status));
  const listed = ended.filter((item) => stringIn(item, 'due_pk') !== undefined);
  const leased = ended.filter((item) => numberIn(item, 'lease') !== undefined);
  return [
    ...open,
    ...listed.map((item) => `${skOf(item)} is final and still listed for the sweep`),
    ...leased.map((item) => `${skOf(item)} is final and still leased`),
  ];
}

function broken({ entries }: UserLog, { accepted, refusals }: Promised): string[] {
  const ids = new Set(entries.map(({ id }) => id));
  const codes = [...refusals, ...entries.flatMap(({ error }) => error?.code ?? [])];
  const hasReason = ({ status, reason }: Entry) => status === 'ok' || (reason !== null && reason !== '');
  return [
    ...accepted
      .filter((id) => !ids.has(id.split('/').at(-1) ?? ''))
      .map((id) => `${id} was accepted and is not stored`),
    ...codes.filter((code) => !Object.hasOwn(errors, code)).map((code) => `the code ${code} is not documented`),
    ...entries.filter((one) => !hasReason(one)).map((one) => `${named(one)} is ${one.status} without a reason`),
  ];
}

/** What is final stays as it is, and the last change says what the entry says. */
function history({ entries, changes }: UserLog): string[] {
  return entries.flatMap((entry) => {
    const own = changes.filter(({ number }) => number === entry.number);
    const after = own.slice(own.findIndex(({ status }) => isFinal(status)) + 1);
    const last = own.at(-1);
    return [
      ...(own.some(({ status }) => isFinal(status)) ? after.map((one) => `${named(one)} changed after its end`) : []),
      ...(last?.status === entry.status && last.seq === entry.seq
        ? []
        : [`${named(entry)} differs from its last change`]),
    ];
  });
}

function activations(world: World, { entries, items }: UserLog, user: string): string[] {
  const own = world.platform.activations.filter(({ app }) => app.startsWith(`${user}/`));
  const entryOfSnapshot = (snapshot: string) =>
    entries.find(({ number }) => number === Number(snapshot.split('-').at(-1)));
  const found: string[] = [];
  for (const app of new Set(own.map(({ app: name }) => name))) {
    const started = own.filter((one) => one.app === app).map(({ snapshot }) => entryOfSnapshot(snapshot));
    for (const [index, entry] of started.entries()) {
      const before = started[index - 1];
      if ((entry?.order ?? 0) < (before?.order ?? 0))
        found.push(`${app}: ${entry?.number} live after ${before?.number}`);
    }
    for (const sha of new Set(started.map((entry) => entry?.sha ?? ''))) {
      const times = started.filter((entry) => entry?.sha === sha).length;
      const failed = entries.filter((entry) => entry.sha === sha && entry.status === 'error').length;
      if (times > 1 + failed) found.push(`${app}: ${sha} was activated ${times} times, and failed ${failed} times`);
    }
    found.push(...running(world, app, { entries, items }));
  }
  return found;
}

/** The newest deploy that is `ok` runs, unless a later one was started and could not be confirmed. */
function running(world: World, app: string, { entries, items }: Pick<UserLog, 'entries' | 'items'>): string[] {
  const name = app.split('/').at(-1);
  const number = Number(world.platform.running(app)?.split('-').at(-1));
  const runs = entries.find((entry) => entry.number === number);
  const done = entries.filter((entry) => entry.appName === name && entry.status === 'ok');
  const newest = done.sort((one, other) => (other.order ?? 0) - (one.order ?? 0))[0];
  if (!newest) return [];
  const active = numberIn(
    items.find((item) => skOf(item) === `A#${name}`),
    'active',
  );
  const isLater = runs?.status === 'error' && (runs.order ?? 0) > (newest.order ?? 0);
  return [
    ...(number === newest.number || isLater ? [] : [`${app} runs ${number}, not ${newest.number}`]),
    ...(active === newest.number ? [] : [`${app}: the log says that it runs ${active}, not ${newest.number}`]),
  ];
}

function statuses(world: World, { entries }: UserLog): string[] {
  return entries.flatMap((entry) => {
    const [wanted, set] = [commitStatusOf(entry), world.host.statusOf(entry.sha ?? '')];
    const others = entries.some((one) => one !== entry && one.sha === entry.sha && commitStatusOf(one) !== null);
    return wanted === null || wanted === set || others
      ? []
      : [`${named(entry)} is ${entry.status}, and the status of its commit is ${set}`];
  });
}

/** No deploy leaves a tarball, however it has ended. */
async function objects(world: World, { entries }: UserLog, { user, leavesTarballs }: Promised): Promise<string[]> {
  const keys = (await world.aws.objects()).filter((key) => key.startsWith(`${user}/`));
  return keys.flatMap((key) => {
    const entry = entries.find(({ number }) => number === Number(key.split('/')[1]));
    if (!entry) return [`the object ${key} belongs to no entry`];
    return leavesTarballs ? [] : [`the object ${key} of a deploy that is ${entry.status} was left`];
  });
}

function named({ number, seq }: Entry): string {
  return `entry ${number} (change ${seq})`;
}

function skOf(item: Item): string {
  return stringIn(item, 'sk') ?? '';
}
