import { Weather } from '../../../faults/world/faults.ts';
import { BROKEN } from '../../../faults/world/faulty-platform.ts';
import { commitTo, type FakeRepository } from '../../../faults/world/host.ts';
import { pushOf } from '../../../faults/world/push.ts';
import { arriving, type Random, randomOf } from '../../../faults/world/random.ts';
import type { Delivery } from './broker.ts';
import { clock } from './clock.ts';
import { jitter } from './jitter.ts';
import { useTurns } from './runs.ts';
import { services } from './services.ts';
import { SWEEP_EVERY_MS } from './settle.ts';
import { RandomTurns } from './turns.ts';
import type { HookCall, World } from './world.ts';

/** What happened in a story. */
export interface Told {
  readonly user: string;
  readonly repositories: readonly FakeRepository[];
  /** The addresses of the entries that senders were told. */
  readonly accepted: readonly string[];
  readonly refusals: readonly string[];
  readonly injected: readonly string[];
  readonly counts: Readonly<Record<Chaos | 'faults' | 'deliveries', number>>;
}

type Chaos = 'deaths' | 'doubles' | 'jumps' | 'restarts';

interface Pending {
  readonly call: HookCall;
  readonly tries: number;
}

/** Steps after the last push was sent: then all faults end, wherever the deploys are. */
const MAX_STEPS_AFTER = 600;
const MAX_TRIES = 5;
/** How often something happens between two calls, in a story that has it. */
const CHANCES: Readonly<Record<Chaos, number>> = { deaths: 0.006, doubles: 0.006, jumps: 0.004, restarts: 0.0008 };

/** Pushes of a user to some repositories, and what happens to the service meanwhile. A seed repeats it. */
export class Story {
  readonly #world: World;
  readonly #random: Random;
  readonly #turns: RandomTurns;
  readonly #user: string;
  readonly #repositories: readonly FakeRepository[];
  #pushes: Pending[];
  #ready: Delivery[] = [];
  #recent: Delivery[] = [];
  #swept = clock.now();
  readonly #running = new Set<Promise<unknown>>();
  readonly #accepted: string[] = [];
  readonly #refusals: string[] = [];
  readonly #counts: Record<Chaos, number> = { deaths: 0, doubles: 0, jumps: 0, restarts: 0 };

