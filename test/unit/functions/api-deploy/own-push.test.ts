import { beforeEach, describe, expect, it } from 'vitest';
import { acceptOwnPush, deployedBy, missedAfter } from '../../../../functions/api-deploy/own-push.ts';
import type { MovedRef } from '../../../../functions/core/payload/moved-ref.ts';
import { compareApp } from '../../../../functions/core/reconcile/compare.ts';
import { memoryClock } from '../../../fakes/clock.ts';
import { memoryLog } from '../../../fakes/deploy-log.ts';
import { memoryQueue } from '../../../fakes/job-queue.ts';
import { memoryHost } from '../../../fakes/repository-host.ts';
import { AT, sha } from '../../../support/entries.ts';

function world() {
  const log = memoryLog();
  const queue = memoryQueue();
  const ports = {
    ...{ log, facts: log, reader: log, queue, clock: memoryClock(AT), trace: () => {} },
    hostName: (kind: string, hostname: string | null) =>
      kind === 'git' && hostname === '127.0.0.1:4001' ? 'local' : null,
    hostNames: ['local'],
    settings: log.settings,
    applications: log,
    own: { name: 'local', web: 'http://127.0.0.1:4001' },
  };
  let deliveries = 0;
  let tip = { sha: sha('a'), message: '', author: 'Ann' };
  const owner = { host: 'local', owner: 'ann', name: 'shop' };
  const app = { user: 'ann', app: 'shop', owner, branch: 'main', comparedAt: 0 };
  const comparing = {
    ...{ ...ports, appFacts: log, token: async () => null, previewDays: 14 },
    host: () => Object.assign(memoryHost(), { tip: async () => tip }),
  };
  return {
    ...{ log, queue },
    moved: (to: string, message: string) => {
      tip = { ...tip, sha: to, message };
    },
    compare: () => compareApp(app, { uuid: 'compared', base: null, at: AT }, comparing),
    push: (moved: Partial<MovedRef> = {}) => {
      deliveries += 1;
      const received = { user: 'ann', uuid: `uuid-${deliveries}`, base: 'http://127.0.0.1:4000', at: AT };
      return acceptOwnPush({ ...first, ...moved }, { ...received, delivery: `delivery-${deliveries}` }, ports);
    },
    missed: (commit: string, defaultBranch = 'main', name = 'shop') =>
      missedAfter({ owner: 'ann', name, defaultBranch, sha: commit }, 'ann', ports),
    deployed: (name: string, branch: string) =>
      deployedBy({ owner: 'ann', name, defaultBranch: 'main' }, { user: 'ann', branch }, ports),
    numbers: async () => (await log.page({ user: 'ann', app: null, skip: 0, limit: 1 })).total,
  };
}

const first: MovedRef = {
  ...{ owner: 'ann', name: 'shop', private: false, defaultBranch: 'main', ref: 'refs/heads/main' },
  ...{ before: null, after: sha('a'), forced: false, message: 'One\n\nwhy', author: 'Ann' },
};
/** Does something after as many turns of the event loop's microtasks. */
async function inTurns(turns: number, act: () => Promise<unknown>): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await null;
  await act();
}

let { push, missed, deployed, numbers, moved, compare, log, queue } = world();
beforeEach(() => {
  ({ push, missed, deployed, numbers, moved, compare, log, queue } = world());
});

