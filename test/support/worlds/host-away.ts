import { expect } from 'vitest';
import { breakdown, refusal } from '../../../functions/adapters/hosts/failures.ts';
import type { Entry } from '../../../functions/core/entry/entry.ts';
import type { DeployError } from '../../../functions/core/errors.ts';
import type { CommitRef } from '../../../functions/core/payload/delivery.ts';
import { jobOf, type StageJob } from '../../../functions/core/pipeline/job.ts';
import type { Host } from '../../../functions/core/ports/repository-host.ts';
import { compareApp } from '../../../functions/core/reconcile/compare.ts';
import { append, MINUTE, type Patch, SECOND } from '../entries.ts';
import { type LogRoles, pipelineWorld } from './pipeline-world.ts';

export type World = ReturnType<typeof pipelineWorld>;

export const METHODS = ['file', 'tarball', 'tip', 'compare', 'pullRequestState', 'wholeCommit', 'setStatus'] as const;
const asked = {
  code: 'deploy:repohost:no_pkg_json',
  what: 'package.json',
  host: 'git.example.com',
  pairAt: '/1/auth/memory',
  authorized: true,
} as const;
const body = async function* () {};
const answered = (status: number, headers = {}) => refusal(asked, { status, headers, body: body(), discard: () => {} });
const broken = (error: object) => breakdown(asked, Object.assign(new Error('it did not answer within 10 s'), error));
/** What hosts do, as the adapter translates it. */
export const answers = {
  503: await answered(503),
  429: await answered(429, { 'retry-after': '40' }),
  'no connection': broken({ code: 'ECONNREFUSED' }),
  'nothing in time': broken({ name: 'TimedOut' }),
  404: await answered(404),
  422: await answered(422),
} as const;
export type Answer = keyof typeof answers;
export const travis = { '.travis.yml': 'notifications:\n  webhooks: https://hooks.example.com/\n' };

export function fail(
  { host }: Pick<World, 'host'>,
  error: DeployError | null,
  methods: readonly (keyof Host)[] = METHODS,
): void {
  // What does not know a commit can be asked for its branches.
  const failing = error?.host === 'unknown' ? (['file', 'tarball', 'compare', 'wholeCommit'] as const) : methods;
  for (const method of error === null ? METHODS : failing) host.failWith(method, error);
}

export function commit({ host }: World, parent: CommitRef | null, files: Record<string, string> = {}): CommitRef {
  const manifest = JSON.stringify({ name: 'shop', version: '1.0.0' });
  const made = host.commit({
    ...{ owner: 'ann', name: 'shop', files: { 'package.json': manifest, ...files } },
    ...(parent && { parent }),
  });
  host.branch(made, 'master');
  return made;
}

export async function push(
  world: World,
  { sha }: CommitRef,
  before: CommitRef | null,
  patch: Patch = {},
): Promise<Entry> {
  const { log, user, queue, clock } = world;
  const times = { receivedAt: clock.now(), updatedAt: clock.now() };
  const of = { user, sha, before: before?.sha ?? null, ...times, ...patch };
  const entry = await append(log, of, { isTip: true, dueAt: clock.now() + MINUTE });
  await queue.send(jobOf(entry));
  return entry;
}

/** Receives messages for a time, each when it is visible, and runs the sweep every minute, as AWS does. */
export async function live(world: World, milliseconds: number): Promise<void> {
  const { clock, queue } = world;
  const until = clock.now() + milliseconds;
  const hidden: { job: StageJob; at: number }[] = [];
  let nextSweep = clock.now() + MINUTE;
  while (true) {
    for (let job = queue.sent.shift(); job; job = queue.sent.shift()) {
      const result = await world.receive(job);
      if (!result.done) hidden.push({ job, at: clock.now() + result.visibleInSeconds * SECOND });
    }
    const next = Math.min(nextSweep, ...hidden.map(({ at }) => at));
    if (next > until) break;
    clock.pass(Math.max(0, next - clock.now()));
    for (const one of hidden.filter(({ at }) => at <= next)) {
      hidden.splice(hidden.indexOf(one), 1);
      queue.sent.push(one.job);
    }
    if (next < nextSweep) continue;
    nextSweep += MINUTE;
    await world.sweep();
  }
  // What is hidden still comes after that time, with the next messages.
  queue.sent.push(...hidden.map(({ job }) => job));
  clock.pass(until - clock.now());
}

/** The comparison of every hour. */
export async function compare(world: World): Promise<void> {
  const { tracked, user, clock } = world;
  const app = await tracked.tracked({ user, app: 'shop' });
  if (app) await compareApp(app, { uuid: 'found', base: null, at: clock.now() }, world.comparing);
}

export async function entryOf({ log, user }: World, number: number): Promise<Entry> {
  const entry = await log.read(user, number);
  if (!entry) throw new Error(`There is no entry ${number}.`);
  return entry;
}

/** A world in which the application is live, and its next commit. */
export async function deployed(roles: LogRoles, files: Record<string, string> = {}) {
  const world = pipelineWorld(roles);
  const first = commit(world, null);
  await push(world, first, null);
  await live(world, 2 * MINUTE);
  expect(await entryOf(world, 1)).toMatchObject({ status: 'ok' });
  return { world, first, second: commit(world, first, files) };
}
