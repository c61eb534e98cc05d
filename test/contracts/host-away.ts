import { expect, it } from 'vitest';
import type { Entry } from '../../functions/core/entry/entry.ts';
import { DeployError } from '../../functions/core/errors.ts';
import type { CommitRef } from '../../functions/core/payload/delivery.ts';
import { jobOf, type StageJob } from '../../functions/core/pipeline/job.ts';
import type { RepositoryHost } from '../../functions/core/ports/repository-host.ts';
import { compareApp } from '../../functions/core/reconcile/compare.ts';
import { append, MINUTE, type Patch, SECOND } from '../support/entries.ts';
import { type LogRoles, pipelineWorld } from '../support/worlds/pipeline-world.ts';

type World = ReturnType<typeof pipelineWorld>;

const METHODS = ['file', 'tarball', 'tip', 'compare', 'pullRequestState', 'wholeCommit', 'setStatus'] as const;
const AWAY = { retry: true, host: 'away' } as const;
const UNKNOWN = { retry: false, host: 'unknown' } as const;
/** What the port throws for them; no connection and no answer in time are as 503, and 422 is as 404. */
const answers: Readonly<Record<string, DeployError>> = {
  503: new DeployError('deploy:repohost:no_pkg_json', 'It answered 503.', AWAY),
  429: new DeployError('deploy:repohost:no_pkg_json', 'It asks for a pause.', { ...AWAY, retryAfter: 40 }),
  404: new DeployError('deploy:repohost:no_pkg_json', 'It answered 404.', UNKNOWN),
};
const travis = { '.travis.yml': 'notifications:\n  webhooks: https://hooks.example.com/\n' };

function fail({ host }: World, error: DeployError | null, methods: readonly (keyof RepositoryHost)[] = METHODS): void {
  // What does not know a commit can be asked for its branches.
  const failing = error?.host === 'unknown' ? (['file', 'tarball', 'compare', 'wholeCommit'] as const) : methods;
  for (const method of error === null ? METHODS : failing) host.failWith(method, error);
}

function commit({ host }: World, parent: CommitRef | null, files: Record<string, string> = {}): CommitRef {
  const manifest = JSON.stringify({ name: 'shop', version: '1.0.0' });
  const made = host.commit({
    ...{ owner: 'ann', name: 'shop', files: { 'package.json': manifest, ...files } },
    ...(parent && { parent }),
  });
  host.branch(made, 'master');
  return made;
}

async function push(world: World, { sha }: CommitRef, before: CommitRef | null, patch: Patch = {}): Promise<Entry> {
  const { log, user, queue, clock } = world;
  const times = { receivedAt: clock.now(), updatedAt: clock.now() };
  const of = { user, sha, before: before?.sha ?? null, ...times, ...patch };
  const entry = await append(log, of, { isTip: true, dueAt: clock.now() + MINUTE });
  await queue.send(jobOf(entry));
  return entry;
}

