import { createHash } from 'node:crypto';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type Entry, storedEntry, withRunningStage } from '../../../core/entry/entry.ts';
import { packedJson, unpackedJson } from '../../../core/entry/packed.ts';
import type { CommitRef, RepositoryRef } from '../../../core/payload/delivery.ts';

export type Item = Record<string, AttributeValue>;

export const S = (value: string): AttributeValue => ({ S: value });
export const N = (value: number): AttributeValue => ({ N: String(value) });

export function numberIn(item: Item | undefined, name: string): number | undefined {
  const value = item?.[name]?.N;
  return value === undefined ? undefined : Number(value);
}

export function stringIn(item: Item | undefined, name: string): string | undefined {
  return item?.[name]?.S;
}

export const APP_PREFIX = 'A#';

/** The keys of the table: all items of a user are in the user's partition. */
export const keys = {
  counters: (user: string) => key(user, 'HEAD'),
  change: (user: string, seq: number) => key(user, changeSk(seq)),
  entry: (user: string, number: number) => key(user, entrySk(number)),
  app: (user: string, app: string) => key(user, `${APP_PREFIX}${app}`),
  /** The settings of an application, an attribute each. */
  appSettings: (user: string, app: string) => key(user, `O#${app}`),
  badge: (user: string, repository: string, path?: string) =>
    key(user, `R#${short(repository.toLowerCase() + (path === undefined ? '' : `:${path}`))}`),
  branch: (user: string, repository: RepositoryRef, track: string) =>
    key(user, `B#${short(`${repositoryName(repository)}#${track}`)}`),
  /** What is held of a preview, by the key of its owner. */
  held: (user: string, owner: string) => key(user, `H#${short(owner)}`),
  delivery: (user: string, deliveryKey: string) => key(user, `W#${short(deliveryKey)}`),
  commit: (user: string, commit: CommitRef, track: string) =>
    key(user, `${commitPrefix(commit, commit.sha)}#${short(track)}`),
  /** The cursor of the platform's events, which are those of all users; no user has such a sort key. */
  appEvents: () => key('PLATFORM', 'EVENTS'),
  /** A user, with the password and API tokens. All are in one partition, and no item of a user has such a sort key. */
  account: (user: string) => key('ACCOUNTS', `U#${user}`),
  token: (user: string, host: string, app: string) => key(user, `T#${host}#${app}`),
};

/** Returns the prefix of the sort keys of all commits that start with these digits. */
export function commitPrefix(repository: RepositoryRef, digits: string): string {
  return `G#${short(repositoryName(repository))}#${digits}`;
}

/** Returns the commit of a commit state's item. */
export function shaOf(item: Item): string {
  return (stringIn(item, 'sk') ?? '').split('#')[2] ?? '';
}

/** Returns the commit of a commit state's item; null when it is on another track. */
export function commitOf(item: Item, track: string): string | null {
  const [, , sha, ...rest] = (stringIn(item, 'sk') ?? '').split('#');
  return rest.join('#') === short(track) ? (sha ?? null) : null;
}

/** Sort keys that are read in ranges. */
export const changeSk = (seq: number): string => `C#${padded(seq)}`;
export const entrySk = (number: number): string => `E#${padded(number)}`;

/** Keys of the index of an application's entries. */
export const appPartition = (user: string, app: string): string => `${user}#${app}`;
/** Where the same index has the applications of an owner: no name has two of these signs. */
export const ownerPartition = (user: string, owner: string): string => `${user}##${owner}`;
export const appSort = (position: number): string => padded(position);

/** Partitions of the index of unfinished entries: several, so that none of them is hot. */
export const DUE_PARTITIONS = 8;
export const duePartition = (shard: number): string => `DUE#${shard}`;

/** Partitions of the applications in the same index: each changes once an hour. Previews have one of their own. */
export const RECONCILE_PARTITION = 'RECONCILE';
export const PREVIEW_PARTITION = 'PREVIEW';

/** How the badge of the repository counts an unfinished entry. */
export type UnderWay = 'deploying' | 'held';

/** The attributes of an entry's item outside the document. They change without a change in the feed. */
export interface Work {
  readonly attempts: number;
  /** Tries at its stage that have ended with the process. */
  readonly restarts: number;
  readonly lease: number | null;
  readonly takenAt: number | null;
  /** Position among the entries of the application, from 1; null before its name is known. */
  readonly appPosition: number | null;
  /** How the badge of its repository counts it; null when it does not. */
  readonly counted: UnderWay | null;
  /** When the index has the sweeper look at it; null when it has not been due so far. */
  readonly lookAt: number | null;
}

/**
 * Returns the item of an entry. It is due at `dueAt`; null: never. The index has the sweeper look at it then or earlier:
 * each change of that key would cost two writes, and most entries end before their first is over.
 */
export function entryItem(entry: Entry, work: Work, dueAt: number | null): Item {
  return {
    ...keys.entry(entry.user, entry.number),
    ...state(entry),
    attempts: N(work.attempts),
    ...(work.restarts > 0 && { restarts: N(work.restarts) }),
    ...(work.lease !== null && { lease: N(work.lease) }),
    ...(work.takenAt !== null && { taken_at: N(work.takenAt) }),
    ...(work.appPosition !== null &&
      entry.appName && { app_pk: S(appPartition(entry.user, entry.appName)), app_sk: S(appSort(work.appPosition)) }),
    ...(work.counted !== null && { counted: S(work.counted) }),
    ...(dueAt !== null && {
      due_pk: S(duePartition(entry.number % DUE_PARTITIONS)),
      due: N(dueAt),
      due_at: N(Math.min(work.lookAt ?? dueAt, dueAt)),
    }),
  };
}

/** The mark of a change that is signalled, which the stream's filter looks for. */
export const WATCHED = { attribute: 'watched', value: 'yes' } as const;

/** Returns the item of a change, with a copy of the entry. */
export function changeItem(entry: Entry, expires: number, isWatched: boolean): Item {
  const mark = isWatched && { [WATCHED.attribute]: S(WATCHED.value) };
  return { ...keys.change(entry.user, entry.seq), doc: packedDoc(entry), expires: N(expires), ...mark };
}

/** Returns the entry in an item as its document has it: in the item of a change, the entry at that time. */
export function changeOf(item: Item): Entry {
  return storedEntry(JSON.parse(unpackedJson(item.doc?.B ?? new Uint8Array())));
}

/** Returns the entry in an item, with the running stage among its stages. */
export function entryOf(item: Item): Entry {
  const run = { takenAt: numberIn(item, 'taken_at') ?? null, attempts: numberIn(item, 'attempts') ?? 1 };
  return withRunningStage(changeOf(item), run);
}

export function workOf(item: Item): Work {
  const position = stringIn(item, 'app_sk');
  return {
    attempts: numberIn(item, 'attempts') ?? 0,
    restarts: numberIn(item, 'restarts') ?? 0,
    lease: numberIn(item, 'lease') ?? null,
    takenAt: numberIn(item, 'taken_at') ?? null,
    appPosition: position === undefined ? null : Number(position),
    counted: (stringIn(item, 'counted') ?? null) as UnderWay | null,
    lookAt: numberIn(item, 'due_at') ?? null,
  };
}

function packedDoc(entry: Entry): AttributeValue {
  return { B: packedJson(JSON.stringify(entry)) };
}

function state(entry: Entry): Item {
  return { doc: packedDoc(entry), seq: N(entry.seq), status: S(entry.status), stage: S(entry.stage) };
}

function key(user: string, sk: string): Item {
  return { pk: S(user), sk: S(sk) };
}

function padded(number: number): string {
  return String(number).padStart(12, '0');
}

/** Lower case, because hosts ignore the case of owners and names, and senders write them differently. */
function repositoryName({ host, owner, name }: RepositoryRef): string {
  return `${host}/${owner}/${name}`.toLowerCase();
}

/** A sort key has at most 1024 bytes; names that senders choose can be longer. */
function short(text: string): string {
  if (Buffer.byteLength(text) <= 300) return text;
  return createHash('sha256').update(text).digest('hex');
}
