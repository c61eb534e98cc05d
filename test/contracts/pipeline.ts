import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isFinal } from '../../functions/core/entry/entry.ts';
import { commitStatusOf } from '../../functions/core/entry/outcome.ts';
import type { CommitRef } from '../../functions/core/payload/delivery.ts';
import { jobOf } from '../../functions/core/pipeline/job.ts';
import { type StageName, stageNames } from '../../functions/core/pipeline/pipeline.ts';
import { append, MINUTE, repository } from '../support/entries.ts';
import { request } from '../support/requests.ts';
import { appEndpoints, appsPorts } from '../support/worlds/apps-world.ts';
import { type LogRoles, pipelineWorld } from '../support/worlds/pipeline-world.ts';

/** What happens to messages; most of the time they are received. */
const events = ['take', 'take', 'take', 'double', 'drop', 'die', 'choke', 'push', 'report', 'forget'] as const;
const manifest = JSON.stringify({ name: 'shop', version: '1.0.0' });

type World = ReturnType<typeof pipelineWorld>;

function commit({ host }: World, parent: CommitRef | null, files: Record<string, string> = {}): CommitRef {
  const commit = host.commit({
    owner: 'ann',
    name: 'shop',
    files: { 'package.json': manifest, ...files },
    ...(parent && { parent }),
  });
  host.branch(commit, 'master');
  return commit;
}

/** A push, as the webhook accepts it: into the log, then into the queue of the first stage. */
async function push({ log, user, queue, clock }: World, { sha }: CommitRef, before: CommitRef | null) {
  const times = { receivedAt: clock.now(), updatedAt: clock.now() };
  const patch = { user, sha, before: before?.sha ?? null, ...times };
  const entry = await append(log, patch, { isTip: true, dueAt: clock.now() + MINUTE });
  await queue.send(jobOf(entry));
  return entry;
}

