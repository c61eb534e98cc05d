import { afterCrash, type CrashEnd, type CrashLimits, NO_CRASHES } from './start/crashes.ts';
import type { Effect, Life, LifeEvent, Rest, Run, Serving, Starting, State } from './states.ts';

export interface Step {
  readonly life: Life;
  readonly effects: readonly Effect[];
}

type Of<Type extends LifeEvent['type']> = Extract<LifeEvent, { readonly type: Type }>;

/**
 * Returns what becomes of a life by an event, and what is done for that, in this order. An event that is out of date changes
 * nothing.
 */
export function next(life: Life, event: LifeEvent, limits: CrashLimits): Step {
  switch (event.type) {
    case 'desired':
      return desired(life, event);
    case 'resumed':
      return resumed(life, event);
    case 'stopped':
      return stopped(life);
    case 'answered':
      return answered(life, event, limits);
    case 'failed':
      return failed(life, event, limits);
    case 'ended':
      return ended(life, event, limits);
    case 'idle':
      return idle(life);
    case 'request':
      return request(life);
    case 'turn':
      return turn(life, event);
    case 'timer':
      return timer(life, event, limits);
  }
}

function to(life: Life, state: State, ...effects: readonly Effect[]): Step {
  return { life: { ...life, state }, effects };
}

function unchanged(life: Life, ...effects: readonly Effect[]): Step {
  return { life, effects };
}

/** What serves goes on until the new release answers, unless that must be alone. While another start is under way it has to wait. */
function desired(life: Life, { snapshot, isAlone, runs, mayRest }: Of<'desired'>): Step {
  const { state } = life;
  if (state.is === 'starting') return unchanged(life);
  const former = isAlone ? runs : null;
  const serving = state.is === 'running' && former === null ? state.serving : null;
  const otherwise: Rest = state.is === 'running' || former !== null ? { is: 'stopped' } : state;
  const step = start(life, { snapshot, cause: 'wish', serving, former, otherwise }, mayRest);
  return former === null ? step : { ...step, effects: [{ do: 'end' }, ...step.effects] };
}

function start(life: Life, starting: Omit<Starting, 'is' | 'version'>, mayRest = false): Step {
  const version = life.version + 1;
  const { cause } = starting;
  return to({ ...life, version }, { is: 'starting', version, ...starting }, { do: 'start', version, cause, mayRest });
}

/** Starts what does not serve. A failure is a crash. */
function startAgain(life: Life, { snapshot, cause }: Pick<Starting, 'snapshot' | 'cause'>): Step {
  const rest = { serving: null, former: null, otherwise: { is: 'stopped' } } as const;
  return start(life, { snapshot, cause, ...rest }, cause === 'resume');
}

/** What was started or stopped meanwhile stays so. */
function resumed(life: Life, { snapshot, missing, inTurn }: Of<'resumed'>): Step {
  const { state } = life;
  if (state.is !== 'stopped' && !(state.is === 'waiting' && state.until === 'release')) return unchanged(life);
  if (missing !== undefined) {
    const about = { snapshot: missing.snapshot, detail: missing.why, isCause: true };
    return to(life, { is: 'crashed' }, { do: 'report', type: 'app.crashed', ...about });
  }
  if (snapshot === null) return to(life, { is: 'waiting', until: 'release' });
  return inTurn ? queue(life, { snapshot, cause: 'resume' }) : startAgain(life, { snapshot, cause: 'resume' });
}

function queue(life: Life, what: { readonly snapshot: string; readonly cause: 'resume' | 'request' }): Step {
  const version = life.version + 1;
  return rest({ ...life, version }, { is: 'waiting', until: 'turn', version, ...what });
}

/** Comes to rest, with what ends that. */
function rest(life: Life, state: Rest): Step {
  if (state.is !== 'waiting' || state.until === 'release') return to(life, state);
  const { version } = state;
  if (state.until === 'turn') return to(life, state, { do: 'queue', version });
  return to(life, state, { do: 'arm', timer: 'pause', version, ms: state.pauseMs });
}

function stopped(life: Life): Step {
  const cancel: readonly Effect[] = life.state.is === 'starting' ? [{ do: 'cancel' }] : [];
  return to({ ...life, crashes: NO_CRASHES }, { is: 'stopped' }, ...cancel, { do: 'end' });
}

