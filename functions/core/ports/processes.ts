/** A process of an application. */
export interface Process {
  /** Its type and a number: `worker.1`. */
  readonly name: string;
  /** `web` gets the traffic. */
  readonly type: string;
  readonly command: string;
  /**
   * `restarting`: the pause after it has ended unexpectedly; `crashed`: it did so too often, and is tried again every
   * minute; `asleep`: the next request starts it.
   */
  readonly state: 'starting' | 'running' | 'asleep' | 'restarting' | 'crashed' | 'stopped';
  /** When it came into this state, RFC 3339; null when that is not known. */
  readonly since: string | null;
  /** How often it was started again after it had ended unexpectedly. */
  readonly restarts: number;
  /** Resident bytes of all its processes; null when none runs. */
  readonly memory: number | null;
}

/** A command that runs at the times of a schedule. All times are RFC 3339. */
export interface CronJob {
  /** The name that its lines of the output have: `@cron.1`. */
  readonly name: string;
  readonly schedule: string;
  readonly command: string;
  /** When the run that is going began; null when none is. */
  readonly running: string | null;
  /** The last run that has ended since the service was started. */
  readonly last: { readonly at: string; readonly seconds: number; readonly exit: number } | null;
  /** Null while the application does not run. */
  readonly next: string | null;
}

/** A minute of an application. */
export interface UsedMinute {
  /** When it began, RFC 3339. */
  readonly at: string;
  /** How many requests were answered, by the class of the status: `{"2xx": 12, "5xx": 1}`. */
  readonly requests: Readonly<Record<string, number>>;
  /** The most bytes that were measured in it; null when none were. */
  readonly memory: number | null;
}

/** How many processes are to run, by type; `auto` of `web`: it sleeps while nobody uses it. */
export type Scale = Readonly<Record<string, number | 'auto'>>;

/** What runs of an application. */
export interface ProcessList {
  readonly processes: readonly Process[];
  readonly cron: readonly CronJob[];
  readonly scale: Scale;
  /** The minutes of the last hour in which there was something to count, oldest first. */
  readonly usage?: readonly UsedMinute[];
}

/** A line that an application, or (`platform`) the platform about it, has printed. */
export interface PrintedLine {
  /** RFC 3339. */
  readonly at: string;
  readonly stream: 'stdout' | 'stderr' | 'platform';
  /** Absent for `web`. */
  readonly process?: string;
  readonly line: string;
}

/** The terminal of a one-off command: its size in characters, and its type for the variable `TERM`. */
export interface RunTerminal {
  readonly columns: number;
  readonly rows: number;
  readonly type?: string;
}

export interface RunStart {
  /** The program and its arguments; a single text is a line for the shell. */
  readonly command: readonly string[];
  readonly terminal?: RunTerminal;
}

export interface RunStarted {
  readonly id: string;
  /** Whether it has a terminal. */
  readonly terminal: boolean;
}

export interface RunInput {
  /** Base64. */
  readonly data?: string;
  /** Whether that was all of its input. */
  readonly end?: boolean;
  readonly signal?: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGQUIT' | 'SIGKILL';
  /** The new size of its terminal. */
  readonly terminal?: RunTerminal;
}

/** What a one-off command says: pieces of its output in base64, and at last how it has ended. */
export type Said =
  | { readonly stream: 'stdout' | 'stderr'; readonly data: string }
  | { readonly exit: number; readonly reason: string | null };
