import type { RunnerCalls } from '../calls.ts';
import type { HeldPort } from '../door/service-ports.ts';
import type { RunnerLimits } from '../settings.ts';

/** The file of the socket, in the folder of the runner. */
export const SOCKET = 'runner.sock';

/** What the program is started with. */
export interface ProgramOptions {
  /** The digest of the program. */
  readonly version: string;
  /** The file of the stable ports; that of the front door is `platform`. */
  readonly ports: string;
  /** The folder of the reserve of the disk. */
  readonly reserve: string;
  readonly limits: Partial<RunnerLimits>;
  /** How long it waits for a service; null: for ever. */
  readonly lingerSeconds: number | null;
  /** The open ports of the service, which it takes over with the front door; the runner before adds them. */
  readonly held?: readonly HeldPort[];
  /** What it has of a runner that was killed. */
  readonly inherited?: Descriptors;
}

/** The descriptors of listening sockets, by the keys of their ports; the calls have that of their file. */
export type Descriptors = Readonly<Record<string, readonly number[]>>;

/** The header with the process id of the runner that a service attends. */
export const RUNNER_ID = 'runner-id';

/** What a runner says of itself. */
export interface Hello {
  /** The digest of its program. */
  readonly version: string;
  readonly pid: number;
  /** The port of its front door. */
  readonly port: number;
  /** The ports on which it listens for the service. */
  readonly held: readonly HeldPort[];
  /** Sentences for the operator about its start. */
  readonly warnings: readonly string[];
  /** Whether it is to run on when the service ends. */
  readonly stays: boolean;
}

/** The calls with one answer. */
export const ANSWERED = [
  ...([
    'apply',
    'begin',
    'stop',
    'remove',
    'states',
    'processes',
    'hasHost',
    'run',
    'input',
    'events',
    'close',
  ] as const),
] satisfies readonly (keyof RunnerCalls)[];

/** Those that are answered piece by piece. */
export const STREAMED = ['logs', 'said'] as const satisfies readonly (keyof RunnerCalls)[];

/** Calls that last as long as an application needs, or wait for something. The others are answered at once. */
export const LASTING: readonly string[] = ['apply', 'stop', 'remove', 'run', 'events', 'close'];

/** Calls that are not repeated when a runner has ended before it has answered: they may have been done. */
export const ONCE: readonly string[] = ['run', 'input', 'close'];