/** What must hold of any pipeline, on whatever log. `runs` bounds the random part. */
export function pipelineContract(open: () => LogRoles, runs: number): void {
  async function statuses({ reader, user }: World): Promise<string[]> {
    const { entries } = await reader.page({ user, app: null, skip: 0, limit: 100 });
    return entries.map(({ status }) => status).reverse();
  }

  it('takes a push through all stages to an application that runs', async () => {
    const world = pipelineWorld(open());
    await push(world, commit(world, null), null);
    await world.drain();
    const entry = await world.log.read(world.user, 1);
    expect(entry).toMatchObject({ status: 'ok', appName: 'shop', url: expect.stringContaining('https://shop.') });
    expect(entry?.stages.map(({ name, status }) => `${name} ${status}`)).toEqual(
      stageNames.map((name) => `${name} done`),
    );
    expect(world.started).toEqual(['1.0.0-1']);
    await world.report();
    expect(world.tarballs.keys()).toEqual([]);
    expect(await world.reader.badge(world.user, 'shop')).toBe('ok');
  });

  it('goes on under another name of its package when a person has renamed it, with its variables and deploys', async () => {
    const world = pipelineWorld(open());
    const { user, platform, log, variables } = world;
    const { reader, backlog, facts, appFacts, tracked, settings } = world;
    const all = { settings, ...reader, ...backlog, ...facts, ...appFacts, ...tracked, ...log };
    const person = appEndpoints(appsPorts({ ...world, log: all }));
    const ask = (application: string, operation: string, body = '', query = {}) => {
      const resource = `/1/apps/{user}/{application}/${operation}`;
      const params = { user, application };
      return person(request({ user, method: 'POST', resource, params, query, body: Buffer.from(body) }));
    };
    const first = commit(world, null);
    await push(world, first, null);
    await world.drain();
    await variables.set({ user, app: 'shop' }, { COLOUR: 'red' });
    const second = commit(world, first, { 'package.json': '{"name":"store"}' });
    await push(world, second, first);
    await world.drain();
    await ask('shop', 'rename', '{"name":"store"}');
    await world.drain();
    // The newest deploy of store is of a commit that says shop.
    await ask('store', 'redeploy');
    await world.drain();
    await ask('store', 'deploy');
    await world.drain();
    expect(await statuses(world)).toEqual(['ok', 'error', 'ok', 'error', 'ok']);
    const [renaming, deploy] = [await log.read(user, 3), await log.read(user, 5)];
    expect(renaming).toMatchObject({
      appName: 'store',
      sha: first.sha,
      url: expect.stringContaining('https://store.'),
    });
    const advice = `of store, which this branch deploys. To go on with them, run "hooks rename store shop" or give`;
    expect((await log.read(user, 4))?.error?.detail).toContain(advice);
    expect(deploy).toMatchObject({ appName: 'store', sha: second.sha });
    expect(platform.app({ user, app: 'shop' })).toBeUndefined();
    expect(await variables.read({ user, app: 'store' })).toEqual({ COLOUR: 'red' });
    await ask('store', 'rollback', '', { to: (await log.read(user, 1))?.id ?? '' });
    await world.drain();
    expect(await log.read(user, 6)).toMatchObject({ appName: 'store', status: 'ok', sha: first.sha });
    await expect(ask('shop', 'rename', '{"name":"other"}')).rejects.toMatchObject({ code: 'status:db:not_found' });
  });

  /** Receives the messages of an entry until it is at that stage. */
  async function until(world: World, number: number, stage: StageName): Promise<void> {
    const { sent } = world.queue;
    const next = () => sent.find((job) => job.number === number) ?? fail();
    for (let job = next(); job.stage !== stage; job = next()) {
      if (await world.deliver(job)) sent.splice(sent.indexOf(job), 1);
    }
  }

  it('ends the build of a push as soon as a newer one of its branch is being deployed', async () => {
    const world = pipelineWorld(open());
    const first = commit(world, null);
    await push(world, first, null);
    await until(world, 1, 'extract');
    const { poll } = world.platform;
    world.platform.poll = async () => ({ state: 'building' });
    expect(await world.deliver(world.queue.sent[0] ?? fail())).toBe(false);
    await push(world, commit(world, first), first);
    await until(world, 2, 'fetch');
    const older = await world.log.read(world.user, 1);
    expect(older).toMatchObject({ status: 'superseded', reason: 'A newer deploy of master has begun: #2.' });
    await world.report();
    const app = world.platform.app({ user: world.user, app: 'shop' });
    expect(app?.snapshots['1.0.0-1']?.failure?.reason).toBe('The build was cancelled.');
    world.platform.poll = poll;
    await world.drain();
    expect(await statuses(world)).toEqual(['superseded', 'ok']);
    expect(world.started).toEqual(['1.0.0-2']);
  });

  it('lets a deploy finish that is being started, and the newer one says that it waits for it', async () => {
    const world = pipelineWorld(open());
    const first = commit(world, null);
    await push(world, first, null);
    await until(world, 1, 'start');
    const start = world.queue.sent.shift() ?? fail();
    await world.die(start);
    await push(world, commit(world, first), first);
    await until(world, 2, 'start');
    const reason = 'Waits for #1, whose application is being started.';
    expect(await world.log.read(world.user, 2)).toMatchObject({ status: 'running', stage: 'start', reason });
    world.queue.sent.unshift(start);
    await world.drain();
    expect(await statuses(world)).toEqual(['ok', 'ok']);
    expect(world.started).toEqual(['1.0.0-1', '1.0.0-2']);
    const reasons = (await world.reader.changes(world.user, 0, 100)).filter(({ number }) => number === 2);
    expect(reasons.slice(-3).map((change) => change.reason)).toEqual([reason, null, null]);
  });

  it('leaves a deploy under way when the newer push waits for CI', async () => {
    const world = pipelineWorld(open());
    const first = commit(world, null);
    await push(world, first, null);
    await until(world, 1, 'extract');
    const travis = { '.travis.yml': 'notifications:\n  webhooks: https://hooks.example.com/\n' };
    await push(world, commit(world, first, travis), first);
    await world.drain();
    expect(await statuses(world)).toEqual(['ok', 'held']);
  });

  it('ends every push and leaves the newest running, whatever is doubled, lost, late or out of order', async () => {
    const trouble = fc.record({
      commits: fc.integer({ min: 1, max: 4 }),
      // In which order the deliveries come, and what happens to the messages.
      order: fc.array(fc.nat(99), { minLength: 4, maxLength: 4 }),
      steps: fc.array(fc.tuple(fc.constantFrom(...events), fc.nat(99)), {
        maxLength: 30,
        size: 'max',
      }),
    });
    // The check of the newest commit is repeated, and ends after that of an older one whose push came late.
    const examples: [{ commits: number; order: number[]; steps: [(typeof events)[number], number][] }][] = [
      [
        {
          commits: 4,
          order: [49, 0, 49, 0],
          steps: [
            ['double', 0],
            ['push', 0],
            ['push', 0],
            ['take', 26],
            ['take', 0],
            ['drop', 33],
          ],
        },
      ],
    ];
    await fc.assert(
      fc.asyncProperty(trouble, async ({ commits, order, steps }) => {
        const world = pipelineWorld(open());
        const line: CommitRef[] = [];
        for (let made = 0; made < commits; made += 1) line.push(commit(world, line.at(-1) ?? null));
        const waiting = line.map((head, place) => ({ head, before: line[place - 1] ?? null, place }));
        waiting.sort((one, other) => (order[one.place] ?? 0) - (order[other.place] ?? 0));
        const accept = async () => {
          const next = waiting.shift();
          if (next) await push(world, next.head, next.before);
        };
        await accept();
        for (const [step, choice] of steps) {
          const { sent } = world.queue;
          const place = sent.length === 0 ? 0 : choice % sent.length;
          const job = sent[place];
          if (step === 'push') await accept();
          else if (step === 'report') await world.report();
          else if (step === 'forget') world.queue.reports.length = 0;
          else if (!job) continue;
          else if (step === 'double') sent.push(job);
          else if (step === 'drop') sent.splice(place, 1);
          else if (step === 'die') await world.die(job);
          else if (step === 'choke') await world.deliverInVain(job);
          else if (await world.deliver(job)) sent.splice(sent.indexOf(job), 1);
        }
        while (waiting.length > 0) await accept();
        await world.settle();

        const { entries } = await world.reader.page({ user: world.user, app: null, skip: 0, limit: 100 });
        const reported = entries.filter((entry) => entry.appName !== null);
        const set = reported.map(({ sha }) => world.host.statuses({ ...repository, sha: sha ?? '' }).at(-1)?.state);
        expect(set).toEqual(reported.map(commitStatusOf));
        expect(world.tarballs.keys()).toEqual([]);
        expect(entries.map(({ status }) => status).filter((status) => !isFinal(status))).toEqual([]);
        expect(new Set(world.started).size).toBe(world.started.length);
        const serving = entries.find(({ snapshot }) => snapshot === world.started.at(-1));
        expect(serving?.sha).toBe(line.at(-1)?.sha);
        const seqs = (await world.reader.changes(world.user, 0, 1000)).map(({ seq }) => seq);
        expect(seqs).toEqual(seqs.map((_, place) => place + 1));
      }),
      { numRuns: runs, examples },
    );
  }, 120_000);
}

function fail(): never {
  throw new Error('The queue is empty.');
}
