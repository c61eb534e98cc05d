import type { Used } from '../../functions/core/ports/applications.ts';
import type {
  PrintedLine,
  Process,
  ProcessList,
  RunInput,
  RunStart,
  RunStarted,
  Said,
  Scale,
} from '../../functions/core/ports/processes.ts';
import type { PasswordHash } from '../../functions/core/secrets.ts';
import type { ReleaseFolders } from '../builder/process/child-environment.ts';
import type { CronEntry } from '../builder/start/cron.ts';
import type { ProcessTypes } from '../builder/start/process-types.ts';
import type { StartManifest } from '../builder/start/start-command.ts';
import type { BuiltRelease, KeptFiles } from '../files/kept-files.ts';
import type { Isolation } from '../process/sandbox.ts';

/** An application by its user and its name in paths. */
export interface AppId {
  readonly user: string;
  readonly app: string;
}

/** Returns a key for maps of applications. */
export function appKey({ user, app }: AppId): string {
  return `${user}/${app}`;
}

/** An application's environment variables. Their values are never logged. */
export type Variables = Readonly<Record<string, string>>;

/** What an application is asked for to know that it is up. */
export interface HealthCheck {
  readonly path: string;
  readonly seconds: number;
}

/** A built snapshot that can be started. */
export interface ReleaseSpec extends ReleaseFolders, Pick<BuiltRelease, 'since'> {
  readonly snapshot: string;
  readonly manifest: StartManifest;
  readonly types: ProcessTypes;
  readonly cron: readonly CronEntry[];
  /** Whether it may start while the release before it runs. */
  readonly overlap: boolean;
  /** Whether a visitor stays with one of several web processes. */
  readonly affinity: boolean;
  /** Null: any answer to `GET /` below 500. */
  readonly health: HealthCheck | null;
  /** The paths of what outlives it. */
  readonly kept: readonly string[];
}

/**
 * Which of two descriptions was made later. They may come in another order: each call brings one, and what a killed runner has
 * not answered is sent again.
 */
export interface SpecVersion {
  /** The service that made it, by the time of its start. A runner outlives services. */
  readonly service: number;
  /** Rises with each description, before its records are read. */
  readonly number: number;
}

/** The description of an application. Its next start uses it; what runs keeps the description that it was started with. */
export interface AppSpec extends AppId {
  readonly version: SpecVersion;
  /** The port that it had last; null when it never had one. */
  readonly port: number | null;
  readonly scale: Scale;
  /** The host names that the platform gives it. Under the first one it is asked whether it answers. */
  readonly hosts: readonly [string, ...string[]];
  /** Its other host names. */
  readonly domains: readonly string[];
  /** The domains to which some of these redirect. */
  readonly redirects: Readonly<Record<string, string>>;
  /** What visitors are asked for, whatever the host name; null: nothing. */
  readonly password: PasswordHash | null;
  /** The release that is live, or was last; null while it cannot be started. */
  readonly release: ReleaseSpec | null;
  readonly variables: Variables;
  /** The file of its output. */
  readonly log: string;
  /** The application's own folder, which persists across releases. */
  readonly dataDir: string;
  /** The user's caches. */
  readonly caches: string;
  /** The memory limit of each process with all that it starts; null: none. */
  readonly memoryMb: number | null;
  /** How many processes a process with all that it starts may be. */
  readonly mostProcesses: number;
  /** Null: its processes see all that the service sees. */
  readonly isolation: Isolation | null;
}

export interface AppState extends AppId {
  readonly state: Process['state'];
  readonly used: Used;
}

/** Why a release cannot be had, in one sentence. */
export interface Missing {
  readonly snapshot: string;
  readonly why: string;
}

/** Something that happened to an application. Never holds the value of a variable. */
export interface RunnerEvent extends AppId {
  readonly type: string;
  readonly snapshot?: string;
  /** One sentence where the type alone does not say enough. */
  readonly detail?: string;
  /** The snapshot that serves again in its place, and the entry of a restart that is taken back by that. */
  readonly serves?: string;
  readonly entry?: number;
  /** The process besides `web` that it is about. */
  readonly process?: string;
  /** What fails outside of a deploy, or is fine again; see `Incident`. */
  readonly about?: string;
  /** Whether the detail is the cause, so that none is looked for in the output. */
  readonly isCause?: boolean;
  readonly milliseconds?: number;
  /** The port that the application has now. */
  readonly port?: number;
  /** Why it has crashed, in one sentence, and the last lines that the process has printed. */
  readonly reason?: string;
  readonly lines?: readonly string[];
}