describe('A push to a repository of this machine', () => {
  it('is recorded with these fields, and its first stage is queued', async () => {
    expect(await push({ before: sha('0'), forced: true })).toMatchObject({
      ...{ number: 1, status: 'queued', stage: 'check', provider: 'git', delivery: 'delivery-1', uuid: 'uuid-1' },
      repository: {
        ...{ host: 'local', owner: 'ann', name: 'shop', private: false },
        url: 'http://127.0.0.1:4001/ann/shop',
      },
      ...{ sha: sha('a'), branch: 'main', ref: 'refs/heads/main', before: sha('0'), forced: true },
      ...{ message: 'One', author: 'Ann', base: 'http://127.0.0.1:4000', receivedAt: AT },
    });
    expect(queue.sent).toEqual([{ user: 'ann', number: 1, stage: 'check', group: 'ann/ann/shop' }]);
  });

  it('is deployed from the folder that the application of its name has, which has a track of its own', async () => {
    await log.settings.change({ user: 'ann', app: 'shop' }, { path: 'apps/web' });
    expect(await missed(sha('a'))).toEqual({ before: null });
    expect(await push()).toMatchObject({ status: 'queued', path: 'apps/web' });
    expect(await missed(sha('a'))).toBeNull();
    expect((await push({ name: 'other' })).path).toBeUndefined();
  });

  it('goes on in its folder and environment when the application has another name than the repository', async () => {
    const owner = { host: 'local', owner: 'ann', name: 'shop', environment: 'staging', path: 'apps/web' };
    await log.ownApp('ann', 'site', { ...owner, branch: 'main' });
    await log.ownApp('ann', 'shop-pr-7', { ...owner, path: 'preview', pullRequest: { number: 7, parent: 'site' } });
    await log.ownApp('ann', 'elsewhere', { ...owner, path: 'elsewhere', host: 'github' });
    await log.ownApp('bob', 'of-bob', { ...owner, path: 'of-bob' });
    expect(await push()).toMatchObject({ environment: 'staging', path: 'apps/web' });
    expect((await push({ ref: 'refs/heads/side' })).reason).toContain('"hooks set site branch=side"');
    expect(await deployed('shop', 'side')).toEqual({ app: 'site', environment: null });
    await log.ownApp('ann', 'shop', { host: 'local', owner: 'ann', name: 'shop' });
    expect((await push({ after: sha('b') })).path).toBeUndefined();
    expect((await push({ name: 'other' })).path).toBeUndefined();
  });

  it('to a repository with an environment is of that, which has a track of its own', async () => {
    await log.settings.change({ user: 'ann', app: 'shop-staging' }, { environment: 'staging', path: 'web' });
    const name = 'shop-staging';
    expect(await push({ name })).toMatchObject({ status: 'queued', environment: 'staging', path: 'web' });
    expect(await missed(sha('a'), 'main', name)).toBeNull();
    expect((await log.branch('ann', { host: 'local', owner: 'ann', name }, 'main~staging:web')).tip).toBe(sha('a'));
  });

  it.each([
    ['shop', 'Feature/New one', { app: 'shop', environment: 'feature-new-one' }],
    ['My_shop', 'pr-7', { app: 'my-shop', environment: 'staging' }],
    ['shop-staging', 'next', { app: 'shop-staging', environment: null }],
  ])('to %s says how another branch, %s, is deployed beside it', async (name, branch, expected) => {
    await log.settings.change({ user: 'ann', app: 'shop-staging' }, { environment: 'staging' });
    expect(await deployed(name, branch)).toEqual(expected);
  });

  it('of a branch whose name is more than a word for a shell is told no command', async () => {
    expect((await push({ ref: 'refs/heads/a$(id)' })).reason).toContain('set it as the branch of the application');
  });

  it.each([
    [
      'of another branch',
      { ref: 'refs/heads/side' },
      /^The branch is side; only the branch main is deployed\. To deploy side, run "hooks set shop branch=side" before its next push\.$/,
    ],
    ['of a tag', { ref: 'refs/tags/v1' }, /^v1 is a tag;/],
    ['that deletes a branch', { ref: 'refs/heads/side', after: null }, /^The branch is side;/],
    ['whose message asks for it', { message: 'One [skip deploy]' }, /\[skip deploy\]/],
  ])('%s is skipped with the reason', async (_, moved, reason) => {
    expect(await push(moved)).toMatchObject({ status: 'skipped', reason: expect.stringMatching(reason) });
    expect(queue.sent).toEqual([]);
  });

  it('waits for no CI when its message says so', async () => {
    expect(await push({ message: 'One [skip ci]' })).toMatchObject({ ci: { waits: false } });
  });

  it('makes no second entry when a comparison has recorded its tip', async () => {
    const found = await push();
    expect(await push({ before: sha('0') })).toEqual(found);
    expect(await numbers()).toBe(1);
  });

  it.each(['One', 'One [skip deploy]'])(
    'beside comparisons of its branch makes one entry, whichever of them is first: %s',
    async (message) => {
      await push();
      for (let count = 1; count <= 250; count += 1) {
        const [before, after] = [count - 1, count].map((one) => one.toString(16).padStart(40, '0'));
        moved(after ?? '', message);
        const all = [() => push({ before: before ?? '', after: after ?? '', message }), compare, compare];
        // Each of them is first in some rounds, and some steps ahead in others.
        const order = [...all.slice(count % 3), ...all.slice(0, count % 3)];
        await Promise.all(order.map((one, place) => inTurns((place * count) % 7, one)));
      }
      expect(await numbers()).toBe(1 + 250);
    },
  );

  it('back to an earlier commit, and forth again, makes an entry each time', async () => {
    await push();
    await push({ before: sha('a'), after: sha('b') });
    await push({ before: sha('b'), after: sha('a'), forced: true });
    expect(await push({ before: sha('a'), after: sha('b') })).toMatchObject({ number: 4, status: 'queued' });
  });

  it('to a default branch that cannot be deployed is refused', async () => {
    const refused = push({ defaultBranch: 'x'.repeat(300), ref: `refs/heads/${'x'.repeat(300)}` });
    await expect(refused).rejects.toMatchObject({ code: 'request:bad_parameter' });
  });

  it('is refused with a code that asks for another try when the database is away', async () => {
    log.append = async () => {
      throw new Error('no space left');
    };
    await expect(push()).rejects.toMatchObject({ code: 'deploy:db:failed_to_store_payload', status: 503 });
  });
});

describe('A tip of a repository of this machine', () => {
  it('was missed when the log knows another one, or knows nothing of the repository', async () => {
    expect(await missed(sha('a'))).toEqual({ before: null });
    await push();
    expect(await missed(sha('a'))).toBeNull();
    expect(await missed(sha('b'))).toEqual({ before: sha('a') });
    expect(await missed(sha('a'), 'main', 'other')).toEqual({ before: null });
  });

  it('was not missed when it was skipped by its message', async () => {
    await push({ message: 'One [skip deploy]' });
    expect(await missed(sha('a'))).toBeNull();
  });

  it('was missed when it is an earlier commit again', async () => {
    await push();
    await push({ before: sha('a'), after: sha('b') });
    expect(await missed(sha('a'))).toEqual({ before: sha('b') });
  });

  it('of a branch that has become the default branch since its push was not missed', async () => {
    await push();
    await push({ ref: 'refs/heads/side', after: sha('b') });
    expect(await missed(sha('b'), 'side')).toBeNull();
    expect(await missed(sha('c'), 'side')).toEqual({ before: null });
  });
});
