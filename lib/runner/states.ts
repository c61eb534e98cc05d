import type { Process } from '../../functions/core/ports/processes.ts';
import type { Missing, RunnerEvent } from './calls.ts';
import { type CrashEnd, type Crashes, NO_CRASHES } from './start/crashes.ts';

/** A start that has answered, by the version of the start. */
export interface Run {
  readonly version: number;
  readonly snapshot: string;
  /** Whether it has a `web` process. */
  readonly hasWeb: boolean;
}

/** The run that gets the requests, and the one before it, which is kept for a moment and may get them back. */
export interface Serving {
  readonly now: Run;
  readonly kept: Run | null;
}

/**
 * Why a release starts: someone has asked for it, it ran when the runner ended, it has crashed, a request wakes it, or what was
 * to replace it has failed (`return`).
 */
export type Cause = 'wish' | 'resume' | 'crash' | 'request' | 'return';

/** The states in which no `web` process runs or starts. */
export type Rest =
  | { readonly is: 'stopped' }
  | { readonly is: 'asleep'; readonly snapshot: string }
  /** Its release is being built again. */
  | { readonly is: 'waiting'; readonly until: 'release' }
  /** It starts when it is its turn. */
  | ({ readonly is: 'waiting'; readonly until: 'turn'; readonly version: number } & Restart<'resume' | 'request'>)
  /** It starts after the pause, or with the first `request` after it. */
  | ({ readonly is: 'waiting'; readonly until: 'pause'; readonly version: number; readonly pauseMs: number } & Restart<
      'crash' | 'request'
    >)
  /** Its release cannot be had. */
  | { readonly is: 'crashed' };

interface Restart<Why extends Cause> {
  readonly snapshot: string;
  readonly cause: Why;
}

export interface Starting {
  readonly is: 'starting';
  readonly version: number;
  readonly snapshot: string;
  readonly cause: Cause;
  /** What answers until the start has succeeded. */
  readonly serving: Serving | null;
  /** What has ended for this start, and is started again if it fails. */
  readonly former: string | null;
  /** The state after a failure, if nothing serves then. */
  readonly otherwise: Rest;
}

export type State = Rest | Starting | { readonly is: 'running'; readonly serving: Serving };

/** The life of an application or of one of its processes. Nothing else decides what it does next. */
export interface Life {
  /** The number of the last start, pause or turn. An event about an earlier one is out of date. */
  readonly version: number;
  readonly state: State;
  readonly crashes: Crashes;
}

export const NEW_LIFE: Life = { version: 0, state: { is: 'stopped' }, crashes: NO_CRASHES };

type Timer = 'kept' | 'pause' | 'recovery';

export type LifeEvent =
  /**
   * Someone asks for a start. One that `isAlone` must not overlap with what `runs` (its snapshot; null: nothing). With `mayRest` a
   * `web` that is `auto` waits for a request.
   */
  | {
      readonly type: 'desired';
      readonly snapshot: string;
      readonly isAlone: boolean;
      readonly runs: string | null;
      readonly mayRest: boolean;
    }
  /** It ran when the runner ended. Without a snapshot its release is still being built; `missing`: why it cannot be had. */
  | {
      readonly type: 'resumed';
      readonly snapshot: string | null;
      readonly missing?: Missing | undefined;
      readonly inTurn: boolean;
    }
  | { readonly type: 'stopped' }
  /** A start has succeeded. `rests`: without a `web` process, which waits for a request. */
  | { readonly type: 'answered'; readonly version: number; readonly hasWeb: boolean; readonly rests: boolean }
  | { readonly type: 'failed'; readonly version: number; readonly how: string; readonly isCancelled: boolean }
  /** A run has ended by itself. */
  | ({ readonly type: 'ended'; readonly version: number; readonly how: string } & CrashEnd)
  /** `web` was not used for the whole idle time, and may sleep. */
  | { readonly type: 'idle' }
  /** A request waits. */
  | { readonly type: 'request' }
  /** Its turn to start; `isWanted`: a request still waits. */
  | { readonly type: 'turn'; readonly version: number; readonly isWanted: boolean }
  | { readonly type: 'timer'; readonly timer: Timer; readonly version: number };

export type Effect =
  /** Starts a release, and says `answered` or `failed`. */
  | { readonly do: 'start'; readonly version: number; readonly cause: Cause; readonly mayRest: boolean }
  /** Ends everything, before what follows. */
  | { readonly do: 'end' }
  /** Gives up the start that is under way. */
  | { readonly do: 'cancel' }
  /** Moves the requests to a run, or to none; `isBack`: to one that served before. */
  | { readonly do: 'serve'; readonly version: number | null; readonly isBack?: boolean }
  /** Ends a run when its requests have ended. */
  | { readonly do: 'retire'; readonly version: number }
  | { readonly do: 'arm'; readonly timer: Timer; readonly version: number; readonly ms: number }
  /** Says `turn` when it is the turn of its user. */
  | { readonly do: 'queue'; readonly version: number }
  /** Begins the idle time anew. */
  | { readonly do: 'use' }
  | { readonly do: 'note'; readonly text: string }
  | ({
      readonly do: 'report';
      readonly type: 'app.serving' | 'app.restarting' | 'app.crashed' | 'app.returned';
      readonly snapshot: string;
    } & Pick<RunnerEvent, 'serves' | 'detail' | 'isCause'>);

export type Doing<Do extends Effect['do']> = Extract<Effect, { readonly do: Do }>;

/** What people see of a life: `running` is said of what answers, and in a crash loop only when it has run for a minute. */
export function stateOf({ state, crashes }: Life): Process['state'] {
  // What uses up its memory runs well in between.
  const ofRun = crashes.loop === 'inARow' ? 'restarting' : 'running';
  switch (state.is) {
    case 'running':
      return ofRun;
    case 'starting':
      if (state.serving) return ofRun;
      return state.cause === 'crash' ? 'restarting' : 'starting';
    case 'waiting':
      return state.until === 'pause' ? 'restarting' : 'starting';
    default:
      return state.is;
  }
}

/** What requests find that have no server: nobody waits for the next try in a crash loop, everybody for a first `web`. */
export function stateForVisitors(life: Life): Process['state'] {
  const { state } = life;
  if (isLooping(life)) return 'crashed';
  return state.is === 'starting' && state.serving?.now.hasWeb === false ? 'starting' : stateOf(life);
}

/** Whether its next start is one of a crash loop. */
function isLooping({ state, crashes }: Life): boolean {
  if (crashes.loop === null) return false;
  if (state.is === 'starting') return state.serving === null && (state.cause === 'crash' || state.cause === 'return');
  return state.is === 'waiting' && state.until === 'pause';
}