/** Receives messages for a time, each when it is visible, and runs the sweep every minute, as AWS does. */
async function live(world: World, milliseconds: number): Promise<void> {
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
async function compare(world: World): Promise<void> {
  const { tracked, user, clock } = world;
  const app = await tracked.tracked({ user, app: 'shop' });
  if (app) await compareApp(app, { uuid: 'found', base: null, at: clock.now() }, world.comparing);
}

async function entryOf({ log, user }: World, number: number): Promise<Entry> {
  const entry = await log.read(user, number);
  if (!entry) throw new Error(`There is no entry ${number}.`);
  return entry;
}

/** A world in which the application is live, and its next commit. */
async function deployed(roles: LogRoles, files: Record<string, string> = {}) {
  const world = pipelineWorld(roles);
  const first = commit(world, null);
  await push(world, first, null);
  await live(world, 2 * MINUTE);
  expect(await entryOf(world, 1)).toMatchObject({ status: 'ok' });
  return { world, first, second: commit(world, first, files) };
}

const durations = [
  ['2 s', 2 * SECOND],
  ['30 s', 30 * SECOND],
  ['10 min', 10 * MINUTE],
  ['50 min', 50 * MINUTE],
] as const;
const table = Object.keys(answers).flatMap((answer) =>
  durations.map(([words, duration]) => [answer, words, duration] as const),
);

/** A repository host that is away loses nothing, on whatever log. `each`: the rows of the table to run. */
export function hostAwayContract(open: () => LogRoles, rows = table): void {
  it.each(rows)('a push whose host answers %s for %s is deployed', async (answer, _, duration) => {
    const { world, first, second } = await deployed(open());
    fail(world, answers[answer] ?? null);
    await push(world, second, first);
    await live(world, duration);
    fail(world, null);
    await live(world, 10 * MINUTE);
    await compare(world);
    await live(world, MINUTE);
    expect(world.started.at(-1)).toMatch(/-[23]$/);
  });

  it.each(rows)(
    'a build that releases a hold is deployed when the host answers %s for %s',
    async (answer, _, duration) => {
      const { world, first, second } = await deployed(open(), travis);
      await push(world, second, first);
      await live(world, 20 * MINUTE);
      expect(await entryOf(world, 2)).toMatchObject({ status: 'held' });
      fail(world, answers[answer] ?? null);
      const outcome = { provider: 'travis', check: 'Travis CI', outcome: 'passed', state: 'Passed' } as const;
      const times = { receivedAt: world.clock.now(), updatedAt: world.clock.now() };
      const build = { user: world.user, sha: second.sha, kind: 'build', provider: 'travis', ...times } as const;
      await world.queue.send(jobOf(await append(world.log, build, { isNewestPush: false, checkResult: outcome })));
      await live(world, duration);
      fail(world, null);
      await live(world, 10 * MINUTE);
      await compare(world);
      await live(world, MINUTE);
      expect(world.started.at(-1)).not.toMatch(/-1$/);
    },
  );

  // Previews are compared by the watch, which is not in this world: what ends is not found again here.
  const within = rows.filter(([answer, , duration]) => answer !== '404' || duration < MINUTE);
  it.each(within)('a preview whose host answers %s for %s is deployed', async (answer, _, duration) => {
    const { world, first } = await deployed(open());
    const files = { 'package.json': '{"name":"shop"}' };
    const head = world.host.commit({ owner: 'ann', name: 'shop', files, parent: first });
    world.host.pullRequest(5, true, { sha: head.sha });
    fail(world, answers[answer] ?? null);
    await push(world, head, null, { kind: 'preview', branch: 'blue', pullRequest: { number: 5 } });
    await live(world, duration);
    expect(await entryOf(world, 2)).toMatchObject({ status: 'running' });
    fail(world, null);
    await live(world, 10 * MINUTE);
    expect(await entryOf(world, 2)).toMatchObject({ status: 'ok' });
  });

  it('a push whose host has asked for a pause of an hour is deployed after it', async () => {
    const { world, first, second } = await deployed(open());
    const paused = new DeployError('deploy:repohost:no_pkg_json', 'It asks for a pause.', {
      ...AWAY,
      retryAfter: 3600,
    });
    fail(world, paused);
    await push(world, second, first);
    await live(world, 50 * MINUTE);
    fail(world, null);
    await live(world, 15 * MINUTE);
    expect(await entryOf(world, 2)).toMatchObject({ status: 'ok' });
  });

  it('a push whose host asks for one pause after the other ends when the last that began within the hour is over', async () => {
    const { world, first, second } = await deployed(open());
    const paused = new DeployError('deploy:repohost:no_pkg_json', 'It asks for a pause.', {
      ...AWAY,
      retryAfter: 2400,
    });
    fail(world, paused);
    await push(world, second, first);
    await live(world, 75 * MINUTE);
    expect(await entryOf(world, 2)).toMatchObject({ status: 'running' });
    await live(world, 15 * MINUTE);
    expect(await entryOf(world, 2)).toMatchObject({ status: 'error', reason: 'It asks for a pause.' });
  });

  it('a commit status that the host refuses for ten minutes is set after that', async () => {
    const { world, first, second } = await deployed(open());
    await world.report();
    fail(world, answers[503] ?? null, ['setStatus']);
    await push(world, second, first);
    await live(world, 2 * MINUTE);
    await expect(world.report()).rejects.toThrow('It answered 503.');
    await live(world, 10 * MINUTE);
    expect(world.host.statuses(second)).toEqual([]);
    fail(world, null);
    await live(world, 20 * MINUTE);
    await world.report();
    expect(world.host.statuses(second).at(-1)).toMatchObject({ state: 'success' });
  });

  it('a push that waits when all messages are lost goes on with a start, and keeps the pause of its host', async () => {
    const { world, first, second } = await deployed(open());
    fail(world, answers[503] ?? null);
    await push(world, second, first);
    await live(world, 10 * MINUTE);
    const { reason } = await entryOf(world, 2);
    world.queue.sent.length = 0;
    await world.sweep(true);
    for (const job of world.queue.sent.splice(0)) await world.receive(job);
    expect(await entryOf(world, 2)).toMatchObject({ status: 'running', reason });
    fail(world, null);
    await live(world, 10 * MINUTE);
    expect(await entryOf(world, 2)).toMatchObject({ status: 'ok' });
  });

  it('a push that waits is running, and says since when, and when the host is asked next', async () => {
    const { world, first, second } = await deployed(open());
    fail(world, answers[503] ?? null);
    await push(world, second, first);
    await live(world, 10 * MINUTE);
    const { status, reason } = await entryOf(world, 2);
    expect([status, reason]).toEqual([
      'running',
      expect.stringMatching(/503. Tried since .* UTC; the next try is at .* UTC\.$/),
    ]);
  });

  it('a push ends after an hour, and each comparison after that tries it again', async () => {
    const { world, first, second } = await deployed(open());
    fail(world, answers[503] ?? null);
    await push(world, second, first);
    await live(world, 70 * MINUTE);
    expect(await entryOf(world, 2)).toMatchObject({ status: 'error' });
    for (const method of ['tip', 'compare'] as const) world.host.failWith(method, null);
    await compare(world);
    await live(world, 70 * MINUTE);
    expect(await entryOf(world, 3)).toMatchObject({ status: 'error', provider: 'reconciled' });
    fail(world, null);
    await compare(world);
    await live(world, MINUTE);
    expect(await entryOf(world, 4)).toMatchObject({ status: 'ok', sha: second.sha });
  });

  it('a push whose commit is known before that of a newer one is deployed', async () => {
    const { world, first, second } = await deployed(open());
    fail(world, answers[404] ?? null);
    await push(world, second, first);
    await live(world, 50 * SECOND);
    for (const method of ['file', 'tarball', 'wholeCommit'] as const) world.host.failWith(method, null);
    await push(world, commit(world, second, { 'package.json': '{' }), second);
    await live(world, 40 * SECOND);
    fail(world, null);
    await live(world, 5 * MINUTE);
    expect(await entryOf(world, 2)).toMatchObject({ status: 'ok' });
  });

  it('a newer push takes the place of one that waits', async () => {
    const { world, first, second } = await deployed(open());
    fail(world, answers[503] ?? null);
    await push(world, second, first);
    await live(world, 10 * MINUTE);
    fail(world, null);
    await push(world, commit(world, second), second);
    await live(world, 10 * MINUTE);
    expect(await entryOf(world, 3)).toMatchObject({ status: 'ok' });
    expect(await entryOf(world, 2)).toMatchObject({ status: 'superseded' });
  });

  it('a token that may not read the branch ends the deploy at once', async () => {
    const { world, first, second } = await deployed(open());
    fail(world, answers[404] ?? null);
    world.host.failWith('tip', answers[404] ?? null);
    await push(world, second, first);
    await live(world, SECOND);
    expect(await entryOf(world, 2)).toMatchObject({ status: 'error', reason: 'It answered 404.' });
  });

  it('a commit that a person names and the host does not have ends the deploy at once', async () => {
    const { world, second } = await deployed(open());
    fail(world, answers[404] ?? null);
    await push(world, second, null, { provider: 'manual' });
    await live(world, SECOND);
    expect(await entryOf(world, 2)).toMatchObject({
      status: 'error',
      reason: expect.stringContaining('can be read, but'),
    });
  });
}