  constructor(
    world: World,
    user: string,
    { seed, deliveries }: { readonly seed: number; readonly deliveries: number },
  ) {
    this.#world = world;
    this.#user = user;
    this.#random = randomOf(seed);
    jitter.seed(seed);
    this.#turns = new RandomTurns(
      this.#random,
      new Weather(this.#random, services, this.#random.pick([0.01, 0.03, 0.08])),
    );
    this.#repositories = ['shop', 'blog', 'news', 'wiki'].map((name) => world.host.repository(user, name));
    const sent = Array.from({ length: deliveries }, (_, index) => this.#push(index));
    this.#pushes = arriving(this.#random, sent);
  }

  /** Lets it happen, until all pushes were sent and some more has been done. */
  async tell(): Promise<Told> {
    const { instances } = this.#world;
    instances.clear();
    instances.observe({ begin: (run) => this.#turns.begin(run), finish: (run) => this.#turns.finish(run) });
    useTurns(this.#turns);
    clock.sleepsPass = false;
    try {
      let left = this.#random.below(MAX_STEPS_AFTER);
      while (left > 0 && (await this.#step())) if (this.#pushes.length === 0) left -= 1;
    } finally {
      await this.#heal();
    }
    const injected = this.#turns.injected.map(({ run, call, fault }) => `${run}: ${call} ${fault}`);
    return {
      user: this.#user,
      repositories: this.#repositories,
      accepted: this.#accepted,
      refusals: this.#refusals,
      injected,
      counts: {
        ...this.#counts,
        faults: injected.length,
        deliveries: this.#repositories.flatMap((one) => one.commits).length,
      },
    };
  }

  #push(index: number): Pending {
    const random = this.#random;
    const repository = random.pick(this.#repositories);
    const version = random.happens(0.85) ? '1.0.0' : random.pick([BROKEN.build, BROKEN.start, null]);
    const payload = pushOf(this.#world.host, repository, commitTo(repository, version));
    const query = random.happens(0.7) ? { ci: 'ignore' } : {};
    return { call: { user: this.#user, payload, delivery: `${this.#user}-${index}`, query }, tries: 0 };
  }

  /** Does one thing of those that can happen now; false when nothing can any more. */
  async #step(): Promise<boolean> {
    await this.#turns.settled();
    this.#ready.push(...(await this.#world.broker.receive()));
    if (await this.#chaos()) return true;
    const can: (() => unknown)[] = [];
    if (this.#turns.isWaiting) can.push(...Array.from({ length: 6 }, () => () => this.#turns.go()));
    if (this.#ready.length > 0) can.push(...Array.from({ length: 3 }, () => () => this.#deliver()));
    if (this.#pushes.length > 0) can.push(() => this.#send());
    if (can.length > 0) this.#random.pick(can)();
    else return this.#wait();
    return true;
  }

  #deliver(): void {
    const one = this.#random.pick(this.#ready);
    this.#ready = this.#ready.filter((other) => other !== one);
    this.#recent = [...this.#recent.slice(-9), one];
    this.#start(() => this.#world.broker.deliver(one));
  }

  #send(): void {
    const push = this.#pushes.shift();
    if (push) this.#start(() => this.#sendOnce(push));
  }

  async #sendOnce({ call, tries }: Pending): Promise<void> {
    const { answer } = await this.#world.hook(call).catch(() => ({ answer: null }));
    const isAccepted = answer !== null && answer.status < 300;
    if (isAccepted) this.#accepted.push(answer.body.id ?? '');
    else if (answer) this.#refusals.push(answer.body.code ?? 'none');
    if (!isAccepted && tries < MAX_TRIES) this.#pushes.unshift({ call, tries: tries + 1 });
  }

  /** Nobody can go on: the time passes to the next moment that somebody waits for. */
  #wait(): boolean {
    const moments = [clock.next(), this.#world.broker.next()].filter((moment) => moment !== null);
    if (moments.length === 0) return false;
    const next = Math.min(...moments, this.#swept + SWEEP_EVERY_MS);
    clock.pass(Math.max(0, next - clock.now()));
    if (clock.now() >= this.#swept + SWEEP_EVERY_MS) {
      this.#swept = clock.now();
      this.#start(() => this.#world.sweep());
    }
    return true;
  }

  async #chaos(): Promise<boolean> {
    const kind = (Object.keys(CHANCES) as Chaos[]).find((one) => this.#random.happens(CHANCES[one]));
    if (kind === undefined) return false;
    this.#counts[kind] += 1;
    if (kind === 'deaths' && this.#turns.live.length > 0) this.#random.pick(this.#turns.live).kill();
    const [again] = this.#recent.length > 0 ? [this.#random.pick(this.#recent)] : [];
    if (kind === 'doubles' && again) this.#start(() => this.#world.broker.deliverAgain(again));
    if (kind === 'jumps')
      clock.pass(this.#random.happens(0.7) ? this.#random.below(600_000) : -this.#random.below(120_000));
    if (kind === 'restarts') await this.#restart();
    return true;
  }

  /** As one machine does after a kill: queues and objects are empty, and the sweep looks at everything. */
  async #restart(): Promise<void> {
    for (const run of this.#turns.live) run.kill();
    clock.forget();
    await Promise.allSettled(this.#running);
    this.#ready = [];
    this.#recent = [];
    await this.#world.restart();
    this.#start(() => this.#world.sweep(true));
  }

  /** What runs is let go without a fault; nothing new begins. */
  async #heal(): Promise<void> {
    useTurns(null);
    this.#world.instances.observe({});
    for (const run of this.#turns.live) run.kill();
    clock.forget();
    clock.sleepsPass = true;
    await Promise.allSettled(this.#running);
    await this.#world.broker.release(this.#ready);
  }

  #start(work: () => Promise<unknown>): void {
    const running: Promise<unknown> = work()
      .catch(() => {})
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}
