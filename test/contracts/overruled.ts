import { expect, it } from 'vitest';
import type { HttpAnswer } from '../../functions/api/http.ts';
import { entry as entryEndpoint } from '../../functions/api-entry/entry.ts';
import type { CommitRef } from '../../functions/core/payload/delivery.ts';
import { jobOf } from '../../functions/core/pipeline/job.ts';
import type { StageName } from '../../functions/core/pipeline/pipeline.ts';
import { append, MINUTE, type Patch } from '../support/entries.ts';
import { request } from '../support/requests.ts';
import { appEndpoints, appsPorts } from '../support/worlds/apps-world.ts';
import { type LogRoles, pipelineWorld } from '../support/worlds/pipeline-world.ts';

const TRAVIS = { '.travis.yml': 'notifications:\n  webhooks: https://hooks.example.com/\n' };

/** The pipeline with the endpoints of a person, and pushes of which each but the first two can wait for CI. */
function personsWorld(roles: LogRoles) {
  const world = pipelineWorld(roles);
  const { user, log, reader, backlog, facts, appFacts, tracked, settings, queue, clock, host } = world;
  const all = { settings, ...reader, ...backlog, ...facts, ...appFacts, ...tracked, ...log };
  const ofApps = appEndpoints(appsPorts({ ...world, log: all }));
  const ofEntries = entryEndpoint({ log, appFacts, queue, clock, trace: () => {} });
  const read = async (number: number) => {
    const entry = await log.read(user, number);
    if (!entry) throw new Error(`There is no entry ${number}.`);
    return entry;
  };
  let head: CommitRef | null = null;
  return {
    ...world,
    read,
    commit(files: Record<string, string> = {}): CommitRef {
      const manifest = { 'package.json': JSON.stringify({ name: 'shop', version: '1.0.0' }) };
      const parent = head && { parent: head };
      head = host.commit({ owner: 'ann', name: 'shop', files: { ...manifest, ...files }, ...parent });
      return head;
    },
    async push(commit: CommitRef, patch: Patch = {}): Promise<number> {
      host.branch(commit, 'master');
      const told = { user, sha: commit.sha, receivedAt: clock.now(), ...patch };
      const entry = await append(log, told, { isTip: true, dueAt: clock.now() + MINUTE });
      await queue.send(jobOf(entry));
      return entry.number;
    },
    /** What a person asks of the application; the answer is its entry. */
    async asks(operation: string, body = ''): Promise<number> {
      const [method, path] = operation === 'remove' ? ['DELETE', ''] : ['POST', `/${operation}`];
      const resource = `/1/apps/{user}/{application}${path}`;
      const params = { user, application: 'shop' };
      await ofApps(request({ user, method, resource, params, body: Buffer.from(body) }));
      return (await reader.page({ user, app: null, skip: 0, limit: 1 })).entries[0]?.number ?? 0;
    },
    async asksOf(number: number, what: 'cancel' | 'release'): Promise<HttpAnswer> {
      const resource = `/1/status/{user}/changes/{id}/${what}`;
      return ofEntries(request({ user, method: 'POST', resource, params: { user, id: (await read(number)).id } }));
    },
    /** CI calls with the passed build of a commit. */
    async passes({ sha }: CommitRef): Promise<void> {
      const checkResult = { provider: 'travis', check: 'Travis CI', outcome: 'passed', state: 'Passed' } as const;
      const told = { user, sha, kind: 'build', provider: 'travis', receivedAt: clock.now() } as const;
      await queue.send(jobOf(await append(log, told, { isNewestPush: false, checkResult })));
    },
    /** Receives the messages of an entry until it is at that stage. */
    async until(number: number, stage: StageName): Promise<void> {
      const next = () => queue.sent.find((job) => job.number === number);
      for (let job = next(); job && job.stage !== stage; job = next()) {
        if (await world.deliver(job)) queue.sent.splice(queue.sent.indexOf(job), 1);
      }
    },
  };
}

const OPERATIONS = [
  ['stop', ''],
  ['rollback', ''],
  ['remove', ''],
  ['rename', '{"name":"store"}'],
] as const;

