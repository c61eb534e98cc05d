import { describe, expect, it } from 'vitest';
import { accept } from '../../functions/api-deploy/accept.ts';
import type { Entry } from '../../functions/core/entry/entry.ts';
import { closesPullRequest } from '../../functions/core/entry/kinds.ts';
import { DeployError } from '../../functions/core/errors.ts';
import { releaseByHand } from '../../functions/core/hold/hold.ts';
import type { CommitRef } from '../../functions/core/payload/delivery.ts';
import { jobOf } from '../../functions/core/pipeline/job.ts';
import type { HookCall } from '../../functions/core/ports/sender.ts';
import { reconcile } from '../../functions/reconcile/reconcile.ts';
import { previewWatch } from '../../functions/reconcile/watch.ts';
import { append, MINUTE, repository } from '../support/entries.ts';
import {
  bitbucketPullRequest,
  giteaPullRequest,
  githubPullRequest,
  gitlabMergeRequest,
  type PullRequestCall,
} from '../support/senders/pull-requests.ts';
import { recognise } from '../support/senders/sender-call.ts';
import { type LogRoles, pipelineWorld } from '../support/worlds/pipeline-world.ts';

const DAY = 24 * 60 * MINUTE;

/**
 * A repository, with the id that its host gives it, whose master is live as `shop`, the webhook with `?previews=true`, and
 * the pipeline behind both. Without `isHeard` no call has said so.
 */
export async function previewWorld(roles: LogRoles, name = 'shop', id?: string, isHeard = true) {
  const world = pipelineWorld(roles);
  const { user, log, facts, queue, clock, host, reader, appFacts, tracked } = world;
  const describe = host.repository;
  host.repository = async (...asked) => ({ ...(await describe(...asked)), ...(id !== undefined && { id }) });
  const commit = (parent: CommitRef | null, app = name, owner = 'ann'): CommitRef => {
    const files = { 'package.json': JSON.stringify({ name: app, version: '1.0.0' }) };
    return host.commit({ owner, name: 'shop', files, ...(parent && { parent }) });
  };
  const ports = {
    ...{ log, facts, queue, clock, recognise },
    hostName: () => 'memory',
    hostNames: ['memory'],
    hookSecrets: async () => ({}),
    verify: async () => 'missing' as const,
    defaultBranch: 'master',
    trace: () => {},
  };
  const trunk = commit(null);
  const push = async ({ sha }: CommitRef) => {
    host.branch({ ...repository, sha }, 'master');
    const entry = await append(log, { user, sha, repository, receivedAt: clock.now() }, { isTip: isHeard });
    await queue.send(jobOf(entry));
    return entry;
  };
  await push(trunk);
  await world.drain();
  // The host says of a pull request what its calls do, unless a test has it say something else.
  const said = new Set<number>();
  const open = host.pullRequest;
  host.pullRequest = (number, ...state) => {
    said.add(number);
    open(number, ...state);
  };
  const call = async ({ headers, query, body }: HookCall): Promise<Entry> => {
    const raw = new TextEncoder().encode(JSON.stringify(body));
    const context = { user, uuid: '00000000-0000-4000-8000-000000000002', base: 'https://hooks.example.com' };
    const [entry] = await accept({ ...context, at: clock.now(), headers, query, raw }, ports);
    const { pullRequest, sha } = entry;
    if (pullRequest && !said.has(pullRequest.number)) open(pullRequest.number, !closesPullRequest(entry), { sha });
    return entry;
  };
  const read = async ({ number }: Pick<Entry, 'number'>): Promise<Entry> => {
    const entry = await log.read(user, number);
    if (!entry) throw new Error(`There is no entry ${number}.`);
    return entry;
  };
  const traced: string[] = [];
  const watchPullRequests = previewWatch({
    // Other tests have previews in the same table.
    apps: { allPreviews: async (limit) => (await tracked.allPreviews(limit)).filter((one) => one.user === user) },
    ...{ log, reader, facts, appFacts, queue, clock },
    ...{ host: () => host, token: async () => null, minutes: 60, previewDays: 14 },
    ids: { uuid: () => 'u', hex: () => '', fraction: () => 0 },
    trace: (event) => void traced.push(event),
  });
  return {
    ...world,
    ...{ trunk, commit, push, call, read },
    /** Makes a call, and lets everything that follows from it happen. */
    async hears(sent: HookCall): Promise<Entry> {
      const entry = await call(sent);
      await world.drain();
      return read(entry);
    },
    apps: () => [...world.platform.appsOf(user)].map(([app]) => app).sort(),
    entries: async () => (await reader.page({ user, app: null, skip: 0, limit: 100 })).entries,
    /** One look at the open pull requests, by one who remembers the looks before. */
    async watch(): Promise<number | null> {
      const next = await watchPullRequests();
      await world.drain();
      return next;
    },
    traced,
    async compare(): Promise<void> {
      const comparing = { apps: tracked, log, reader, facts, appFacts, queue, clock, ids: { uuid: () => 'u' } };
      const hosts = { host: () => host, token: async () => null, minutes: 60, previewDays: 14, trace: () => {} };
      await reconcile({ ...comparing, ...hosts, ids: { ...comparing.ids, hex: () => '', fraction: () => 0 } }, true);
      await world.drain();
    },
  };
}

