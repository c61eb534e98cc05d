import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { next } from '../../../../lib/runner/life.ts';
import { RUNNER_LIMITS } from '../../../../lib/runner/settings.ts';
import { type Cause, type Effect, type LifeEvent, NEW_LIFE, stateOf } from '../../../../lib/runner/states.ts';

const SEQUENCES = 20_000;
const EVENTS = 40;

/** Returns numbers below 1 that are the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An application, its processes and whoever wants something of it, in memory: it carries out what `next` says. */
class World {
  life = NEW_LIFE;
  readonly #trace: unknown[] = [];
  /** The processes that run or have ended unnoticed, by their versions. */
  readonly #alive = new Set<number>();
  readonly #endedUnnoticed = new Set<number>();
  #pending: { readonly version: number; readonly cause: Cause; isCancelled: boolean } | undefined;
  #target: number | null = null;
  #timers = new Map<string, Extract<Effect, { readonly do: 'arm' }>>();
  #turns: number[] = [];
  #snapshots = 0;
  /** Whether a start is allowed: since the last stop someone has asked for one. */
  #isWanted = false;
  #loopsReported = 0;

  constructor(private readonly random: () => number) {}

  #oneOf<T>(all: Iterable<T>): T | undefined {
    const list = [...all];
    return list[Math.floor(this.random() * list.length)];
  }

  /** Lets something happen. */
  happen(): void {
    const what = this.#oneOf([
      ...['desired', 'desired', 'stopped', 'idle', 'request', 'turn', 'timer', 'timer', 'resumed', 'killed', 'late'],
      ...['answers', 'answers', 'answers', 'fails', 'ends', 'ends', 'notices', 'notices'],
    ]);
    if (what === 'desired') this.#desire();
    else if (what === 'stopped') this.#stop();
    else if (what === 'idle' || what === 'request') this.take({ type: what });
    else if (what === 'resumed') this.#resume();
    else if (what === 'killed') this.#kill();
    else if (what === 'turn') this.#turn();
    else if (what === 'timer') this.#timer();
    else if (what === 'late') this.#late();
    else if (what === 'answers' || what === 'fails') this.#settle(what === 'answers');
    else if (what === 'ends') this.#end();
    else this.#notice();
  }

  #stop(): void {
    this.#isWanted = false;
    this.take({ type: 'stopped' });
  }

  #desire(): void {
    const isAlone = this.random() < 0.4;
    this.#snapshots += 1;
    if (this.life.state.is !== 'starting') this.#isWanted = true;
    const runs = this.#alive.size > 0 || this.random() < 0.3 ? String(this.#snapshots - 1) : null;
    const mayRest = this.random() < 0.2;
    this.take({ type: 'desired', snapshot: String(this.#snapshots), isAlone, runs, mayRest });
  }

  /** A service that was killed comes again and asks for what should run. */
  #resume(): void {
    this.#isWanted = true;
    const isThere = this.random() < 0.7;
    const missing = this.random() < 0.2 ? { snapshot: '1', why: 'Its tarball is gone.' } : undefined;
    this.take({ type: 'resumed', snapshot: isThere ? '1' : null, missing, inTurn: this.random() < 0.7 });
  }

  /** A kill of the runner ends all processes; the next one knows nothing. */
  #kill(): void {
    this.life = { ...NEW_LIFE, version: this.life.version };
    this.#alive.clear();
    this.#endedUnnoticed.clear();
    this.#timers.clear();
    this.#turns = [];
    this.#pending = undefined;
    this.#target = null;
    this.#isWanted = false;
    this.#loopsReported = 0;
  }

  #turn(): void {
    const version = this.#turns.shift();
    if (version !== undefined) this.take({ type: 'turn', version, isWanted: this.random() < 0.7 });
  }

  #timer(): void {
    const armed = this.#oneOf(this.#timers.values());
    if (!armed) return;
    this.#timers.delete(armed.timer);
    this.take({ type: 'timer', timer: armed.timer, version: armed.version });
  }

  /** An event about something that is long over changes nothing. */
  #late(): void {
    const version = -1 - Math.floor(this.random() * 5);
    const before = this.life;
    for (const timer of ['kept', 'pause', 'recovery'] as const) this.take({ type: 'timer', timer, version });
    this.take({ type: 'ended', version, how: 'late', tooLarge: false, ranMs: 1 });
    this.take({ type: 'failed', version, how: 'late', isCancelled: false });
    this.take({ type: 'turn', version, isWanted: true });
    this.#must(isDeepStrictEqual(this.life, before), 'late events change nothing');
  }

  #settle(isGood: boolean): void {
    if (!this.#pending) return;
    const { version, isCancelled } = this.#pending;
    this.#pending = undefined;
    const rests = this.random() < 0.1;
    if (isGood && !isCancelled) {
      if (!rests) this.#alive.add(version);
      this.take({ type: 'answered', version, hasWeb: !rests && this.random() < 0.9, rests });
    } else this.take({ type: 'failed', version, how: 'no', isCancelled });
    const { state } = this.life;
    this.#must(state.is !== 'starting' || state.version !== version, 'a start has an end');
  }

  #end(): void {
    const version = this.#oneOf(this.#alive);
    if (version === undefined) return;
    this.#alive.delete(version);
    this.#endedUnnoticed.add(version);
  }

  #notice(): void {
    const version = this.#oneOf(this.#endedUnnoticed);
    if (version === undefined) return;
    this.#endedUnnoticed.delete(version);
    const ranMs = this.random() < 0.3 ? RUNNER_LIMITS.crashWindowMs + 1 : 1;
    this.take({ type: 'ended', version, how: 'ended', tooLarge: this.random() < 0.2, ranMs });
  }

  take(event: LifeEvent): void {
    const before = this.life;
    const { life, effects } = next(before, event, RUNNER_LIMITS);
    this.#trace.push([event, life.state, effects]);
    this.life = life;
    this.#must(life.version >= before.version, 'versions grow');
    for (const effect of effects) this.#carryOut(effect);
    this.#check();
  }

  #carryOut(effect: Effect): void {
    switch (effect.do) {
      case 'start':
        this.#must(this.#isWanted, 'nothing stopped starts');
        this.#must(!this.#pending, 'one start at a time');
        this.#pending = { version: effect.version, cause: effect.cause, isCancelled: false };
        return;
      case 'cancel':
        this.#must(this.#pending !== undefined, 'what is given up is under way');
        // The actor ends what follows only after that: the next start cannot overlap with it.
        this.#pending = undefined;
        return;
      case 'end':
        this.#alive.clear();
        this.#endedUnnoticed.clear();
        this.#timers.clear();
        this.#target = null;
        return;
      case 'serve':
        this.#target = effect.version;
        return;
      case 'retire':
        this.#must(effect.version !== this.#target, 'what serves is not ended');
        this.#alive.delete(effect.version);
        this.#endedUnnoticed.delete(effect.version);
        return;
      case 'arm':
        this.#timers.set(effect.timer, effect);
        return;
      case 'queue':
        this.#turns.push(effect.version);
        return;
      case 'report':
        if (effect.type === 'app.crashed') this.#loopsReported += 1;
    }
  }

  #check(): void {
    const { state, crashes } = this.life;
    const serving = state.is === 'running' || state.is === 'starting' ? state.serving : null;
    const known = [serving?.now.version, serving?.kept?.version].filter((version) => version !== undefined);
    const there = [...this.#alive, ...this.#endedUnnoticed];
    const isKnown = there.length === known.length && there.every((version) => known.includes(version));
    this.#must(isKnown, 'what runs is what serves, and at most one that is kept');
    const now = serving?.now.version ?? null;
    const target = this.#target !== null && there.includes(this.#target) ? this.#target : null;
    this.#must(target === now, 'requests go to what serves, also while another release starts');
    const isRunning = serving !== null && crashes.loop !== 'inARow';
    this.#must((stateOf(this.life) === 'running') === isRunning, 'running is said of what serves, outside of a loop');
    const version = state.is === 'starting' ? state.version : undefined;
    this.#must(this.#pending?.version === version, 'it starts what it says that it starts');
    this.#checkWaiting();
    if (serving?.kept) this.#must(this.#isArmed('kept', serving.kept.version), 'what is kept ends');
    const isLooping = state.is === 'running' && crashes.loop !== null;
    this.#must(!isLooping || this.#isArmed('recovery', now), 'a loop ends');
    this.#must(this.#loopsReported <= 1, 'a loop is reported once');
    if (crashes.loop === null) this.#loopsReported = 0;
  }

  #checkWaiting(): void {
    const { state } = this.life;
    if (state.is !== 'waiting') return;
    if (state.until === 'pause') this.#must(this.#isArmed('pause', state.version), 'a pause ends');
    if (state.until === 'turn') this.#must(this.#turns.includes(state.version), 'a turn comes');
  }

  #isArmed(timer: string, version: number | null): boolean {
    return this.#timers.get(timer)?.version === version;
  }

  #must(isSo: boolean, what: string): void {
    if (isSo) return;
    const trace = this.#trace.slice(-EVENTS).map((step) => JSON.stringify(step));
    throw new Error([what, ...trace].join('\n'));
  }
}

it(`holds in ${SEQUENCES} random lives: what runs is known, what serves stays, nothing stopped starts, all ends`, () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= SEQUENCES; seed += 1) {
    const world = new World(randomOf(seed));
    for (let count = 0; count < EVENTS; count += 1) {
      world.happen();
      seen.add(stateOf(world.life));
    }
  }
  expect([...seen].sort()).toEqual(['asleep', 'crashed', 'restarting', 'running', 'starting', 'stopped']);
});