/** What an operation on an application does with the deploys that were accepted before it and after it, on whatever log. */
export function overrulingContract(open: () => LogRoles): void {
  /** Two deploys have been live, and a third one is being built. */
  async function building() {
    const world = personsWorld(open());
    for (let live = 0; live < 2; live += 1) {
      await world.push(world.commit());
      await world.drain();
    }
    const deploy = await world.push(world.commit());
    await world.until(deploy, 'extract');
    return { ...world, deploy };
  }

  /** Two deploys have been live, and a third push waits for CI. */
  async function waiting() {
    const world = await building();
    await world.drain();
    const commit = world.commit(TRAVIS);
    const held = await world.push(commit);
    await world.drain();
    expect(await world.read(held)).toMatchObject({ status: 'held' });
    return { ...world, commit, held };
  }

  it.each(OPERATIONS)('a %s that was cancelled ends no deploy before it', async (operation, body) => {
    const { asks, asksOf, drain, read, deploy } = await building();
    expect(await asksOf(await asks(operation, body), 'cancel')).toMatchObject({ status: 202 });
    await drain();
    expect(await read(deploy)).toMatchObject({ status: 'ok' });
  });

  it.each(OPERATIONS)('a %s ends the deploys before it, which name it', async (operation, body) => {
    const { asks, drain, read, deploy } = await building();
    const number = await asks(operation, body);
    await drain();
    const reason = expect.stringContaining(`#${number} (${operation}) of shop was accepted after this`);
    expect(await read(deploy)).toMatchObject({ status: 'superseded', reason });
  });

  it('one that was cancelled leaves the one before it, which was not', async () => {
    const { asks, asksOf, drain, read, passes, commit, held } = await waiting();
    const stop = await asks('stop');
    await drain();
    for (const operation of ['stop', 'rollback']) await asksOf(await asks(operation), 'cancel');
    await passes(commit);
    await drain();
    const reason = expect.stringContaining(`#${stop} (stop)`);
    expect(await read(held)).toMatchObject({ status: 'superseded', reason });
  });

  it.each(['stop', 'rollback'])(
    'after a %s what was held before it ends in `check`, and no deploy for it',
    async (operation) => {
      const { asks, asksOf, drain, until, read, passes, commit, held } = await waiting();
      const number = await asks(operation);
      await drain();
      const byHand = await asks('redeploy');
      await until(byHand, 'extract');
      const refused = { code: 'request:conflict', message: expect.stringContaining(`#${number} (${operation})`) };
      await expect(asksOf(held, 'release')).rejects.toMatchObject(refused);
      await passes(commit);
      await drain();
      expect(await read(held)).toMatchObject({ status: 'superseded', stage: 'check', reason: refused.message });
      expect(await read(byHand)).toMatchObject({ status: 'ok' });
    },
  );

  it('what was held before a removal does not claim the name again', async () => {
    const { asks, drain, read, passes, commit, held, facts, user } = await waiting();
    await asks('remove');
    await drain();
    await passes(commit);
    await drain();
    expect(await read(held)).toMatchObject({ status: 'superseded', stage: 'check' });
    expect(await facts.appOwner(user, 'shop')).toBeNull();
  });

  it('a push that comes while a removal waits is deployed after it, and owns the application', async () => {
    const { asks, push, commit, drain, read, until, receive, queue, platform, facts, user } = await building();
    const removal = await asks('remove');
    const later = await push(commit());
    const job = queue.sent.find(({ number }) => number === later);
    for (let tries = 0; job && tries < 3; tries += 1) await receive(job);
    expect(await read(later)).toMatchObject({ stage: 'check' });
    await until(removal, 'check');
    await drain();
    expect(await read(removal)).toMatchObject({ status: 'ok' });
    expect(await read(later)).toMatchObject({ status: 'ok' });
    expect(platform.app({ user, app: 'shop' })?.serving).toBe(`1.0.0-${later}`);
    expect(await facts.appOwner(user, 'shop')).toMatchObject({ owner: 'ann', name: 'shop' });
  });
}
