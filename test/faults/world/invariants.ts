import { type Entry, isFinal } from '../../../functions/core/entry/entry.ts';
import { commitStatusOf } from '../../../functions/core/entry/outcome.ts';
import { errors } from '../../../functions/core/errors.ts';
import type { FaultyPlatform } from './faulty-platform.ts';
import type { FakeHost } from './host.ts';

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
  /** What the log says how many there are. */
  readonly counted: { readonly entries: number; readonly changes: number };
  /** Numbers of the entries that the sweep will look at, and of those with a lease on their stage. */
  readonly listed: readonly number[];
  readonly leased: readonly number[];
  /** The entry that each application runs, by its name. */
  readonly active: ReadonlyMap<string, number | null>;
  /** The keys of staged tarballs: `<user>/<number>/…`. */
  readonly tarballs: readonly string[];
}

/** What was called, and remembers it. */
export interface Called {
  readonly host: Pick<FakeHost, 'statusOf'>;
  readonly platform: Pick<FaultyPlatform, 'activations' | 'running'>;
}

/** Returns each promise of the service that does not hold for a user, in words; nothing when all hold. */
export function violations(log: UserLog, called: Called, promised: Promised): string[] {
  return [
    ...gaps(log),
    ...unfinished(log),
    ...broken(log, promised),
    ...history(log),
    ...activations(log, called, promised.user),
    ...statuses(log, called),
    ...leftTarballs(log, promised),
  ];
}

function gaps({ entries, changes, counted }: UserLog): string[] {
  const dense = (what: string, numbers: readonly number[], last: number) =>
    numbers.length === last && numbers.every((number, index) => number === index + 1)
      ? []
      : [`${what} are ${numbers.join(',')}, and the counter says ${last}`];
  const [seqs, numbers] = [changes.map(({ seq }) => seq), entries.map(({ number }) => number)];
  return [...dense('seqs', seqs, counted.changes), ...dense('numbers', numbers, counted.entries)];
}

function unfinished({ entries, listed, leased }: UserLog): string[] {
  const open = entries.filter(({ status }) => !isFinal(status)).map((one) => `${named(one)} is still ${one.status}`);
  const ended = new Set(entries.filter(({ status }) => isFinal(status)).map(({ number }) => number));
  const isEnded = (number: number) => ended.has(number);
  return [
    ...open,
    ...listed.filter(isEnded).map((number) => `entry ${number} is final and still listed for the sweep`),
    ...leased.filter(isEnded).map((number) => `entry ${number} is final and still leased`),
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

function activations(log: UserLog, called: Called, user: string): string[] {
  const own = called.platform.activations.filter(({ app }) => app.startsWith(`${user}/`));
  return [...new Set(own.map(({ app }) => app))].flatMap((app) => {
    const snapshots = own.filter((one) => one.app === app).map(({ snapshot }) => snapshot);
    return [...overtaken(log, app, snapshots), ...doubled(log, app, snapshots), ...running(log, called, app)];
  });
}

/** A snapshot is started for its deploy, and for each rollback to it. */
function overtaken({ entries }: UserLog, app: string, snapshots: readonly string[]): string[] {
  let order = 0;
  return snapshots.flatMap((snapshot, index) => {
    const orders = entries.filter((one) => one.snapshot === snapshot).map((one) => one.order ?? 0);
    const next = Math.min(...orders.filter((one) => one >= order));
    if (!Number.isFinite(next)) return [`${app}: ${snapshot} live after ${snapshots[index - 1]}`];
    order = next;
    return [];
  });
}

function doubled({ entries }: UserLog, app: string, snapshots: readonly string[]): string[] {
  const shaOf = (snapshot: string) => entries.find((one) => one.snapshot === snapshot)?.sha ?? '';
  return [...new Set(snapshots.map(shaOf))].flatMap((sha) => {
    const times = snapshots.filter((snapshot) => shaOf(snapshot) === sha).length;
    const own = entries.filter((one) => one.sha === sha);
    const failed = own.filter(({ status }) => status === 'error').length;
    const back = own.filter(({ operation, status }) => operation === 'rollback' && status !== 'error').length;
    return times > 1 + failed + back ? [`${app}: ${sha} was activated ${times} times, and failed ${failed} times`] : [];
  });
}

/** The newest deploy that is `ok` runs, unless a later one was started and could not be confirmed. */
function running({ entries, active }: UserLog, { platform }: Called, app: string): string[] {
  const name = app.split('/').at(-1) ?? '';
  const snapshot = platform.running(app);
  const done = entries.filter((entry) => entry.appName === name && entry.status === 'ok');
  const newest = done.sort((one, other) => (other.order ?? 0) - (one.order ?? 0))[0];
  if (!newest) return [];
  const isLater = entries.some(
    (one) => one.snapshot === snapshot && one.status === 'error' && (one.order ?? 0) > (newest.order ?? 0),
  );
  const listed = active.get(name);
  return [
    ...(snapshot === newest.snapshot || isLater ? [] : [`${app} runs ${snapshot}, not ${newest.snapshot}`]),
    ...(listed === newest.number ? [] : [`${app}: the log says that it runs ${listed}, not ${newest.number}`]),
  ];
}

function statuses({ entries }: UserLog, { host }: Called): string[] {
  return entries.flatMap((entry) => {
    const [wanted, set] = [commitStatusOf(entry), host.statusOf(entry.sha ?? '')];
    const others = entries.some((one) => one !== entry && one.sha === entry.sha && commitStatusOf(one) !== null);
    return wanted === null || wanted === set || others
      ? []
      : [`${named(entry)} is ${entry.status}, and the status of its commit is ${set}`];
  });
}

/** No deploy leaves a tarball, however it has ended. */
function leftTarballs({ entries, tarballs }: UserLog, { user, leavesTarballs }: Promised): string[] {
  return tarballs.flatMap((key) => {
    const entry = entries.find(({ number }) => number === Number(key.split('/')[1]));
    if (!entry || !key.startsWith(`${user}/`)) return [`the tarball ${key} belongs to no entry`];
    return leavesTarballs ? [] : [`the tarball ${key} of a deploy that is ${entry.status} was left`];
  });
}

function named({ number, seq }: Entry): string {
  return `entry ${number} (change ${seq})`;
}
