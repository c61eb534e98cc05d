import { beforeEach, describe, expect, it } from 'vitest';
import type { EntryFields } from '../../../../functions/core/entry/entry.ts';
import type { Operation } from '../../../../functions/core/entry/kinds.ts';
import { DeployError } from '../../../../functions/core/errors.ts';
import type { AppRef, SnapshotRef } from '../../../../functions/core/ports/platform.ts';
import { start } from '../../../../functions/stage-start/start.ts';
import { memoryClock } from '../../../fakes/clock.ts';
import { memoryLog } from '../../../fakes/deploy-log.ts';
import { memoryQueue } from '../../../fakes/job-queue.ts';
import { AT, append, checked, entry, MINUTE, type Patch, repository, sha } from '../../../support/entries.ts';

const tarball = { key: 'ann/1/a.tar.gz', bytes: 1, sha256: 'a' };
const starting = entry({ ...checked, stage: 'start', tarball });

async function world() {
  const facts = memoryLog();
  const started: SnapshotRef[] = [];
  const platform = {
    start: async (snapshot: SnapshotRef): Promise<{ url: string; note?: string }> => {
      started.push(snapshot);
      return { url: 'https://shop.example.com' };
    },
  };
  const done: string[] = [];
  const operations = {
    restart: async ({ app }: AppRef) => {
      done.push(`restart ${app}`);
      return { url: 'https://shop.example.com' };
    },
    stop: async ({ app }: AppRef) => void done.push(`stop ${app}`),
    rename: async ({ app }: AppRef, name: string) => {
      done.push(`rename ${app} ${name}`);
      return { url: 'https://shop.example.com' };
    },
    remove: async ({ app }: AppRef) => void done.push(`remove ${app}`),
  };
  const queue = memoryQueue();
  const traced: string[] = [];
  const trace = (event: string) => void traced.push(event);
  const run = start({
    platform,
    operations,
    facts,
    settings: facts.settings,
    log: facts,
    queue,
    clock: memoryClock(AT),
    trace,
  });
  return { facts, started, done, platform, queue, traced, run };
}

let { run, started, facts, traced, done, platform, queue } = {} as Awaited<ReturnType<typeof world>>;
beforeEach(async () => {
  ({ run, started, facts, traced, done, platform, queue } = await world());
});

describe('starting', () => {
  it('returns the address of the application', async () => {
    expect(await run(starting)).toMatchObject({
      kind: 'done',
      transition: { changes: { url: 'https://shop.example.com' } },
    });
    expect(started).toEqual([{ user: 'ann', app: 'shop', snapshot: '1.0.0-1' }]);
  });

  it('passes on what is lost with the release before, which the entry keeps', async () => {
    platform.start = async () => ({ url: 'https://shop.example.com', note: 'The release before wrote a.db.' });
    expect(await run(starting)).toMatchObject({ kind: 'done', warning: 'The release before wrote a.db.' });
  });

  it('can run again for the same deploy after a crash', async () => {
    await run(starting);
    expect(await run(starting)).toMatchObject({ kind: 'done' });
  });

  it('never replaces a deploy that was promoted later', async () => {
    await run({ ...starting, number: 2, order: 8 });
    const late = await run({ ...starting, order: 5 });
    expect(late).toMatchObject({ kind: 'ended', status: 'superseded' });
    expect(started).toHaveLength(1);
  });

  it('compares the order of promotion and not the number, because a deploy may have waited for CI', async () => {
    await run({ ...starting, number: 3, order: 6 });
    expect(await run({ ...starting, number: 2, order: 9 })).toMatchObject({ kind: 'done' });
    expect(started).toHaveLength(2);
  });

  it('ends the hold of the same commit, which is live without waiting any longer', async () => {
    await append(facts);
    await facts.move('ann', 1, () => ({ changes: { status: 'held' }, commitState: { held: 1 } }));
    await run({ ...starting, number: 2, id: `${'0'.repeat(31)}2` });
    const held = await facts.read('ann', 1);
    expect(held).toMatchObject({ status: 'superseded', finishedAt: AT });
    expect(held?.reason).toMatch(/^The commit was deployed by https:.*0002, without waiting any longer\.$/);
    expect((await facts.commitState('ann', { ...repository, sha: sha('a') }, 'master')).held).toBeNull();
    expect(await facts.badge('ann', 'shop')).toBe('unknown');
    expect(queue.reports).toHaveLength(1);
  });

  it('leaves the hold of another commit, and one that CI has just released', async () => {
    await append(facts, { sha: sha('b') });
    await append(facts);
    await facts.move('ann', 1, () => ({ changes: { status: 'held' }, commitState: { held: 1 } }));
    await facts.move('ann', 2, () => ({ changes: { status: 'running' }, commitState: { held: 2 } }));
    await run({ ...starting, number: 3 });
    expect([await facts.read('ann', 1), await facts.read('ann', 2)]).toMatchObject([
      { status: 'held' },
      { status: 'running' },
    ]);
  });

  it('is a success though the hold cannot be ended', async () => {
    facts.commitState = async () => Promise.reject(new Error('away'));
    expect(await run(starting)).toMatchObject({ kind: 'done' });
    expect(traced).toEqual(['hold not ended']);
  });

  it('says that the processes run where none answers requests', async () => {
    platform.start = async () => ({ url: '' });
    const detail = 'its processes run; none of them is web, which answers requests';
    expect(await run(starting)).toMatchObject({ detail, transition: { changes: { url: null } } });
  });

  it('throws the error when the platform fails', async () => {
    platform.start = async () => {
      throw new DeployError('deploy:platform:start_app', 'It exits with 1.', { logTail: ['boom'] });
    };
    await expect(run(starting)).rejects.toMatchObject({ code: 'deploy:platform:start_app', logTail: ['boom'] });
  });
});

