import { createHash } from 'node:crypto';
import type { AppEvent, Incident } from '../../../../core/ports/app-event.ts';
import type { AppRef, SnapshotRef } from '../../../../core/ports/platform.ts';
import type { CronJob } from '../../../../core/ports/processes.ts';

export interface AppItem {
  /** The name in package.json. */
  readonly name: string;
  /** The live or last live snapshot, the function's version made of it, and the address. */
  readonly snapshot?: string;
  readonly version?: string;
  readonly url?: string;
  readonly state?: 'running' | 'stopped' | 'crashed';
  /** The environment variables, sealed. */
  readonly variables?: string;
  /** When it was last asked whether it answers, in milliseconds since 1970. */
  readonly asked?: number;
  /** The requests that it may have at a time; 0: no limit. */
  readonly limit?: number;
  /** The description of the version whose commands its second function runs; absent: there is no such function. */
  readonly jobs?: string;
  /** What its live release runs at the times of a schedule, and the sort key of the item of the next time. */
  readonly cron?: readonly Pick<CronJob, 'command' | 'schedule' | 'timezone'>[];
  readonly due?: string;
}

/**
 * A snapshot. Its tarball is stored (`pending`), its build is about to be started with `token` and `job` (`starting`),
 * runs as `build` (`building`), or has ended.
 */
export interface SnapshotItem {
  readonly sha256: string;
  readonly bytes: number;
  /** When it was stored, in milliseconds since 1970. */
  readonly at: number;
  readonly state: 'pending' | 'starting' | 'building' | 'ready' | 'failed';
  /** The folder of the application in its repository. */
  readonly path?: string;
  /** The id of the commit. */
  readonly commit?: string;
  readonly token?: string;
  /** The address of what the build works with. */
  readonly job?: string;
  /** That its release was begun to be made without CodeBuild. */
  readonly packing?: string;
  /** The id of the build in CodeBuild. */
  readonly build?: string;
  /** A remark on the build for the user. */
  readonly note?: string;
  /** The commands and the folder that the build has used, as JSON. */
  readonly found?: string;
  readonly reason?: string;
  readonly log?: readonly string[];
}

/** The application that a function runs. */
interface FunctionItem extends AppRef {
  /** The ARN of the function that its log notifies. */
  readonly watcher?: string;
  /** The ARN of the role with which it has been seen to write its log. */
  readonly writesAs?: string;
}

/** The log of a function that the watch comes back to; times are milliseconds since 1970. */
export interface WatchedLog extends Partial<SnapshotRef> {
  /** When it was told to notify nobody for a while. */
  readonly since?: number;
  /** When this version of the function, made of the snapshot, was tried. */
  readonly tried?: number;
  readonly version?: string;
}

/** An incident of an application. */
export interface AppIncident extends Incident {
  readonly app: string;
}

/** The last change of the state of an application that has crashed, or of an incident, without the lines that it printed. */
export interface EventItem {
  readonly event: AppEvent | AppIncident;
  /** The number of the event, for conditions. */
  readonly at: number;
}

/** The last lines of an application that has crashed: much larger than the event, and read only when it is applied. */
interface EventLogItem {
  readonly log: readonly string[];
}

/** A one-off command that runs, or has ended and was not read. */
export interface RunItem {
  /** When it was started, in milliseconds since 1970, and how many bytes of what it says were read. */
  readonly at: number;
  readonly read: number;
}

/** The next time of the cron of an application, or an entry that runs, with what it is. */
export interface DueItem extends AppRef {
  readonly run?: string;
  readonly about?: string;
  /** When it began, by which it differs from the next one. */
  readonly began?: string;
}

/** The attributes of an item whose values are not texts. */
type NotText<Item> = { [Name in keyof Item]-?: Item[Name] extends string | undefined ? never : Name }[keyof Item];

/** The attributes that are stored as JSON: those that are not texts. */
export const STORED_AS_JSON: Readonly<
  Record<NotText<AppItem> | NotText<SnapshotItem> | NotText<EventItem> | NotText<WatchedLog> | NotText<RunItem>, true>
> = {
  asked: true,
  limit: true,
  bytes: true,
  at: true,
  log: true,
  event: true,
  since: true,
  tried: true,
  cron: true,
  read: true,
};

/** The key of an item with these attributes. */
export interface Key<Item = unknown> extends Partition<Item> {
  readonly sk: string;
}

/** Items with these attributes. */
export interface Partition<Item = unknown> {
  readonly pk: string;
  /** Never there: it ties the type of the attributes to the key. */
  readonly item?: Item;
}

/** What an event is about: an application, or something of it. */
interface EventOf extends AppRef {
  readonly about?: string;
}

/** A command may be longer than a key. */
function subjectOf({ about }: EventOf): readonly string[] {
  return about === undefined ? [] : [createHash('sha256').update(about).digest('hex')];
}

export const keys = {
  apps: (user: string): Partition<AppItem> => ({ pk: `A#${user}` }),
  app: ({ user, app }: AppRef): Key<AppItem> => ({ ...keys.apps(user), sk: app }),
  events: (): Partition<EventItem> => ({ pk: 'E' }),
  event: (of: EventOf): Key<EventItem> => ({ ...keys.events(), sk: [pathOf(of), ...subjectOf(of)].join('#') }),
  eventLog: (of: EventOf): Key<EventLogItem> => ({ pk: `E#${pathOf(of)}`, sk: ['LOG', ...subjectOf(of)].join('#') }),
  function: (name: string): Key<FunctionItem> => ({ pk: `F#${name}`, sk: 'APP' }),
  /** Both kinds in one list, because it is read every minute. */
  watchedLogs: (): Partition<WatchedLog> => ({ pk: 'Q' }),
  quiet: (name: string): Key<WatchedLog> => ({ ...keys.watchedLogs(), sk: name }),
  trial: (name: string): Key<WatchedLog> => ({ ...keys.watchedLogs(), sk: `${name}#trial` }),
  runs: (app: AppRef): Partition<RunItem> => ({ pk: `R#${pathOf(app)}` }),
  run: (app: AppRef, run: string): Key<RunItem> => ({ ...keys.runs(app), sk: run }),
  /** Applications by the next time of their cron, which comes first in the sort key; before all times, what runs. */
  dueApps: (): Partition<DueItem> => ({ pk: 'C' }),
  due: (sk: string): Key<DueItem> => ({ ...keys.dueApps(), sk }),
  going: (app: AppRef, run: string): Key<DueItem> => keys.due(`0#${pathOf(app)}#${run}`),
  snapshots: (app: AppRef): Partition<SnapshotItem> => ({ pk: `S#${pathOf(app)}` }),
  snapshot: (ref: SnapshotRef): Key<SnapshotItem> => ({ ...keys.snapshots(ref), sk: ref.snapshot }),
};

/** Returns an application as one string, which no other has. */
export function pathOf({ user, app }: AppRef): string {
  return `${encodeURIComponent(user)}/${encodeURIComponent(app)}`;
}