type Preview = Omit<PullRequestCall, 'commit'>;

/** The calls of each host, and its word for new commits. */
const callsOf = {
  GitHub: { pull: githubPullRequest, moves: 'synchronize' },
  Gitea: { pull: giteaPullRequest, moves: 'synchronized' },
  GitLab: { pull: gitlabMergeRequest, moves: 'update' },
  Bitbucket: { pull: bitbucketPullRequest, moves: 'updated' },
} as const;

export const HOSTS = ['GitHub', 'Gitea', 'GitLab', 'Bitbucket'] as const;

/** What must hold of previews, on whatever log. */
export function previewContract(open: () => LogRoles, hosts: readonly (typeof HOSTS)[number][] = HOSTS): void {
  describe.each(hosts)('a pull request of %s', (name) => {
    const { pull, moves } = callsOf[name];
    // One that was declined at Bitbucket is never opened again, and the commits of its forks are in the forks only.
    const reopens = name !== 'Bitbucket';
    const stranger = name === 'Bitbucket' ? 'mallory' : 'ann';
    const opened: Preview = { action: 'opened', number: 7 };

    it('is deployed as an application of its own beside its parent, and names it', async () => {
      const { hears, commit, trunk, apps, started } = await previewWorld(open());
      const entry = await hears(pull({ ...opened, commit: commit(trunk) }));
      expect(entry).toMatchObject({
        status: 'ok',
        appName: 'shop-pr-7',
        url: expect.stringContaining('https://shop-pr-7.'),
        branch: 'changes',
        message: 'Blue',
        author: 'octocat',
        pullRequest: { number: 7, parent: 'shop' },
      });
      expect(apps()).toEqual(['shop', 'shop-pr-7']);
      expect(started).toEqual(['1.0.0-1', `1.0.0-${entry.number}`]);
    });

    it('deploys each new commit to the same application, which ends the build of the commit before', async () => {
      const { hears, call, commit, trunk, drain, read, apps } = await previewWorld(open());
      const first = commit(trunk);
      const waiting = await call(pull({ ...opened, commit: first }));
      const second = await hears(pull({ action: moves, number: 7, commit: commit(first), before: first }));
      await drain();
      expect(await read(waiting)).toMatchObject({ status: 'superseded' });
      expect(second).toMatchObject({ status: 'ok', appName: 'shop-pr-7' });
      expect(apps()).toEqual(['shop', 'shop-pr-7']);
    });

    describe('of which a call comes late', () => {
      /** Its second commit, whose call has come, and then the call of the first one, which names no commit before. */
      async function late() {
        const world = await previewWorld(open());
        const older = world.commit(world.trunk);
        const newest = world.commit(older);
        const action = name === 'GitHub' || name === 'GitLab' ? 'reopened' : moves;
        const told = (commit: CommitRef) => pull({ action, number: 7, commit });
        return { ...world, older, newest, told };
      }

      it('keeps the commit that it has, and not the one that was told last', async () => {
        const { hears, older, newest, told, host, started } = await late();
        host.pullRequest(7, true, { sha: newest.sha });
        const deployed = await hears(told(newest));
        const [head, other] = [newest.sha.slice(0, 10), older.sha.slice(0, 10)];
        const reason = `The head of the pull request #7 is ${head}; the commit ${other} is not deployed any more.`;
        expect(await hears(told(older))).toMatchObject({ status: 'superseded', sha: older.sha, reason });
        expect(started).toEqual(['1.0.0-1', `1.0.0-${deployed.number}`]);
      });

      it('deploys the commit that was told last when the host says the one before for some seconds', async () => {
        const { hears, call, deliver, drain, older, newest, told, host, queue, read } = await late();
        host.pullRequest(7, true, { sha: older.sha });
        await hears(told(older));
        const entry = await call(told(newest));
        const job = queue.sent.shift();
        if (job) await deliver(job).then((done) => !done && queue.sent.push(job));
        host.pullRequest(7, true, { sha: newest.sha });
        await drain();
        expect(await read(entry)).toMatchObject({ status: 'ok', sha: newest.sha });
      });

      it('deploys the commit that was told last when the host does not say which one it has', async () => {
        const { hears, older, newest, told, host } = await late();
        host.pullRequest(7, true, { sha: null });
        await hears(told(newest));
        expect(await hears(told(older))).toMatchObject({ status: 'ok', sha: older.sha });
        host.failWith('pullRequestState', new DeployError('deploy:repohost:no_pkg_json', 'No.', { retry: false }));
        expect(await hears(told(newest))).toMatchObject({ status: 'ok', sha: newest.sha });
      });
    });

    it('stays the same application when its branch is renamed', async () => {
      const { hears, commit, trunk, apps } = await previewWorld(open());
      const first = commit(trunk);
      await hears(pull({ ...opened, commit: first }));
      const renamed = { action: moves, number: 7, branch: 'other', commit: commit(first), before: first };
      expect(await hears(pull(renamed))).toMatchObject({ status: 'ok', branch: 'other' });
      expect(apps()).toEqual(['shop', 'shop-pr-7']);
    });

    it('neither ends a deploy of its parent nor is ended by one, though they deploy one commit', async () => {
      const { call, push, commit, trunk, drain, read } = await previewWorld(open());
      const head = commit(trunk);
      const preview = await call(pull({ ...opened, commit: head }));
      const parent = await push(head);
      await drain();
      expect(await read(preview)).toMatchObject({ status: 'ok', appName: 'shop-pr-7' });
      expect(await read(parent)).toMatchObject({ status: 'ok', appName: 'shop' });
    });

    it('is one of two of the same commit, which are two applications', async () => {
      const { hears, commit, trunk, apps } = await previewWorld(open());
      const head = commit(trunk);
      await hears(pull({ ...opened, commit: head }));
      expect(await hears(pull({ ...opened, number: 8, branch: 'more', commit: head }))).toMatchObject({ status: 'ok' });
      await hears(pull({ action: 'closed', number: 7, commit: head }));
      expect(apps()).toEqual(['shop', 'shop-pr-8']);
    });

    it('is removed when it is closed, by an entry that says so, and deployed again if it is reopened', async () => {
      const { hears, commit, trunk, apps, entries, tracked, user } = await previewWorld(open());
      const head = commit(trunk);
      await hears(pull({ ...opened, commit: head }));
      const closed = await hears(pull({ action: 'closed', number: 7, commit: head }));
      const [removal] = await entries();
      expect(closed.reason).toBe(`The pull request #7 was closed; its preview is removed by #${removal?.number}.`);
      expect(removal).toMatchObject({ status: 'ok', operation: 'remove', appName: 'shop-pr-7' });
      expect(apps()).toEqual(['shop']);
      expect(await tracked.previews(user, closed.repository ?? repository)).toEqual([]);
      if (!reopens) return;
      expect(await hears(pull({ action: 'reopened', number: 7, commit: head }))).toMatchObject({ status: 'ok' });
      expect(apps()).toEqual(['shop', 'shop-pr-7']);
    });

    it('leaves nothing behind when it is closed at any moment of its deploy', async () => {
      for (let steps = 0; steps < 12; steps += 1) {
        const { call, commit, trunk, apps, queue, deliver, drain, tracked, user, read } = await previewWorld(open());
        const head = commit(trunk);
        const entry = await call(pull({ ...opened, commit: head }));
        for (let step = 0; step < steps; step += 1) {
          const job = queue.sent.shift();
          if (job && !(await deliver(job))) queue.sent.unshift(job);
        }
        await call(pull({ action: 'closed', number: 7, commit: head }));
        await drain();
        expect(apps(), `closed after ${steps} steps`).toEqual(['shop']);
        expect(await tracked.previews(user, entry.repository ?? repository)).toEqual([]);
        expect(['superseded', 'ok']).toContain((await read(entry)).status);
      }
    });

    if (reopens) {
      it('is reopened at once after it was closed, while it is still being removed', async () => {
        const { call, hears, commit, trunk, drain, read, apps } = await previewWorld(open());
        const head = commit(trunk);
        await hears(pull({ ...opened, commit: head }));
        await call(pull({ action: 'closed', number: 7, commit: head }));
        const again = await call(pull({ action: 'reopened', number: 7, commit: head }));
        await drain();
        expect(await read(again)).toMatchObject({ status: 'ok' });
        expect(apps()).toEqual(['shop', 'shop-pr-7']);
      });
    }

    it('is not deployed while it is a draft, and is when it is ready for review', async () => {
      const { hears, commit, trunk, apps } = await previewWorld(open());
      const head = commit(trunk);
      const draft = await hears(pull({ ...opened, draft: true, commit: head }));
      expect(draft).toMatchObject({ status: 'skipped', reason: expect.stringContaining('#7 is a draft') });
      await hears(pull({ action: 'ready_for_review', number: 7, commit: head }));
      expect(apps()).toEqual(['shop', 'shop-pr-7']);
    });

    it('of a fork waits for a person, whatever CI says, and runs when it is released', async () => {
      const world = await previewWorld(open());
      const { hears, commit, trunk, apps, log, queue, clock, read, drain, user } = world;
      const head = commit(trunk, 'shop', stranger);
      const held = await hears(pull({ ...opened, fromFork: true, commit: head }));
      expect(held).toMatchObject({ status: 'held', appName: 'shop-pr-7' });
      expect(held.reason).toContain("#7 is from a fork: its preview runs a stranger's code with your variables");
      const outcome = { provider: 'travis', check: 'Travis CI', outcome: 'passed', state: 'Passed' } as const;
      for (const branch of ['changes', 'master']) {
        const patch = { user, sha: head.sha, branch, ref: null, kind: 'build', provider: 'travis' } as const;
        const build = await append(log, patch, { isNewestPush: false, checkResult: outcome });
        await queue.send(jobOf({ ...build, branch }));
        await drain();
      }
      expect(await read(held)).toMatchObject({ status: 'held' });
      expect(apps()).not.toContain('shop-pr-7');
      await releaseByHand(held, { log, queue, clock, trace: () => {} });
      await drain();
      expect(await read(held)).toMatchObject({ status: 'ok', appName: 'shop-pr-7' });
    });

    it('of a fork waits again with each commit, and only the newest can be released', async () => {
      const { hears, commit, trunk, read } = await previewWorld(open());
      const first = commit(trunk, 'shop', stranger);
      const before = await hears(pull({ ...opened, fromFork: true, commit: first }));
      const second = commit(first, 'shop', stranger);
      const sent = { action: moves, number: 7, fromFork: true, commit: second, before: first };
      const after = await hears(pull(sent));
      expect(await read(before)).toMatchObject({ status: 'superseded' });
      expect(after).toMatchObject({ status: 'held' });
      await hears(pull({ action: 'closed', number: 7, fromFork: true, commit: second }));
      expect(await read(after)).toMatchObject({ status: 'superseded', reason: 'The pull request #7 was closed.' });
    });

    it('of a fork is not held any more when it is closed, though its package has been renamed', async () => {
      const { hears, commit, trunk, read } = await previewWorld(open());
      const first = commit(trunk, 'shop', stranger);
      const before = await hears(pull({ ...opened, fromFork: true, commit: first }));
      const second = commit(first, 'store', stranger);
      const sent = { number: 7, fromFork: true, commit: second };
      const after = await hears(pull({ ...sent, action: moves, before: first }));
      const other = await hears(pull({ ...opened, number: 8, fromFork: true, commit: first }));
      expect([(await read(before)).appName, after.appName]).toEqual(['shop-pr-7', 'store-pr-7']);
      await hears(pull({ ...sent, action: 'closed' }));
      const all = await Promise.all([before, after, other].map(read));
      expect(all.map(({ status }) => status)).toEqual(['superseded', 'superseded', 'held']);
    });

    it('of a fork that was held before holds were noted is not held any more when it is closed', async () => {
      const roles = open();
      const facts = { ...roles.facts, heldOf: async () => [] };
      const { hears, commit, trunk, read } = await previewWorld({ ...roles, facts });
      const sent = { number: 7, fromFork: true, commit: commit(trunk, 'shop', stranger) };
      const held = await hears(pull({ ...opened, ...sent }));
      expect(held).toMatchObject({ status: 'held' });
      await hears(pull({ ...sent, action: 'closed' }));
      expect(await read(held)).toMatchObject({ status: 'superseded' });
    });

    it('is found closed by the comparison when the call was lost', async () => {
      const { hears, commit, trunk, apps, host, compare, entries } = await previewWorld(open());
      await hears(pull({ ...opened, commit: commit(trunk) }));
      host.pullRequest(7, true);
      await compare();
      expect(apps()).toEqual(['shop', 'shop-pr-7']);
      host.pullRequest(7, false);
      await compare();
      expect(apps()).toEqual(['shop']);
      const [removal] = await entries();
      expect(removal).toMatchObject({
        provider: 'reconciled',
        operation: 'remove',
        appName: 'shop-pr-7',
        status: 'ok',
      });
    });

    it('is removed when nobody has pushed to it for 14 days', async () => {
      const { hears, commit, trunk, apps, host, compare, clock } = await previewWorld(open());
      await hears(pull({ ...opened, commit: commit(trunk) }));
      host.pullRequest(7, true);
      clock.pass(14 * DAY - MINUTE);
      await compare();
      expect(apps()).toEqual(['shop', 'shop-pr-7']);
      clock.pass(2 * MINUTE);
      await compare();
      expect(apps()).toEqual(['shop']);
    });

    it('is refused in one sentence when the repository has twenty previews, however their commits name the package', async () => {
      const { hears, commit, trunk, facts, user, apps } = await previewWorld(open());
      for (let number = 1; number <= 20; number += 1) {
        const parent = `named-by-${number}`;
        const owner = { host: 'memory', owner: 'Ann', name: 'shop', pullRequest: { number, parent } };
        await facts.ownApp(user, `${parent}-pr-${number}`, { ...owner, branch: 'changes' });
      }
      const refused = await hears(pull({ ...opened, number: 21, commit: commit(trunk) }));
      expect(refused).toMatchObject({ status: 'skipped', reason: expect.stringContaining('shop has 20 previews') });
      expect(apps()).toEqual(['shop']);
    });

    it('has a badge and commit statuses of its own, which leave those of its parent alone', async () => {
      const { hears, commit, trunk, report, host, reader, user } = await previewWorld(open());
      const broken = host.commit({ owner: 'ann', name: 'shop', files: { 'package.json': '{' }, parent: trunk });
      await hears(pull({ ...opened, number: 8, commit: broken }));
      const head = commit(trunk);
      await hears(pull({ ...opened, commit: head }));
      await report();
      expect(host.statuses(head).at(-1)).toMatchObject({
        state: 'success',
        context: 'deployment-webhooks/shop-pr-7',
        description: expect.stringContaining('https://shop-pr-7.'),
      });
      expect(await reader.badge(user, 'shop')).toBe('ok');
      expect(await reader.badge(user, 'shop-pr-7')).toBe('ok');
      expect(await reader.badge(user, 'shop-pr-8')).toBe('failed');
    });
  });
}
