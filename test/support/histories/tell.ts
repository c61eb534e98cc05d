import { type Entry, isFinal } from '../../../functions/core/entry/entry.ts';
import { MINUTE, SECOND } from '../entries.ts';
import type { LogRoles } from '../worlds/pipeline-world.ts';
import type { Call } from './facts.ts';
import { ALL_WORK, type History, type Step } from './history.ts';
import { Judge } from './judge.ts';
import { openService, type Service, type Watcher } from './service.ts';

/** What was told: a line for each step, and what was wrong. */
export interface Told {
  readonly lines: readonly string[];
  readonly wrong: readonly string[];
}

/** Longer than anything waits for somebody. */
const HOLDS_END_MS = 15 * 24 * 60 * MINUTE;

const FIRST: Step = {
  event: 'push',
  pick: 0,
  mark: 'none',
  outcome: 'passed',
  check: 0,
  arrives: 'now',
  work: ALL_WORK,
};

/** Tells a history to a service on this log, until something is wrong. Returns what the oracle says of it. */
export async function tell(history: History, roles: LogRoles): Promise<Told> {
  const watcher: Watcher = {};
  const teller = new Teller(history, await openService(history, roles, watcher), watcher);
  // The service has deployed a push of the webhook, so that it knows its address.
  await teller.step(FIRST);
  if (history.ci === 'wait') await teller.step({ ...FIRST, event: 'run' });
  for (const step of history.steps) {
    await teller.step(step);
    if (teller.wrong.length > 0) return teller;
  }
  await teller.end();
  return teller;
}

class Teller implements Told {
  readonly lines: string[] = [];
  readonly wrong: string[] = [];
  readonly #service: Service;
  readonly #judge: Judge;
  /** The calls that come later, and those that have come. */
  readonly #late: Call[] = [];
  readonly #sent: Call[] = [];

  constructor(history: History, service: Service, watcher: Watcher) {
    const { repository, serving, world } = service;
    const fail = (what: string) => this.#fail(what);
    const judge = new Judge(history, repository, { now: world.clock.now, serving, fail });
    [this.#service, this.#judge] = [service, judge];
    watcher.onCheck = (entry) => judge.checked(entry);
    watcher.onStart = (started) => {
      const { entry, app } = started;
      this.lines.push(
        `    ${app} starts ${repository.named(entry.sha)?.letter} (#${entry.number} of ${entry.provider})`,
      );
      judge.started(started);
    };
  }

  async step(step: Step): Promise<void> {
    // No build is as fast as a host's answers are late.
    this.#service.world.clock.pass(step.event === 'run' ? 15 * SECOND : SECOND);
    const calls = this.#service.repository.happen(step);
    if (calls) this.#judge.changed();
    else await this.#do(step);
    for (const call of calls ?? []) {
      const when = { now: '', later: ' (comes later)', never: ' (never comes)' }[step.arrives];
      this.lines.push(`${call.title}${when}`);
      if (step.arrives === 'now') await this.#hear(call);
      if (step.arrives === 'later') this.#late.push(call);
    }
    await this.#work(step.work);
  }

  /** The host is there, all calls come, the comparisons run, and what waits for somebody has waited in vain. */
  async end(): Promise<void> {
    const { world, repository } = this.#service;
    this.#service.returnHost();
    for (const call of this.#late.splice(0)) {
      await this.#hear(call);
      await this.#work(ALL_WORK);
    }
    await this.#work(ALL_WORK);
    this.lines.push('the end');
    await this.#service.compare();
    this.#judge.end(repository.now);
    await this.#expectEntries();
    world.clock.pass(HOLDS_END_MS);
    await world.sweep();
    await world.drain();
    for (const { number, status } of await this.#entries()) if (!isFinal(status)) this.#fail(`#${number} never ends`);
  }

  async #do({ event, pick }: Step): Promise<void> {
    const [service, judge] = [this.#service, this.#judge];
    this.lines.push(event);
    if (event === 'deliver' && this.#late.length > 0) {
      const [call] = this.#late.splice(pick % this.#late.length, 1);
      if (call) await this.#hear(call);
    } else if (event === 'again') {
      const call = this.#sent[pick % this.#sent.length];
      if (call) await this.#hear(call, true);
    } else if (event === 'wait') service.world.clock.pass(([1, 10, 70][pick % 3] ?? 1) * MINUTE);
    else if (event === 'restart') await service.restart(pick % 2 === 1);
    else if (event === 'compare') await service.compare();
    else if (event === 'release' || event === 'cancel') {
      const entry = await service.ask(event);
      const commit = service.repository.named(entry?.sha ?? null);
      if (!entry || !commit) return;
      this.lines.push(`    #${entry.number} of ${commit.letter}`);
      if (event === 'release') judge.released(commit);
      else judge.cancelled(commit);
    } else if (event === 'away') this.lines.push(`    ${service.leave(pick)}`);
    else if (event === 'follow') {
      const branch = await service.follow();
      if (branch) judge.follows(branch);
    } else if (event === 'connect') {
      if (await service.connect()) judge.chosen();
    } else if (event === 'rollback' || event === 'redeploy' || event === 'deploy') {
      if (await service.operate(event)) judge.chosen();
    }
  }

  async #hear(call: Call, isAgain = false): Promise<void> {
    this.#service.world.clock.pass(SECOND);
    this.#judge.changed();
    const { said } = call;
    // A call of any other CI has no id, by which it would be known again.
    if (!isAgain || (said.kind === 'run' && said.check === 3)) this.#judge.heard(said);
    if (!isAgain) this.#sent.push(call);
    const what = this.lines.at(-1) === call.title ? 'comes' : `${call.title} comes${isAgain ? ' again' : ''}`;
    const { number, status, reason } = await this.#service.hear(call);
    this.lines.push(`    ${what}: #${number} ${status}${reason ? `, ${reason}` : ''}`);
  }

  async #work(most: number): Promise<void> {
    if (await this.#service.work(most)) this.#judge.quiet();
  }

  /** No call is deployed twice, nothing waits in vain, every end has its reason, and the feed has all changes. */
  async #expectEntries(): Promise<void> {
    const { world } = this.#service;
    const deployed = new Set<string>();
    for (const { number, status, reason, delivery, pullRequest, environment } of await this.#entries()) {
      const isClosed = pullRequest && this.#judge.isClosed(pullRequest.number);
      if (status === 'held' && isClosed) this.#fail(`#${number} is held although its pull request is closed`);
      if (status !== 'ok' && !reason) this.#fail(`#${number} has no reason`);
      if (status !== 'ok' || !delivery) continue;
      const key = `${environment ?? ''} ${delivery}`;
      if (deployed.has(key)) this.#fail('a call was deployed twice');
      deployed.add(key);
    }
    const last = await world.reader.last(world.user);
    const changes = await world.reader.changes(world.user, 0, last + 1);
    const isWhole = changes.length === last && changes.every(({ seq }, index) => seq === index + 1);
    if (!isWhole) this.#fail('the feed has a gap');
  }

  async #entries(): Promise<readonly Entry[]> {
    const { reader, user } = this.#service.world;
    const all: Entry[] = [];
    for (let skip = 0; ; skip += 100) {
      const { entries } = await reader.page({ user, app: null, skip, limit: 100 });
      all.push(...entries);
      if (entries.length < 100) return all;
    }
  }

  #fail(what: string): void {
    this.wrong.push(what);
    this.lines.push(`    WRONG: ${what}`);
  }
}
