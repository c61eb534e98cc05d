import { describe, expect, it } from 'vitest';
import type { Entry } from '../../functions/core/entry/entry.ts';
import { endHeld, releaseByHand } from '../../functions/core/hold/hold.ts';
import type { CommitRef } from '../../functions/core/payload/delivery.ts';
import { jobOf } from '../../functions/core/pipeline/job.ts';
import type { HookCall } from '../../functions/core/ports/sender.ts';
import { append, MINUTE } from '../support/entries.ts';
import { githubPullRequest, type PullRequestCall } from '../support/senders/pull-requests.ts';
import { after, fixture } from '../support/senders/sender-call.ts';
import type { LogRoles } from '../support/worlds/pipeline-world.ts';
import { previewWorld } from './previews.ts';

/** The call of a pull request to a webhook with `?previews=ci`. */
function pull(said: PullRequestCall): HookCall {
  return { ...githubPullRequest(said), query: { previews: 'ci' } };
}

/** The call of a fixture, about this commit of the repository of the test. Its webhook asks for no previews. */
function about({ sha }: CommitRef, name: string): HookCall {
  const { headers, body } = fixture(name);
  const said = JSON.stringify(body)
    .replace(/octo-(?:org|group\/tools|team)/g, 'ann')
    .replaceAll('hello-deploy', 'shop')
    .replace(new RegExp(`${after}|d{40}`, 'g'), sha);
  return { ...fixture(name), headers, body: JSON.parse(said) };
}

/** A status that GitHub tells of a commit. */
function status(commit: CommitRef, state: string, context = 'ci/unit'): HookCall {
  const hook = about(commit, 'github-status/success');
  const branches = [{ name: 'changes' }];
  return { ...hook, body: { ...(typeof hook.body === 'object' && hook.body), state, context, branches } };
}

type World = Awaited<ReturnType<typeof previewWorld>>;

/** Runs all stages. A check of the commit passes before the entry's next step after so many, or when it has no more. */
async function runWhilePassing(entry: Entry, head: CommitRef, steps: number, world: World): Promise<void> {
  const { call: tell, log, drain } = world;
  const { move } = log;
  let moves = 0;
  log.move = async (...args) => {
    if (args[1] === entry.number && moves++ === steps) await tell(status(head, 'success'));
    return move.call(log, ...args);
  };
  await drain();
  if (moves <= steps) await tell(status(head, 'success'));
  await drain();
}

/** Calls of passed builds, by each kind of CI. */
const BUILDS = [
  'github-status/success',
  'github-actions/success',
  'github-actions/pull-request',
  'github-checks/success',
  'gitlab-ci/success',
  'gitlab-ci/merge-request',
  'gitea-actions/success',
  'gitea-actions/pull-request',
  'forgejo-actions/success',
  'forgejo-actions/pull-request',
  'bitbucket-pipelines/successful',
  'travis/passed',
  'travis/pull-request',
] as const;