describe('an operation', () => {
  const operation = (name: Operation, patch: Patch<EntryFields> = {}) =>
    entry({ status: 'running', appName: '@ann/shop', stage: 'start', operation: name, number: 2, order: 6, ...patch });

  it('restarts what runs, and returns its address', async () => {
    const outcome = await run(operation('restart'));
    expect(outcome).toEqual({
      kind: 'done',
      detail: 'answers at https://shop.example.com',
      transition: { changes: { url: 'https://shop.example.com' } },
    });
    expect(done).toEqual(['restart ann-shop']);
    expect(started).toEqual([]);
  });

  it('stops an application, after which an older deploy never starts it again', async () => {
    expect(await run(operation('stop'))).toMatchObject({ kind: 'done' });
    expect(done).toEqual(['stop ann-shop']);
    const older = await run({ ...starting, appName: '@ann/shop', order: 5 });
    expect(older).toMatchObject({ kind: 'ended', status: 'superseded' });
  });

  it('removes an application, which then runs no deploy and whose name is free', async () => {
    await facts.ownApp('ann', 'ann-shop', { host: 'memory', owner: 'ann', name: 'shop' });
    expect(await run(operation('remove'))).toMatchObject({ kind: 'done', transition: { deactivates: true } });
    expect(done).toEqual(['remove ann-shop']);
    expect(await facts.appOwner('ann', 'ann-shop')).toBeNull();
  });

  it('renames an application, which runs what it ran, and belongs to the same repository', async () => {
    const owner = { host: 'memory', owner: 'ann', name: 'shop', branch: 'main' };
    await facts.ownApp('ann', 'old', owner);
    const renaming = operation('rename', { formerName: 'Old', snapshot: '1.0.0-1' });
    const changes = { url: 'https://shop.example.com' };
    expect(await run(renaming)).toMatchObject({ kind: 'done', transition: { changes, activates: true } });
    expect(done).toEqual(['rename old @ann/shop']);
    expect([await facts.appOwner('ann', 'old'), await facts.appOwner('ann', 'ann-shop')]).toEqual([null, owner]);
    expect(await run(operation('rename', { formerName: 'Old' }))).toMatchObject({ transition: { activates: false } });
  });

  it('can run twice', async () => {
    for (const name of ['restart', 'stop', 'remove'] as const) {
      await run(operation(name));
      expect(await run(operation(name))).toMatchObject({ kind: 'done' });
    }
  });

  it('removes a preview only after the upload of its tarball, which would make it anew, and ends its deploy', async () => {
    const pullRequest = { number: 7, parent: 'shop' };
    await append(facts, { appName: 'shop-pr-7', status: 'running', stage: 'upload', pullRequest });
    await facts.move('ann', 1, () => ({ promotes: true }));
    const removal = operation('remove', { number: 2, appName: 'shop-pr-7', pullRequest });
    const stage = { user: 'ann', number: 1, stage: 'upload' } as const;
    await facts.claim({ ...stage, now: AT, leaseUntil: AT + MINUTE, dueAt: AT + MINUTE });
    expect(await run(removal)).toEqual({ kind: 'again', afterSeconds: 1 });
    expect(done).toEqual([]);
    await facts.move('ann', 1, () => ({ changes: { stage: 'extract' } }));
    expect(await run(removal)).toMatchObject({ kind: 'done' });
    expect(done).toEqual(['remove shop-pr-7']);
    expect(await facts.read('ann', 1)).toMatchObject({ status: 'superseded', reason: 'The preview was removed: #2.' });
  });

  it.each(['stop', 'remove', 'rollback'] as const)('%s does nothing when a newer deploy was faster', async (name) => {
    await run({ ...starting, appName: '@ann/shop', number: 3, order: 9 });
    const late = await run(operation(name, { snapshot: '1.0.0-1' }));
    expect(late).toMatchObject({
      kind: 'ended',
      status: 'superseded',
      reason: expect.stringContaining('newer deploy'),
    });
    expect(done).toEqual([]);
    expect(started).toHaveLength(1);
  });

  it('restarts an application whatever was started since, because a restart replaces no deploy', async () => {
    await run({ ...starting, appName: '@ann/shop', number: 3, order: 9 });
    expect(await run(operation('restart'))).toMatchObject({ kind: 'done' });
    expect(await run({ ...starting, appName: '@ann/shop', number: 4, order: 10 })).toMatchObject({ kind: 'done' });
    expect(done).toEqual(['restart ann-shop']);
  });

  it('rolls back to an old snapshot, which is then the active deploy', async () => {
    const outcome = await run(operation('rollback', { snapshot: '1.0.0-1' }));
    expect(outcome).toMatchObject({ kind: 'done', transition: { activates: true } });
    expect(started).toEqual([{ user: 'ann', app: 'ann-shop', snapshot: '1.0.0-1' }]);
  });
});
