import * as v from 'valibot';
import { about, type Sent, text, textOrNull } from '../schema.ts';
import type { AppEvent, Incident } from './app-event.ts';
import type { AppOperations, AppRef, BuildOutput, HostingPlatform } from './platform.ts';
import type { PrintedLine, ProcessList, RunInput, RunStart, RunStarted, Said, Scale } from './processes.ts';

/**
 * What an application does; `starting`: it does not answer yet, as while it is built again; `asleep`: the next request
 * starts it; `restarting`: it has crashed, and has not run for a minute since; `crashed`: it is not started again by itself;
 * `never`: nothing has been started yet.
 */
export type AppState = 'running' | 'starting' | 'restarting' | 'asleep' | 'stopped' | 'crashed' | 'never';

/** Requests that were answered in the last hour, and the bytes of memory that its processes had last; null: not measured. */
export interface Used {
  readonly requests: number;
  readonly memory: number | null;
}

export interface Application extends AppRef {
  /** The name in package.json, with its scope. */
  readonly name: string;
  readonly state: AppState;
  /** The address at which it answers; null before its first start. */
  readonly url: string | null;
  /** The snapshot that serves, or served last; null before the first. */
  readonly snapshot: string | null;
  /** Absent where nothing is counted. */
  readonly used?: Used | undefined;
}

/** The applications on the platform. All methods throw `request:failed` when the platform does not answer. */
export interface Applications {
  /** Whether an application can get another name; else why not, and what to do instead. */
  readonly canRename: true | string;
  /** Returns the user's applications, sorted by their names on the platform. */
  list(user: string): Promise<readonly Application[]>;
  find(app: AppRef): Promise<Application | null>;
  /** Returns the ids of the snapshots that the platform still has and could start again. */
  snapshots(app: AppRef): Promise<readonly string[]>;
}

/** New values of variables by name; null for one that is removed. */
export type VariableChanges = Readonly<Record<string, string | null>>;

/** Returns the changes to the variables that there are; it is called again when another change was faster. */
export type VariableDecision = (known: Readonly<Record<string, string>>) => VariableChanges;

/**
 * The environment variables of applications, which are kept across deploys. Values are secrets: never logged, never in
 * an entry. All methods throw `request:failed` when the platform does not answer.
 */
export interface AppVariables {
  /** Returns the variables; null for an unknown application. */
  read(app: AppRef): Promise<Readonly<Record<string, string>> | null>;
  /**
   * Changes these variables and keeps the others; null removes one, also when there is none of that name. All or none
   * are changed. Returns false for an unknown application. Throws `request:bad_parameter` for a name or a value that
   * the platform refuses, and `request:too_large`.
   */
  set(app: AppRef, changes: VariableChanges | VariableDecision): Promise<boolean>;
  /** Removes a variable. Returns false when there is none of that name, or no such application. */
  unset(app: AppRef, name: string): Promise<boolean>;
  /** Makes an application without any deploy, so that it can have variables before the first. Idempotent. */
  create(app: AppRef, packageName: string): Promise<void>;
}

/** The passwords that visitors of applications are asked for. All methods throw `request:failed`. */
export interface AppPasswords {
  /** Whether an application has one; false for an unknown application. */
  has(app: AppRef): Promise<boolean>;
  /**
   * Gives the application and its previews a password at once, of which a hash is kept; null removes it. An unknown application
   * is made, so that its first release has it. Throws `request:throttled` when too many are being set.
   */
  set(app: AppRef, packageName: string, password: string | null): Promise<void>;
}

/**
 * The processes of applications. All methods return null for an unknown application. They throw `request:failed` when
 * the platform does not answer, and `request:not_supported` when it has no processes.
 */
export interface AppProcesses {
  list(app: AppRef): Promise<ProcessList | null>;
  /**
   * Changes how many processes of some types run, now and after later deploys; others stay. Returns what runs then.
   * Throws `request:bad_parameter` for what cannot be, and `request:conflict` before the first start.
   */
  scale(app: AppRef, counts: Scale): Promise<ProcessList | null>;
}

export const Domain = about(
  'A domain of an application.',
  v.object({
    name: text,
    url: about('Where it answers; null while the service has no public address.', textOrNull),
    redirect: v.exactOptional(
      about('The domain of the application to which it redirects; absent: it is served.', text),
    ),
    points_here: about('Whether it leads to the service; null when DNS does not answer.', v.nullable(v.boolean())),
    note: about('One sentence that says what is missing.', textOrNull),
  }),
);

export type Domain = Sent<typeof Domain>;

/**
 * Domains of applications besides the names that the platform gives them. All methods throw `request:failed` when the
 * platform does not answer, and `request:not_supported` where an application cannot have any.
 */