/** The number of an event, from 1, in the runner that has reported it. */
export interface EventId {
  readonly of: string;
  readonly seq: number;
}

export interface NumberedEvent {
  readonly id: EventId;
  readonly event: RunnerEvent;
}

export type Report = (event: RunnerEvent) => void;

/** Reports an event of one application. */
export type ReportOf = (type: string, more: Omit<RunnerEvent, 'type' | 'user' | 'app'>) => void;

/** Returns what the incidents of a process are about. */
export function processSubject(name: string): string {
  return `The process ${name}`;
}

/** The lines of a log that are asked for. */
export interface LogQuery {
  /** So many of the last ones. */
  readonly lines: number;
  /** Those of a process (`worker.2`), or of all of a type (`worker`); absent: all. */
  readonly process?: string;
  /** New ones too, until the signal aborts. */
  readonly follow: boolean;
}

export type Resumption = Extract<Act, { readonly is: 'resume' }>;

/** What is done with an application besides describing it. */
export type Act =
  /**
   * Starts a release unless it is live. When that fails, the old one stays live, or is started again where it had to end first:
   * that release takes over (`keptFiles`) what it has written, or does not `overlap`.
   */
  | { readonly is: 'start'; readonly release: ReleaseSpec; readonly keptFiles?: KeptFiles | undefined }
  /** Starts the release again, with the current variables. `entry` is in the event that takes it back. */
  | { readonly is: 'restart'; readonly entry?: number | undefined }
  /**
   * Starts an application that ran before, with retries as after a crash; ends when it was tried once. Without a release, and
   * `later`, it is `starting` until it is resumed with one, or with what is `missing`. One that was started or stopped meanwhile
   * stays so.
   */
  | { readonly is: 'resume'; readonly missing?: Missing | undefined; readonly later?: boolean }
  /** Changes how many processes run of each type. */
  | { readonly is: 'scale'; readonly scale: Scale };

/**
 * What the runner is asked to do. Arguments and results are JSON. What cannot be done throws an `HttpError` with one sentence.
 * A call that needs the description of an application brings it, because a runner that was killed and started again has none.
 */
export interface RunnerCalls {
  /** Describes an application, which changes nothing of what runs; then acts. Returns its port; null where it has none yet. */
  apply(app: AppSpec, act?: Act): Promise<number | null>;
  /** All applications are described: the front door serves from now on. */
  begin(): Promise<void>;
  /** Ends the application, and its one-off commands where that is asked for; a start in progress is cancelled. */
  stop(app: AppId, withRuns?: boolean): Promise<void>;
  /** Ends the application and its one-off commands, and forgets it. */
  remove(app: AppId): Promise<void>;
  /** Returns the states of all described applications, of those of a user, or of one. */
  states(of?: Partial<AppId>): Promise<readonly AppState[]>;
  processes(app: AppSpec): Promise<ProcessList>;
  /** Whether a host name leads to an application. */
  hasHost(host: string): Promise<boolean>;
  /** Returns lines of an application's output. */
  logs(app: AppSpec, query: LogQuery, signal: AbortSignal): Promise<AsyncIterable<readonly PrintedLine[]>>;
  /** Starts a command in a release, by default in that which is live, with the current variables. */
  run(app: AppSpec, run: RunStart, release?: ReleaseSpec): Promise<RunStarted>;
  /** Returns what a command says until its end or the signal; one reader at a time. */
  said(app: AppId, id: string, signal: AbortSignal): Promise<AsyncIterable<readonly Said[]>>;
  /** Sends a command input or a signal. */
  input(app: AppId, id: string, input: RunInput): Promise<void>;
  /**
   * Returns the events after that one, once there are any; those before are forgotten. After one of another runner: all.
   */
  events(after: EventId | null, signal?: AbortSignal): Promise<readonly NumberedEvent[]>;
  /** Ends everything. */
  close(): Promise<void>;
}