/** What must hold of previews that wait for CI, on whatever log. */
export function previewCiContract(open: () => LogRoles): void {
  describe('a pull request of a webhook with previews=ci', () => {
    /** A world in which a preview is held for CI. */
    async function holding(said: Partial<PullRequestCall> = {}) {
      const world = await previewWorld(open());
      const head = world.commit(world.trunk);
      const held = await world.hears(pull({ action: 'opened', number: 7, commit: head, ...said }));
      expect(held).toMatchObject({ status: 'held', appName: 'shop-pr-7', pullRequest: { parent: 'shop' } });
      return { ...world, head, held };
    }

    it('is held until CI passes, and says so, whatever the service knows of the repository', async () => {
      const { held, clock, apps, hears, head, read } = await holding();
      expect(held.reason).toBe(
        "Waiting for CI (the hook's address says previews=ci) to call with a passed build of this commit.",
      );
      expect(held.expiresAt).toBe(clock.now() + 60 * MINUTE);
      expect(apps()).toEqual(['shop']);
      await hears(status(head, 'success'));
      expect(await read(held)).toMatchObject({ status: 'ok', appName: 'shop-pr-7', number: held.number });
      expect(apps()).toEqual(['shop', 'shop-pr-7']);
    });

    it.each(BUILDS)('is released by a passed build of its commit: %s', async (name) => {
      const { held, hears, head, read, apps, entries, trunk } = await holding();
      const told = await hears(about(head, name));
      expect(told.status).toBe('skipped');
      expect(await read(held)).toMatchObject({ status: 'ok' });
      expect(apps()).toEqual(['shop', 'shop-pr-7']);
      const deployed = (await entries()).filter((entry) => entry.appName === 'shop' && entry.status === 'ok');
      expect(deployed.map(({ sha }) => sha)).toEqual([trunk.sha]);
    });

    it('is not released by a build of another commit, nor by one that has not passed yet', async () => {
      const { held, hears, head, commit, read } = await holding();
      await hears(status(commit(head), 'success'));
      await hears(status(head, 'pending'));
      await hears(about(head, 'github-actions/schedule'));
      expect(await read(held)).toMatchObject({ status: 'held' });
      await hears(status(head, 'success', 'ci/lint'));
      expect(await read(held)).toMatchObject({ status: 'held' });
      await hears(status(head, 'success'));
      expect(await read(held)).toMatchObject({ status: 'ok' });
    });

    it('waits for the build of its branch and for its own, though they have one name', async () => {
      const { held, hears, head, read } = await holding();
      await hears(about(head, 'github-actions/requested'));
      await hears(about(head, 'github-actions/pull-request'));
      expect(await read(held)).toMatchObject({ status: 'held' });
      await hears(about(head, 'github-actions/success'));
      expect(await read(held)).toMatchObject({ status: 'ok' });
    });

    it('is deployed at once when its commit had passed before, and does not wait for what is asked later', async () => {
      const { hears, commit, trunk, apps } = await previewWorld(open());
      const head = commit(trunk);
      await hears(status(head, 'success'));
      expect(await hears(pull({ action: 'opened', number: 7, commit: head }))).toMatchObject({ status: 'ok' });
      expect(apps()).toEqual(['shop', 'shop-pr-7']);
    });

    it('is skipped when a build of its commit fails, and deployed when that passes after all, once', async () => {
      const { held, hears, call: tell, head, read, apps, entries } = await holding();
      await hears(status(head, 'failure'));
      const reason = 'CI did not pass: the check "ci/unit" of github-status said "failure".';
      expect(await read(held)).toMatchObject({ status: 'skipped', reason });
      expect(apps()).toEqual(['shop']);
      await Promise.all([tell(status(head, 'success')), tell(status(head, 'success'))]);
      await hears(status(head, 'success'));
      const again = (await entries()).filter(({ appName }) => appName === 'shop-pr-7');
      expect(again).toMatchObject([
        { status: 'ok', sha: head.sha, provider: 'github-status', pullRequest: { number: 7, ci: true } },
        { number: held.number },
      ]);
    });

    it('is skipped at once when its commit had failed before, and deployed when that passes after all', async () => {
      const { hears, commit, trunk, apps } = await previewWorld(open());
      const head = commit(trunk);
      await hears(status(head, 'failure'));
      const skipped = await hears(pull({ action: 'opened', number: 7, commit: head }));
      expect(skipped).toMatchObject({ status: 'skipped', reason: expect.stringContaining('CI did not pass') });
      await hears(status(head, 'success'));
      expect(apps()).toEqual(['shop', 'shop-pr-7']);
    });

    it('expires after an hour, and is deployed by a build that passes still later', async () => {
      const { held, clock, sweep, read, hears, head, apps } = await holding();
      clock.pass(59 * MINUTE);
      await sweep();
      expect(await read(held)).toMatchObject({ status: 'held' });
      clock.pass(2 * MINUTE);
      await sweep();
      const reason = 'No CI provider called with a passed build within 60 minutes.';
      expect(await read(held)).toMatchObject({ status: 'expired', reason });
      await hears(status(head, 'success'));
      expect(apps()).toEqual(['shop', 'shop-pr-7']);
      expect(await read(held)).toMatchObject({ status: 'expired' });
    });

    it.each([
      ['success', 'ok', null],
      ['failure', 'skipped', 'CI did not pass: the check "ci/unit" of github-status said "failure".'],
    ])('does not expire when the service died after it had stored the result "%s"', async (state, becomes, reason) => {
      const { held, clock, sweep, drain, read, call: tell, head, facts } = await holding();
      const { holds } = facts;
      facts.holds = async () => {
        throw new Error('The service died.');
      };
      await expect(tell(status(head, state))).rejects.toThrow('died');
      facts.holds = holds;
      expect(await read(held)).toMatchObject({ status: 'held' });
      clock.pass(61 * MINUTE);
      await sweep();
      await drain();
      expect(await read(held)).toMatchObject({ status: becomes, reason });
    });

    it('is released by hand, whatever CI says later', async () => {
      const { held, log, queue, clock, drain, read, hears, head } = await holding();
      await releaseByHand(held, { log, queue, clock, trace: () => {} });
      await drain();
      await hears(status(head, 'failure'));
      expect(await read(held)).toMatchObject({ status: 'ok' });
    });

    it('is superseded by a newer commit, after which no build of the older one deploys it', async () => {
      const { held, hears, commit, head, read } = await holding();
      const second = commit(head);
      const newer = await hears(pull({ action: 'synchronize', number: 7, commit: second, before: head }));
      const reason = `A newer commit of the pull request #7 was accepted: #${newer.number}.`;
      expect(await read(held)).toMatchObject({ status: 'superseded', reason });
      await hears(status(head, 'success'));
      expect(await read(newer)).toMatchObject({ status: 'held' });
      await hears(status(second, 'failure'));
      await hears(status(head, 'success'));
      expect(await read(held)).toMatchObject({ status: 'superseded' });
      expect(await read(newer)).toMatchObject({ status: 'skipped' });
    });

    it('is superseded by a newer commit also when it was released before that one was looked at', async () => {
      const { held, call: tell, commit, head, drain, read, apps } = await holding();
      const newer = await tell(pull({ action: 'synchronize', number: 7, commit: commit(head), before: head }));
      await tell(status(head, 'success'));
      await drain();
      expect(await read(held)).toMatchObject({ status: 'superseded' });
      expect(await read(newer)).toMatchObject({ status: 'held' });
      expect(apps()).toEqual(['shop']);
    });

    it('is released with the others of the same commit', async () => {
      const { held, hears, head, read, apps } = await holding();
      const other = await hears(pull({ action: 'opened', number: 8, branch: 'more', commit: head }));
      const inFolder = pull({ action: 'opened', number: 9, commit: head });
      const elsewhere = await hears({ ...inFolder, query: { previews: 'ci', path: 'web' } });
      expect(elsewhere).toMatchObject({ status: 'error' });
      await hears(status(head, 'success'));
      for (const one of [held, other]) expect(await read(one)).toMatchObject({ status: 'ok' });
      expect(apps()).toEqual(['shop', 'shop-pr-7', 'shop-pr-8']);
    });

    it('of a fork waits for a person, and no result of CI releases or ends it', async () => {
      const { held, hears, head, read, log, queue, clock, sweep, drain } = await holding({ fromFork: true });
      for (const state of ['success', 'failure', 'success']) {
        await hears(status(head, state));
        await sweep(true);
      }
      expect(await read(held)).toMatchObject({ status: 'held', reason: expect.stringContaining('is from a fork') });
      await releaseByHand(held, { log, queue, clock, trace: () => {} });
      await drain();
      expect(await read(held)).toMatchObject({ status: 'ok' });
    });

    it('of a fork expires when nobody has released it, whatever CI has said', async () => {
      const { held, hears, head, read, clock, sweep } = await holding({ fromFork: true });
      await hears(status(head, 'success'));
      clock.pass(15 * 24 * 60 * MINUTE);
      await sweep();
      expect(await read(held)).toMatchObject({ status: 'expired', reason: expect.stringContaining('Nobody') });
    });

    it('neither releases nor ends a push of the same commit that waits for the CI of its branch', async () => {
      const { hears, head, read, log, user, queue, drain, host } = await holding();
      host.branch(head, 'master');
      const ci = { waits: true, because: "the hook's address says ci=wait", from: 'hook' } as const;
      const push = await append(log, { user, sha: head.sha, ci }, { isTip: true });
      await queue.send(jobOf(push));
      await drain();
      await hears(status(head, 'success'));
      expect(await read(push)).toMatchObject({ status: 'held' });
    });

    it('of previews=true waits for no CI, and none ends it', async () => {
      const { hears, commit, trunk, read } = await previewWorld(open());
      const head = commit(trunk);
      await hears(status(head, 'failure'));
      const entry = await hears(githubPullRequest({ action: 'opened', number: 7, commit: head }));
      expect(entry).toMatchObject({ status: 'ok' });
      await hears(status(head, 'failure', 'ci/lint'));
      expect(await read(entry)).toMatchObject({ status: 'ok' });
    });

    it('whose call was lost waits for CI as well', async () => {
      const { hears, head, commit, host, watch, entries, read } = await holding();
      await hears(status(head, 'success'));
      const missed = commit(head);
      host.pullRequest(7, true, { sha: missed.sha });
      await watch();
      const [found] = await entries();
      expect(found).toMatchObject({ status: 'held', provider: 'reconciled', sha: missed.sha });
      await hears(status(missed, 'success'));
      expect(await read(found as Entry)).toMatchObject({ status: 'ok' });
    });

    it.each([
      ['the first result comes', false],
      ['a check that had failed passes', true],
    ])('is deployed, never lost, when %s at any moment of its own check', async (_, hadFailed) => {
      for (let steps = 0; steps < 3; steps += 1) {
        const world = await previewWorld(open());
        const { call: tell, commit, trunk, apps } = world;
        const head = commit(trunk);
        if (hadFailed) await tell(status(head, 'failure'));
        const entry = await tell(pull({ action: 'opened', number: 7, commit: head }));
        await runWhilePassing(entry, head, steps, world);
        expect(apps(), `after ${steps} steps`).toEqual(['shop', 'shop-pr-7']);
      }
    });

    it.each([
      ['a late word of the same check comes', 'pending'],
      ['it ends', 'expired'],
    ])('is deployed when %s in the moment in which a passed build releases it', async (_, what) => {
      const { held, call: tell, head, log, queue, clock, drain, apps } = await holding();
      const { move } = log;
      log.move = async (...args) => {
        log.move = move;
        if (what === 'pending') await tell(status(head, what));
        else await endHeld(held, 'expired', 'Nobody called.', { log, queue, clock, trace: () => {} });
        return move.call(log, ...args);
      };
      await tell(status(head, 'success'));
      await drain();
      expect(apps()).toEqual(['shop', 'shop-pr-7']);
    });
  });
}
