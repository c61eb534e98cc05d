import { setTimeout } from 'node:timers/promises';
import { githubRepository } from '../../support/senders/github-push.ts';
import type { EngineAnswer, EngineCall, EngineWorld } from './engine-world.ts';
import { BROKEN, SLOW } from './faulty-platform.ts';
import { commitTo, type FakeCommit, type FakeRepository } from './host.ts';
import { pushOf } from './push.ts';
import { arriving, type Random, randomOf } from './random.ts';

/** What happened in a story. */
export interface EngineTold {
  readonly user: string;
  readonly repositories: readonly FakeRepository[];
  /** The addresses of the entries that senders were told. */
  readonly accepted: readonly string[];
  readonly refusals: readonly string[];
  readonly counts: Readonly<Record<Happened, number>>;
}

type Happened = 'pushes' | 'results' | 'cancels' | 'rollbacks';

const MAX_TRIES = 5;
/** Real time between two things that happen. */
const MAX_PAUSE_MS = 600;

/** Pushes of a user to some repositories, with what CI and the user make of them. */
export class EngineStory {
  readonly #world: EngineWorld;
  readonly #random: Random;
  readonly #user: string;
  readonly #repositories: readonly FakeRepository[];
  readonly #running = new Set<Promise<unknown>>();
  readonly #accepted: string[] = [];
  readonly #refusals: string[] = [];
  readonly #counts: Record<Happened, number> = { pushes: 0, results: 0, cancels: 0, rollbacks: 0 };

  constructor(world: EngineWorld, user: string, seed: number) {
    this.#world = world;
    this.#user = user;
    this.#random = randomOf(seed);
    this.#repositories = ['shop', 'blog'].map((name) => world.host.repository(user, name));
  }

  /** Lets one act of it happen. */
  async act(pushes: number): Promise<void> {
    const random = this.#random;
    const sent = Array.from({ length: pushes }, () => this.#push());
    for (const push of arriving(random, sent)) {
      this.#start(push);
      await this.#pause();
      if (random.happens(0.1)) this.#start(() => this.#cancel());
      if (random.happens(0.25)) this.#start(() => this.#rollBack());
    }
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Returns what has happened so far. */
  told(): EngineTold {
    return {
      user: this.#user,
      repositories: this.#repositories,
      accepted: this.#accepted,
      refusals: this.#refusals,
      counts: this.#counts,
    };
  }

  #push(): () => Promise<void> {
    const random = this.#random;
    const repository = random.pick(this.#repositories);
    const version = random.happens(0.7) ? '1.0.0' : random.pick([SLOW, SLOW, BROKEN.build, BROKEN.start, null]);
    const commit = commitTo(repository, version);
    const waits = random.happens(0.25);
    return async () => {
      this.#counts.pushes += 1;
      if (waits) this.#start(() => this.#result(repository, commit));
      const payload = pushOf(this.#world.host, repository, commit);
      await this.#deliver('push', commit.sha, payload, { ci: waits ? 'wait' : 'ignore' });
    };
  }

  /** CI calls once the push may have come, or never. */
  async #result({ owner, name }: FakeRepository, { sha }: FakeCommit): Promise<void> {
    const state = this.#random.pick(['success', 'success', 'success', 'failure', null]);
    await setTimeout(this.#random.below(1_500));
    if (state === null) return;
    this.#counts.results += 1;
    const repository = githubRepository(this.#world.host.url, { owner, name });
    const status = { sha, state, context: 'ci/test', branches: [{ name: 'main' }], repository };
    await this.#deliver('status', `${sha}-ci`, status, {});
  }

  /** Sends a delivery until it is accepted, as senders do. */
  async #deliver(event: string, id: string, body: object, query: EngineCall['query']): Promise<void> {
    const headers = { 'content-type': 'application/json', 'x-github-event': event, 'x-github-delivery': id };
    const call = { endpoint: 'api-deploy', resource: '/1/deploy', user: this.#user, headers, body };
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const answer = await this.#world.post({ ...call, query: { branch: 'main', ...query } });
      if (answer.status < 300) return void this.#accepted.push(answer.body.id ?? '');
      this.#refusals.push(answer.body.code ?? 'none');
      await this.#pause();
    }
  }

  async #cancel(): Promise<void> {
    const address = this.#accepted.at(-1 - this.#random.below(3));
    if (address === undefined) return;
    const params = { user: this.#user, id: address.split('/').at(-1) };
    const resource = '/1/status/{user}/changes/{id}/cancel';
    const answer = await this.#world.post({ endpoint: 'api-entry', resource, user: this.#user, params });
    if (answer.status < 300) this.#counts.cancels += 1;
    else this.#refused(answer);
  }

  async #rollBack(): Promise<void> {
    const params = { user: this.#user, application: this.#random.pick(this.#repositories).name };
    const resource = '/1/apps/{user}/{application}/rollback';
    const answer = await this.#world.post({ endpoint: 'api-app-operations', resource, user: this.#user, params });
    if (answer.status >= 300) return this.#refused(answer);
    this.#counts.rollbacks += 1;
    this.#accepted.push(answer.body.id ?? '');
  }

  #refused({ body }: EngineAnswer): void {
    this.#refusals.push(body.code ?? 'none');
  }

  #pause(): Promise<void> {
    return setTimeout(this.#random.below(MAX_PAUSE_MS));
  }

  #start(work: () => Promise<void>): void {
    const running: Promise<unknown> = work().finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}