export interface AppDomains {
  /** Returns the domains, oldest first; null for an unknown application. */
  list(app: AppRef): Promise<readonly Domain[] | null>;
  /**
   * Gives the application a name; `isNew` is false when it has it already. Returns null for an unknown application. A
   * name that does not lead to the platform yet is no error: the domain says so. Throws `request:conflict` for a name of
   * another application, and `request:bad_parameter` for one of the platform itself.
   *
   * @param redirect the domain to which it redirects; absent: it is served, also if it redirected before. Throws
   * `request:conflict` unless that is another domain of the application, which is served
   */
  add(
    app: AppRef,
    name: string,
    redirect?: string,
  ): Promise<{ readonly domain: Domain; readonly isNew: boolean } | null>;
  /**
   * Frees a name. Returns false when the application does not have it, or does not exist. Throws `request:conflict` for one
   * to which others redirect.
   */
  remove(app: AppRef, name: string): Promise<boolean>;
}

/**
 * One-off commands in the release that is live. All methods throw `request:failed` when the platform does not answer,
 * and `request:not_supported` when it cannot run any.
 */
export interface AppRuns {
  /**
   * Starts a command, and returns its id; null for an unknown application. Throws `request:bad_parameter` when there is
   * no such program, `request:conflict` before the first start, `request:throttled` when too many run.
   */
  start(app: AppRef, run: RunStart): Promise<RunStarted | null>;
  /**
   * Returns in batches what it says, its end as the last; null for an unknown one. Each piece is read once: after an
   * abort of the signal, which ends the iteration without an error, another call reads on. The end, which a cut connection
   * may lose, may be there again for ten seconds. A command that nobody reads
   * for ten seconds is ended. Throws `request:conflict` while another reads it.
   */
  read(app: AppRef, run: string, signal: AbortSignal): Promise<AsyncIterable<readonly Said[]> | null>;
  /** Sends input or a signal. Returns false for an unknown one. Throws `request:throttled` while it does not read. */
  write(app: AppRef, run: string, input: RunInput): Promise<boolean>;
}

export interface OutputQuery {
  readonly lines: number;
  /** Whether new lines are wanted too, as they come. */
  readonly follow: boolean;
  /** Only the lines of this process (`worker.1`) or of all of this type (`worker`); absent: all. */
  readonly process?: string;
}

/** A search in the stored output of an application. */
export interface OutputSearch {
  /** A plain text that a line has, in whatever case. */
  readonly text: string;
  /** So many are looked for. */
  readonly lines: number;
  readonly process?: string;
  /** The `next` of an earlier search, which goes on there; absent: from the newest line on. */
  readonly before?: string;
}

export interface OutputFound {
  /** Newest first. */
  readonly lines: readonly PrintedLine[];
  /** The time of the newest line that was searched, and back to when; null where nothing was. */
  readonly searched: { readonly since: string | null; readonly until: string | null };
  /** Where to go on; null at the beginning of the stored output. */
  readonly next: string | null;
}

export interface AppOutput {
  /**
   * Searches the stored output, the newest lines first, with bounded work: it may end before all `lines` are found. Null for
   * an unknown application. Throws `request:failed`, and `request:bad_parameter` for a `before` that is none.
   */
  search(app: AppRef, query: OutputSearch, signal: AbortSignal): Promise<OutputFound | null>;
  /**
   * Returns lines in batches, oldest first, until all are read or, with `follow`, the signal is aborted; null for an
   * unknown application. Aborting the signal ends the iteration without an error. Throws `request:failed`, also while
   * iterating.
   */
  read(app: AppRef, query: OutputQuery, signal: AbortSignal): Promise<AsyncIterable<readonly PrintedLine[]> | null>;
}

/** Events after a cursor, and the number of the last one that there is. */
export interface AppEventPage {
  readonly events: readonly (AppEvent | Incident)[];
  /** Less than the cursor when the platform has lost its events and counts anew. */
  readonly last: number;
}

export interface AppEvents {
  /**
   * Returns the events after that number, in order, at least the last one of each application. A platform without
   * events has none. Throws `request:failed` when it does not answer.
   */
  after(seq: number): Promise<AppEventPage>;
}

/** The position up to which events have been read, stored between the runs. */
export interface AppEventCursor {
  /** Returns the number of the last event that was read; 0 before the first. */
  read(): Promise<number>;
  write(seq: number): Promise<void>;
}

/** The ports of a platform: all that the service does with what deploys and runs applications. */
export interface PlatformPorts {
  readonly hosting: HostingPlatform;
  readonly applications: Applications;
  readonly operations: AppOperations;
  readonly variables: AppVariables;
  /** Absent where nothing stands before an application. */
  readonly passwords?: AppPasswords;
  readonly processes: AppProcesses;
  readonly runs: AppRuns;
  readonly domains: AppDomains;
  readonly output: AppOutput;
  readonly builds: BuildOutput;
  readonly events: AppEvents;
}