/** The requests move. A `web` that another one has replaced is kept for a while, in which the new one may end. */
function answered(life: Life, { version, hasWeb, rests }: Of<'answered'>, limits: CrashLimits): Step {
  const { state } = life;
  if (state.is !== 'starting' || state.version !== version) return unchanged(life, { do: 'retire', version });
  const { snapshot, serving, cause } = state;
  const crashes = cause === 'wish' ? NO_CRASHES : life.crashes;
  const before = serving?.now;
  const kept = hasWeb && before?.hasWeb ? before : null;
  const serve: readonly Effect[] = [
    { do: 'serve', version },
    ...retire(serving?.kept, kept ? null : before),
    { do: 'use' },
  ];
  const isFine: readonly Effect[] = crashes.loop === null ? [{ do: 'report', type: 'app.serving', snapshot }] : [];
  if (rests) return to({ ...life, crashes }, { is: 'asleep', snapshot }, ...serve, ...isFine);
  const now: Run = { version, snapshot, hasWeb };
  const keep: readonly Effect[] = kept ? [{ do: 'arm', timer: 'kept', version: kept.version, ms: limits.keepMs }] : [];
  const note: Effect = { do: 'note', text: `${snapshot} ${hasWeb ? 'serves' : 'runs'}` };
  const good = began({ ...life, crashes }, now, { cause, limits });
  return to({ ...life, crashes }, { is: 'running', serving: { now, kept } }, ...serve, ...keep, note, ...good);
}

/** After a limit, or in a crash loop, it has recovered when it has run for a time. Of what serves again for another release that is said. */
function began(
  { crashes }: Life,
  { version, snapshot }: Run,
  { cause, limits }: { readonly cause: Starting['cause']; readonly limits: CrashLimits },
): readonly Effect[] {
  const ms = crashes.loop === 'inARow' ? limits.crashWindowMs : limits.overrunWindowMs;
  const recovery: readonly Effect[] = isWatched(crashes) ? [{ do: 'arm', timer: 'recovery', version, ms }] : [];
  if (crashes.loop !== null || cause === 'return') return recovery;
  return [{ do: 'report', type: 'app.serving', snapshot }, ...recovery];
}

function isWatched({ loop, overruns }: Life['crashes']): boolean {
  return loop !== null || overruns > 0;
}

function retire(...runs: readonly (Run | null | undefined)[]): readonly Effect[] {
  return runs.flatMap((run) => (run ? [{ do: 'retire', version: run.version } as const] : []));
}

/** What serves goes on. What had to end starts again. A start that nobody has asked for is tried again as after a crash. */
function failed(life: Life, { version, how, isCancelled }: Of<'failed'>, limits: CrashLimits): Step {
  const { state } = life;
  if (state.is !== 'starting' || state.version !== version) return unchanged(life);
  const { serving, former, cause, otherwise, snapshot } = state;
  if (serving) return to(life, { is: 'running', serving }, { do: 'use' });
  if (isCancelled) return rest(life, otherwise);
  if (former !== null) return startAgain(life, { snapshot: former, cause: 'return' });
  if (cause === 'wish') return rest(life, otherwise);
  return crashed(life, { snapshot, how, ranMs: 0, tooLarge: false, isWoken: cause === 'request' }, limits);
}

/**
 * What was kept serves again, and a restart of what has ended is given up: it would serve beside a record of the other. Else it is
 * a crash, also while another release starts beside it.
 */
function ended(life: Life, event: Of<'ended'>, limits: CrashLimits): Step {
  const { state } = life;
  if (state.is !== 'running' && state.is !== 'starting') return unchanged(life);
  const { now, kept } = state.serving ?? { now: null, kept: null };
  if (now && kept?.version === event.version) return withServing(life, state, { now, kept: null }, retire(kept));
  if (now?.version !== event.version) return unchanged(life);
  const { how, tooLarge } = event;
  if (kept) {
    const about = { snapshot: now.snapshot, serves: kept.snapshot, detail: how, isCause: tooLarge };
    const isAgain = state.is === 'starting' && state.snapshot === now.snapshot;
    return withServing(life, state, { now: kept, kept: null }, [
      { do: 'serve', version: kept.version, isBack: true },
      ...(isAgain ? [{ do: 'cancel' } as const] : []),
      { do: 'note', text: `${how}; ${kept.snapshot} serves again` },
      { do: 'report', type: 'app.returned', ...about },
    ]);
  }
  const crash = crashed(life, { ...event, snapshot: now.snapshot, isWoken: false }, limits);
  const effects: readonly Effect[] = [{ do: 'serve', version: null }, ...crash.effects];
  if (state.is === 'running') return { life: crash.life, effects };
  return to(crash.life, { ...state, serving: null, otherwise: crash.rest }, ...effects);
}

function withServing(
  life: Life,
  state: Extract<State, { readonly is: 'running' | 'starting' }>,
  serving: Serving,
  effects: readonly Effect[],
): Step {
  return to(life, { ...state, serving }, ...effects);
}

interface Crash extends CrashEnd {
  readonly snapshot: string;
  readonly how: string;
  /** Whether a request has started it, and the next one does. */
  readonly isWoken: boolean;
}

/** Waits for the end of the pause. A crash loop is reported once. */
function crashed(life: Life, crash: Crash, limits: CrashLimits): Step & { readonly rest: Rest } {
  const { snapshot, how, tooLarge, isWoken } = crash;
  const { crashes, pauseMs } = afterCrash(life.crashes, crash, limits);
  const isLoop = crashes.loop !== null;
  const version = life.version + 1;
  const cause = isWoken ? 'request' : 'crash';
  const waiting: Rest = { is: 'waiting', until: 'pause', version, snapshot, cause, pauseMs };
  const follows = isWoken ? `a request after ${pauseMs} ms starts it again` : `next start in ${pauseMs} ms`;
  const about = { snapshot, detail: how, isCause: tooLarge };
  const { life: after, effects } = rest({ ...life, version, crashes }, waiting);
  return {
    life: after,
    rest: waiting,
    effects: [
      { do: 'note', text: `${how}; ${isLoop ? 'it has crashed too often; ' : ''}${follows}` },
      ...effects,
      ...(life.crashes.loop === null
        ? [{ do: 'report', type: isLoop ? 'app.crashed' : 'app.restarting', ...about } as const]
        : []),
    ],
  };
}

/** Only what serves falls asleep, and not beside a start: that is use. */
function idle(life: Life): Step {
  const { state } = life;
  if (state.is !== 'running' || !state.serving.now.hasWeb) return unchanged(life);
  const { now, kept } = state.serving;
  return to(
    life,
    { is: 'asleep', snapshot: now.snapshot },
    { do: 'serve', version: null },
    { do: 'note', text: 'sleeps until the next request' },
    ...retire(now, kept),
  );
}

function request(life: Life): Step {
  const { state } = life;
  return state.is === 'asleep' ? queue(life, { snapshot: state.snapshot, cause: 'request' }) : unchanged(life);
}

/** All who wanted it may have left while it waited for its turn. */
function turn(life: Life, { version, isWanted }: Of<'turn'>): Step {
  const { state } = life;
  if (state.is !== 'waiting' || state.until !== 'turn' || state.version !== version) return unchanged(life);
  if (state.cause === 'request' && !isWanted) return to(life, { is: 'asleep', snapshot: state.snapshot });
  return startAgain(life, state);
}

function timer(life: Life, { timer, version }: Of<'timer'>, limits: CrashLimits): Step {
  const { state } = life;
  if (timer === 'pause') return pauseOver(life, version);
  if ((state.is !== 'running' && state.is !== 'starting') || !state.serving) return unchanged(life);
  const { now, kept } = state.serving;
  if (timer === 'kept') {
    return kept?.version === version ? withServing(life, state, { now, kept: null }, retire(kept)) : unchanged(life);
  }
  return now.version === version && isWatched(life.crashes) ? recovered(life, now, limits) : unchanged(life);
}

/** A limit is watched for longer than other crashes, which may have been a loop meanwhile. */
function recovered(life: Life, { version, snapshot }: Run, limits: CrashLimits): Step {
  const isShort = life.crashes.loop === 'inARow';
  const crashes = { ...life.crashes, loop: null, overruns: isShort ? life.crashes.overruns : 0 };
  const rest: readonly Effect[] = isWatched(crashes)
    ? [{ do: 'arm', timer: 'recovery', version, ms: limits.overrunWindowMs }]
    : [];
  return unchanged({ ...life, crashes }, { do: 'report', type: 'app.serving', snapshot }, ...rest);
}

/** What a request had started sleeps on until the next one. */
function pauseOver(life: Life, version: number): Step {
  const { state } = life;
  if (state.is !== 'waiting' || state.until !== 'pause' || state.version !== version) return unchanged(life);
  if (state.cause === 'request') return to(life, { is: 'asleep', snapshot: state.snapshot });
  const { crashes } = life;
  return startAgain({ ...life, crashes: { ...crashes, restarts: crashes.restarts + 1 } }, state);
}
