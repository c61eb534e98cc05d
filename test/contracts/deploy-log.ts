import { beforeEach, describe, expect, it } from 'vitest';
import type { AppOwner } from '../../functions/core/entry/app-owner.ts';
import type { Entry } from '../../functions/core/entry/entry.ts';
import { EVERY_TRACK } from '../../functions/core/entry/track.ts';
import type { EntryChanges, Transition } from '../../functions/core/entry/transition.ts';
import type { CheckResult } from '../../functions/core/hold/checks.ts';
import type { CheckOutcome } from '../../functions/core/payload/delivery.ts';
import type { StageName } from '../../functions/core/pipeline/pipeline.ts';
import { MAX_RESTARTS } from '../../functions/core/pipeline/stage-failure.ts';
import type { AppEventCursor } from '../../functions/core/ports/applications.ts';
import type { AppFacts, DeployFacts, TrackedApps } from '../../functions/core/ports/facts.ts';
import type { AppendRequest, Backlog, DeployLog, LogReader } from '../../functions/core/ports/log.ts';
import { AT, draft, MINUTE, type Patch, repository } from '../support/entries.ts';

/** A log with its readers, for one test; every test uses users of its own. */
export interface LogUnderTest {
  readonly log: DeployLog;
  readonly reader: LogReader;
  readonly facts: DeployFacts;
  readonly appFacts: AppFacts;
  readonly backlog: Backlog;
  readonly cursor: AppEventCursor;
  readonly trackedApps: TrackedApps;
  /**
   * The log of a second process on the same data; of a second connection where one process owns the data, and `log`
   * itself where the data has one connection.
   */
  readonly other: DeployLog;
  /** A user without entries. */
  readonly user: string;
}

const travis = { provider: 'travis', check: 'Travis CI' };
const outcome: CheckResult = { ...travis, outcome: 'passed', state: 'Passed' };
const { host, owner, name } = repository;
const commit = (sha: string) => ({ host, owner, name, sha });
const shop = { host, owner, name };
const fork = { ...shop, owner: 'bob' };

/** A push of a commit, as the webhook would append it. */
export function appending(user: string, patch: Patch = {}, more: Partial<AppendRequest> = {}): AppendRequest {
  const payload = Buffer.from('{"ref":"refs/heads/master"}');
  return {
    draft: draft({ user, ...patch }),
    payload,
    isNewestPush: true,
    dueAt: AT + MINUTE,
    ...more,
  };
}

/** The behaviour that every log must have. */
export function deployLogContract(open: () => Promise<LogUnderTest>): void {
  describe('the log', () => logTests(open));
}

function logTests(open: () => Promise<LogUnderTest>): void {
  let { log, reader, facts, appFacts, backlog, cursor, trackedApps, other, user } = {} as LogUnderTest;
  beforeEach(async () => {
    ({ log, reader, facts, appFacts, backlog, cursor, trackedApps, other, user } = await open());
  });

  async function appended(log: DeployLog, request: AppendRequest): Promise<Entry> {
    const result = await log.append(request);
    if ('entry' in result) return result.entry;
    throw new Error(`duplicate of ${result.duplicateOf}`);
  }
  const change = (number: number, changes: EntryChanges, more: Transition = {}) =>
    log.move(user, number, () => ({ changes, ...more }));
  const add = (patch?: Patch, more?: Partial<AppendRequest>) => appended(log, appending(user, patch, more));
  const claimOf = (entry: Entry, now = AT) => ({
    user: entry.user,
    number: entry.number,
    stage: entry.stage,
    now,
    leaseUntil: now + MINUTE,
    dueAt: now + 2 * MINUTE,
  });
  const addClaimed = async (): Promise<Entry> => {
    const entry = await add();
    await log.claim(claimOf(entry));
    return entry;
  };
  /** The numbers of the entries that are due at that time. */
  const due = async (now: number) =>
    (await backlog.due(now, 1000)).filter((job) => job.user === user).map(({ number }) => number);
  const shownBadge = (path?: string) => reader.badge(user, 'shop', path);
  const badgeAfter = async (number: number, status: Entry['status'], more: EntryChanges = {}) => {
    await change(number, { status, ...more });
    return shownBadge();
  };
  const stateOf = (track: string) => facts.commitState(user, commit('a'.repeat(40)), track);
  const branchOf = (track: string) => facts.branch(user, repository, track);

  describe('appending', () => {
    it('numbers entries and changes from 1 and puts the number into the id', async () => {
      const first = await add();
      const second = await add();
      expect([first.number, second.number, first.seq, second.seq]).toEqual([1, 2, 1, 2]);
      expect(second.id).toMatch(/^[0-9a-f]{20}000000000002$/);
      expect(await log.read(user, 2)).toEqual(second);
      expect(await reader.changes(user, 0, 10)).toEqual([first, second]);
      expect(await reader.last(user)).toBe(2);
    });

    it('makes one entry of one delivery, and names it when the delivery comes again', async () => {
      await add({}, { deliveryKey: 'github#1' });
      expect(await log.append(appending(user, {}, { deliveryKey: 'github#1' }))).toEqual({ duplicateOf: 1 });
      await add({}, { deliveryKey: 'github#2' });
      expect(await reader.last(user)).toBe(2);
    });

    it('lets a delivery replace the entry that it names, and no other', async () => {
      await add({}, { deliveryKey: 'github#1' });
      const again = await add({}, { deliveryKey: 'github#1', replaces: 1 });
      expect(again.number).toBe(2);
      expect(await log.append(appending(user, {}, { deliveryKey: 'github#1', replaces: 1 }))).toEqual({
        duplicateOf: 2,
      });
    });

    it('keeps users apart', async () => {
      await add();
      await appended(log, appending(`${user}-other`));
      expect((await reader.changes(user, 0, 10)).map((change) => change.user)).toEqual([user]);
    });

    it('takes a payload of several megabytes', async () => {
      const payload = Buffer.from(JSON.stringify({ commits: Array.from({ length: 40_000 }, () => Math.random()) }));
      const entry = await add({}, { payload });
      expect(entry.number).toBe(1);
    });

    it('numbers the entries of a user in the order of the calls, also after a large payload', async () => {
      const payload = Buffer.from(JSON.stringify(Array.from({ length: 20_000 }, () => Math.random())));
      const calls = [appending(user, {}, { payload }), appending(user), appending(user)];
      const entries = await Promise.all(calls.map((request) => appended(log, request)));
      expect(entries.map(({ number }) => number)).toEqual([1, 2, 3]);
    });

    it('numbers the entries of concurrent writers without gaps or duplicates', async () => {
      const writers = Array.from({ length: 40 }, (_, place) => (place % 2 === 0 ? log : other));
      const entries = await Promise.all(writers.map((writer) => appended(writer, appending(user))));
      const numbers = entries.map(({ number }) => number).sort((one, two) => one - two);
      expect(numbers).toEqual(Array.from({ length: 40 }, (_, place) => place + 1));
      const seqs = (await reader.changes(user, 0, 100)).map(({ seq }) => seq);
      expect(seqs).toEqual(numbers);
    });
  });

  describe('claiming a stage', () => {
    it('succeeds for one worker and returns the end of the lease to the next', async () => {
      const entry = await add();
      const claimed = await log.claim(claimOf(entry));
      expect(claimed).toMatchObject({ outcome: 'claimed', attempts: 1, entry: { number: 1 } });
      expect(await log.claim(claimOf(entry))).toEqual({ outcome: 'locked', until: AT + MINUTE });
    });

    it('shows the stage as running to readers of the entry', async () => {
      await addClaimed();
      expect((await log.read(user, 1))?.stages).toEqual([
        { name: 'check', status: 'running', startedAt: AT, finishedAt: null, attempts: 1, detail: null },
      ]);
    });

    it('takes over an expired lease and counts the attempt', async () => {
      const entry = await addClaimed();
      expect(await log.claim(claimOf(entry, AT + 2 * MINUTE))).toMatchObject({ outcome: 'claimed', attempts: 2 });
    });

    it('writes what it announces as a change of the feed, and keeps the lease', async () => {
      const entry = await add();
      const claimed = await log.claim(claimOf(entry), ({ status }, attempts) => ({
        status: 'running',
        reason: `${status}, ${attempts}`,
      }));
      expect(claimed).toMatchObject({ outcome: 'claimed', entry: { seq: 2, status: 'running', reason: 'queued, 1' } });
      expect((await reader.changes(user, 1, 10)).map(({ status }) => status)).toEqual(['running']);
      expect(await log.read(user, 1)).toMatchObject({ seq: 2, status: 'running', stages: [{ status: 'running' }] });
      expect(await log.claim(claimOf(entry), () => ({ status: 'error' }))).toEqual({
        outcome: 'locked',
        until: AT + MINUTE,
      });
    });

    it('writes no change where nothing is announced', async () => {
      const entry = await add();
      expect(await log.claim(claimOf(entry), () => null)).toMatchObject({ outcome: 'claimed', entry: { seq: 1 } });
      expect(await reader.changes(user, 1, 10)).toEqual([]);
    });

    it('does not count an attempt whose claim was released', async () => {
      const entry = await addClaimed();
      await log.releaseClaim(claimOf(entry), AT);
      expect(await log.claim(claimOf(entry))).toMatchObject({ outcome: 'claimed', attempts: 1 });
    });

    it('says that a stage is already done when the entry is past it, and closed when it has ended or is held', async () => {
      const entry = await add();
      const moved = await change(1, { status: 'running', stage: 'fetch' });
      expect(await log.claim(claimOf(entry))).toEqual({ outcome: 'alreadyDone', entry: moved });
      expect(await log.claim({ ...claimOf(entry), stage: 'upload' })).toEqual({ outcome: 'closed' });
      await change(1, { status: 'held' });
      expect(await log.claim({ ...claimOf(entry), stage: 'fetch' })).toEqual({ outcome: 'closed' });
      expect(await log.claim({ ...claimOf(entry), number: 99 })).toEqual({ outcome: 'closed' });
    });
  });

  describe('moving an entry', () => {
    it('writes one change, releases the lease and counts attempts from 1 in the next stage', async () => {
      const entry = await addClaimed();
      const moved = await change(1, { status: 'running', stage: 'fetch', stages: [] });
      expect(moved).toMatchObject({ seq: 2, stage: 'fetch' });
      expect((await reader.changes(user, 1, 10)).map(({ stage }) => stage)).toEqual(['fetch']);
      expect(await log.claim({ ...claimOf(entry), stage: 'fetch' })).toMatchObject({ outcome: 'claimed', attempts: 1 });
    });

    it('keeps the lease and the attempts where the transition says so', async () => {
      const entry = await addClaimed();
      await change(1, { status: 'running' }, { keepsLease: true, dueAt: AT });
      expect(await log.claim(claimOf(entry))).toMatchObject({ outcome: 'locked' });
      await log.move(user, 1, () => ({}));
      expect(await log.claim(claimOf(entry))).toMatchObject({ outcome: 'claimed', attempts: 2 });
    });

    it('runs the stage of a held entry from its first attempt when the entry is released', async () => {
      const entry = await addClaimed();
      await change(1, { status: 'held' });
      await change(1, { status: 'running' });
      expect(await log.claim(claimOf(entry, AT + 1))).toMatchObject({ outcome: 'claimed', attempts: 1 });
      expect((await log.read(user, 1))?.stages).toMatchObject([{ name: 'check', startedAt: AT + 1, attempts: 1 }]);
    });

    it('orders an entry by when it is promoted, for readers of the entry and of the feed', async () => {
      await add();
      await change(1, { status: 'running' });
      await change(1, {}, { promotes: true });
      const entry = await log.read(user, 1);
      expect(entry?.order).toBe(3);
      expect(await reader.changes(user, 2, 10)).toEqual([entry]);
      expect((await reader.page({ user, app: null, skip: 0, limit: 1 })).entries).toEqual([entry]);
    });

    it('writes nothing without a transition, and returns null when there is no entry', async () => {
      const entry = await add();
      expect(await log.move(user, 1, () => null)).toEqual(entry);
      expect(await log.move(user, 7, () => ({}))).toBeNull();
      expect(await reader.last(user)).toBe(1);
    });

    it('calls decide again when another writer has moved the entry in the meantime', async () => {
      await add();
      const count = ({ logTail }: Entry) => ({ logTail: [...logTail, 'moved'] });
      await Promise.all([
        ...Array.from({ length: 5 }, () => log.move(user, 1, (current) => ({ changes: count(current) }))),
        ...Array.from({ length: 5 }, () => other.move(user, 1, (current) => ({ changes: count(current) }))),
      ]);
      expect((await log.read(user, 1))?.logTail).toHaveLength(10);
    });
  });

  describe('ending an entry that a worker claims at the same moment', () => {
    it('lets one of the two win: what is claimed goes on, and what has ended is closed', async () => {
      const entries = await Promise.all(Array.from({ length: 20 }, () => add()));
      const cancel = ({ stages }: Entry): Transition | null =>
        stages.length > 0 ? null : { changes: { status: 'cancelled' } };
      const outcomes = await Promise.all(
        entries.map(async (entry) => {
          const [claim, after] = await Promise.all([other.claim(claimOf(entry)), log.move(user, entry.number, cancel)]);
          return `${claim.outcome} ${after?.status}`;
        }),
      );
      for (const one of outcomes) expect(['claimed queued', 'closed cancelled']).toContain(one);
    });
  });

  describe('the facts about applications', () => {
    it('name an application of a user with the entry that it runs', async () => {
      expect(await appFacts.named(user, 'cart')).toBeNull();
      const [first, second, other] = [await add(), await add(), await add()];
      for (const { number } of [first, second]) {
        await change(number, { appName: '@ann/shop' }, { activates: true });
      }
      await change(other.number, { appName: 'cart' });
      const named = ['ann-shop', 'cart', 'none'].map((app) => appFacts.named(user, app));
      expect(await Promise.all(named)).toEqual([
        { name: '@ann/shop', active: second.number, entries: 2 },
        { name: 'cart', active: null, entries: 1 },
        null,
      ]);
      const active = ['@ann/shop', 'cart', 'none'].map((name) => appFacts.active(user, name));
      expect(await Promise.all(active)).toEqual([second.number, null, null]);
    });

    it('are those of the package that runs, where several are one application of the platform', async () => {
      const packages = ['@ann/shop', 'ann-shop', '@ann/shop', 'ann.shop'];
      for (const [at, appName] of packages.entries()) {
        const { number } = await add();
        await change(number, { appName });
        expect((await appFacts.named(user, 'ann-shop'))?.entries).toBe([1, 1, 2, 2][at]);
      }
      for (const appName of ['ann.shop', 'ann-shop', '@ann/shop']) {
        const { number } = await add({ appName });
        await change(number, {}, { activates: true });
        expect(await appFacts.named(user, 'ann-shop')).toMatchObject({ name: appName, active: number });
        await change(number, {}, { deactivates: true });
      }
    });

    it('know no deploy of an application that was removed, and still its entries', async () => {
      const { number } = await add();
      await change(number, { appName: 'shop' }, { activates: true });
      const removal = await add({ appName: 'shop', operation: 'remove' });
      await change(removal.number, { status: 'ok' }, { deactivates: true });
      expect(await appFacts.named(user, 'shop')).toEqual({ name: 'shop', active: null, entries: 2 });
      expect(await appFacts.active(user, 'shop')).toBeNull();
    });

    it('name the last entry that overruled the earlier deploys of an application', async () => {
      expect(await appFacts.overruledUntil(user, 'shop')).toBe(0);
      await add();
      const rollback = await add({ operation: 'rollback' }, { overrules: 'shop' });
      expect(await appFacts.overruledUntil(user, 'shop')).toBe(rollback.number);
      expect(await appFacts.overruledUntil(user, 'cart')).toBe(0);
    });

    it('order an operation by the change with which it was accepted', async () => {
      const deploy = await add();
      await change(deploy.number, { status: 'running' });
      expect(deploy.order).toBeUndefined();
      expect((await add({ operation: 'stop' })).order).toBe(3);
    });

    it('leave the badge as it is for operations that deploy nothing', async () => {
      const { number } = await add();
      await change(number, { status: 'ok' });
      const stop = await add({ operation: 'stop' });
      expect(await shownBadge()).toBe('ok');
      await change(stop.number, { status: 'error' });
      expect(await shownBadge()).toBe('ok');
      await add({ operation: 'rollback' });
      expect(await shownBadge()).toBe('deploying');
    });
  });

  describe('the facts about commits, branches and applications', () => {
    it('knows the newest accepted push of a branch and what was promoted on it', async () => {
      expect(await branchOf('master')).toEqual({
        newest: 0,
        tip: null,
        isTipSure: false,
        activeDeploy: null,
        app: null,
        otherName: null,
        ci: {},
      });
      await add();
      await add({ status: 'skipped' }, { isNewestPush: false });
      await change(1, { status: 'running', appName: 'shop' }, { promotes: true });
      const activeDeploy = { number: 1, sha: 'a'.repeat(40) };
      expect(await branchOf('master')).toEqual({
        newest: 1,
        tip: null,
        isTipSure: false,
        activeDeploy,
        app: 'shop',
        otherName: null,
        ci: {},
      });
      expect((await branchOf('other')).newest).toBe(0);
    });

    it('stores CI results that arrive before the push, and refuses a hold that was decided without one of them', async () => {
      await add();
      const hold = (ifCommitVersion: number) => (): Transition => ({
        changes: { status: 'held' },
        commitState: { held: 1 },
        ifCommitVersion,
      });
      await add({ kind: 'build' }, { checkResult: outcome });
      expect(await log.move(user, 1, hold(0))).toBeNull();
      expect((await log.read(user, 1))?.status).toBe('queued');
      const state = await stateOf('master');
      expect(state).toEqual({
        checks: [outcome],
        version: 1,
        held: null,
        deploying: null,
        awaitsPush: false,
        skip: null,
      });
      await add({ kind: 'build' }, { checkResult: outcome });
      expect(await log.move(user, 1, hold(1))).toBeNull();
      expect(await log.move(user, 1, hold(2))).toMatchObject({ status: 'held' });
    });

    it('stores the results that previews of a commit wait for apart from those of its branches', async () => {
      const { log, facts, user } = await open();
      const sha = 'a'.repeat(40);
      const previewed = { branch: 'changes', ref: null, path: 'packages/web' };
      for (const number of [7, 8]) await appended(log, appending(user, { ...previewed, pullRequest: { number } }));
      const hold = (number: number, ifCommitVersion: number, held: number | null = number) =>
        log.move(user, number, () => ({ changes: { status: 'held' }, commitState: { held }, ifCommitVersion }));
      // Of a commit that merges it.
      const build = { kind: 'build', branch: 'main', sha: 'b'.repeat(40) } as const;
      await appended(log, appending(user, build, { checkResult: outcome, commitResult: { ...outcome, sha } }));
      expect(await hold(1, 0)).toBeNull();
      expect((await log.read(user, 1))?.status).toBe('queued');
      expect(await hold(1, 1)).toMatchObject({ status: 'held' });
      expect(await hold(2, 1)).toMatchObject({ status: 'held' });
      const none = { checks: [], version: 0, held: null, deploying: null, awaitsPush: false, skip: null };
      const known = { ...none, checks: [outcome], version: 1 };
      const state = (digit: string, track: string) => facts.commitState(user, commit(digit.repeat(40)), track);
      expect(await state('a', EVERY_TRACK)).toEqual(known);
      expect(await state('b', 'main')).toEqual(known);
      expect(await state('a', 'main')).toEqual(none);
      expect(await state('a', ':7:packages/web')).toEqual({ ...none, held: 1 });
      const holds = async (digits: string, name = 'Shop') =>
        [...(await facts.holds(user, { ...repository, name }, digits))].sort((one, two) => one.held - two.held);
      const both = [1, 2].map((held) => ({ sha, held }));
      expect([await holds(sha), await holds('aaaaaaa'), await holds('b'), await holds('a', 'sho')]).toEqual([
        both,
        both,
        [],
        [],
      ]);
      expect(await hold(1, 1, null)).toMatchObject({ status: 'held' });
      expect(await holds(sha)).toEqual(both.slice(1));
    });

    it('knows what is held of a pull request, whatever its application and its repository are called by then', async () => {
      const unnumbered = { ...shop, url: null, private: false };
      const numbered = { ...unnumbered, id: '77' };
      const held = async (number: number, of: Entry['repository'] = numbered, path?: string) => {
        const kind = { kind: 'preview', pullRequest: { number } } as const;
        const entry = await add({ branch: 'changes', ref: null, path, repository: of, ...kind });
        await change(entry.number, { status: 'held', appName: `app-${entry.number}` });
        return entry.number;
      };
      const owner = { ...shop, id: '77', pullRequest: { number: 7 } } as AppOwner;
      const heldOf = async (of = owner, who = user) => [...(await facts.heldOf(who, of))].sort((a, b) => a - b);
      expect(await heldOf()).toEqual([]);
      const [first, second] = [await held(7), await held(7)];
      await held(8);
      await change((await add({ repository: numbered })).number, { status: 'held' });
      expect(await heldOf()).toEqual([first, second]);
      expect(await heldOf({ ...owner, name: 'renamed' })).toEqual([first, second]);
      expect(await heldOf(owner, `${user}-other`)).toEqual([]);
      await change(first, { reason: 'It waits.' });
      expect(await heldOf()).toEqual([first, second]);
      await change(first, { status: 'running' });
      await change(second, { status: 'expired' });
      expect(await heldOf()).toEqual([]);
      await change(first, { status: 'held' });
      const [inFolder, nameOnly] = [await held(7, numbered, 'web'), await held(9, unnumbered)];
      expect(await heldOf()).toContain(first);
      expect(await heldOf({ ...owner, path: 'web' })).toContain(inFolder);
      expect(await heldOf({ ...owner, name: 'SHOP', pullRequest: { number: 9 } } as AppOwner)).toEqual([nameOnly]);
    });

    it('stores each check of a commit, whose last final result replaces the earlier ones', async () => {
      const known = async () => {
        const { checks } = await stateOf('master');
        return checks.map(({ check, outcome: state }) => `${check} ${state}`);
      };
      const hear = (writer: DeployLog, check: string, outcome: CheckOutcome) => {
        const checkResult = { ...travis, check, outcome, state: outcome };
        return appended(writer, appending(user, { kind: 'build' }, { isNewestPush: false, checkResult }));
      };
      await Promise.all([hear(log, 'unit', 'pending'), hear(other, 'lint', 'failed'), hear(log, 'docs', 'pending')]);
      expect(await known()).toEqual(['docs pending', 'lint failed', 'unit pending']);
      await hear(log, 'docs', 'neutral');
      await hear(log, 'lint', 'passed');
      await hear(log, 'unit', 'passed');
      expect(await known()).toEqual(['docs neutral', 'lint passed', 'unit passed']);
      // Late pending results, and a neutral run.
      await hear(log, 'docs', 'pending');
      await hear(log, 'unit', 'pending');
      await hear(log, 'lint', 'neutral');
      expect(await known()).toEqual(['docs neutral', 'lint passed', 'unit passed']);
      await hear(log, 'unit', 'failed');
      expect(await known()).toEqual(['docs neutral', 'lint passed', 'unit failed']);
    });

    it('keeps the result of the last run of a check, and tells checks apart by their id', async () => {
      const hear = (id: string, run: number | null, outcome: CheckOutcome, everywhere = false) => {
        const result = { ...travis, id, ...(run !== null && { run }), outcome, state: outcome };
        const of = everywhere ? { commitResult: { ...result, sha: 'a'.repeat(40) } } : { checkResult: result };
        return appended(log, appending(user, { kind: 'build' }, { isNewestPush: false, ...of }));
      };
      const known = async (track: string, sha?: string) => {
        const { checks, version } = sha ? await facts.commitState(user, commit(sha), track) : await stateOf(track);
        return [...checks.map(({ id, run = '', outcome: state }) => `${id} ${run} ${state}`), version];
      };
      await hear('a.yml', 1, 'failed');
      await hear('b.yml', 2, 'passed');
      await hear('b.yml', 1, 'failed');
      await hear('b.yml', 3, 'pending');
      expect(await known('master')).toEqual(['a.yml 1 failed', 'b.yml 2 passed', 4]);
      await hear('b.yml', 2, 'failed');
      await hear('a.yml', 2, 'passed');
      expect(await known('master')).toEqual(['a.yml 2 passed', 'b.yml 2 failed', 6]);
      await hear('a.yml', null, 'failed');
      expect(await known('master')).toEqual(['a.yml  failed', 'b.yml 2 failed', 7]);
      for (const run of [2, 1]) await hear('a.yml', run, run === 2 ? 'passed' : 'failed', true);
      expect(await known(EVERY_TRACK, 'a'.repeat(40))).toEqual(['a.yml 2 passed', 2]);
    });

    it('finds the commits of a branch by their first digits', async () => {
      const shas = [`abcd${'1'.repeat(36)}`, `abcd${'2'.repeat(36)}`, `abce${'1'.repeat(36)}`];
      for (const sha of shas) await add({ sha }, { checkResult: outcome });
      await add({ sha: shas[0] ?? '', branch: 'staging' }, { checkResult: outcome });
      expect([...(await facts.commits(user, repository, 'master', 'abcd'))].sort()).toEqual(shas.slice(0, 2));
      expect(await facts.commits(user, { ...repository, name: 'Shop' }, 'master', 'abcd2')).toEqual([shas[1]]);
      expect(await facts.commits(user, repository, 'staging', 'abc')).toEqual([shas[0]]);
      expect(await facts.commits(user, repository, 'master', 'abcf')).toEqual([]);
      expect(await facts.commits(user, { ...repository, name: 'sho' }, 'master', 'abcd')).toEqual([]);
    });

    it('stores the CI providers that are expected to report on a branch, and removes them', async () => {
      const tell = (track: string, provider: string, until: number | null) =>
        add({}, { isNewestPush: false, expectedCi: { track, provider, until } });
      await tell('master', 'travis', AT);
      await tell('master', 'github-actions', AT);
      await tell('master', 'travis', AT + MINUTE);
      await tell('staging', 'drone', AT);
      const expected = { travis: AT + MINUTE, 'github-actions': AT };
      expect(await branchOf('master')).toMatchObject({ newest: 0, ci: expected });
      await tell('master', 'github-actions', null);
      expect((await branchOf('master')).ci).toEqual({ travis: AT + MINUTE });
      await add();
      expect((await branchOf('master')).ci).toEqual({ travis: AT + MINUTE });
    });

    it('stores an expected CI provider under both names of a repository', async () => {
      const alsoOf = { ...repository, name: 'store' };
      await add({}, { isNewestPush: false, expectedCi: { track: 'master', provider: 'ci', until: AT, alsoOf } });
      expect((await branchOf('master')).ci).toEqual({ ci: AT });
      expect(await facts.branch(user, alsoOf, 'master')).toMatchObject({ newest: 0, ci: { ci: AT } });
    });

    it('stores the other name of a repository with what is promoted, until the next one has another', async () => {
      const otherName = { host: 'github', owner: 'octo/tools', name: 'store' };
      await add();
      await add();
      await change(1, { status: 'running', appName: 'shop' }, { promotes: true, otherName });
      await change(2, { status: 'running', appName: 'shop' }, { promotes: true });
      expect(await branchOf('master')).toMatchObject({ activeDeploy: { number: 2 }, otherName });
    });

    it('stores the held and the deploying entry of a commit, and removes them', async () => {
      await add();
      await change(1, { status: 'held' }, { commitState: { held: 1 } });
      expect(await stateOf('master')).toMatchObject({ held: 1, deploying: null });
      const commitState = { held: null, deploying: 1, awaitsPush: true };
      await change(1, { status: 'running' }, { commitState });
      expect(await stateOf('master')).toEqual({ checks: [], version: 0, skip: null, ...commitState });
    });

    it('has a separate commit state for each branch of a commit', async () => {
      await add({ kind: 'build' }, { checkResult: outcome });
      await add({ branch: 'staging' });
      await change(2, { status: 'held' }, { commitState: { held: 2 } });
      expect(await stateOf('master')).toMatchObject({ checks: [outcome], held: null });
      expect(await stateOf('staging')).toMatchObject({ checks: [], held: 2 });
    });

    it('keeps the applications in two folders of a repository apart, and both from the one in its root', async () => {
      const [web, api] = [{ path: 'packages/web' }, { path: 'packages/api' }];
      await add(web, { checkResult: outcome });
      await add(api);
      await change(2, { status: 'held', appName: 'api' }, { commitState: { held: 2 } });
      await change(1, { appName: 'web' }, { promotes: true });
      const known = async (track: string) => {
        const { newest, app } = await branchOf(track);
        const { checks, held } = await stateOf(track);
        const found = await facts.commits(user, repository, track, 'aaaa');
        return { newest, app, checks: checks.length, held, commits: found.length };
      };
      expect(await known('master:packages/web')).toEqual({ newest: 1, app: 'web', checks: 1, held: null, commits: 1 });
      expect(await known('master:packages/api')).toEqual({ newest: 2, app: null, checks: 0, held: 2, commits: 1 });
      expect(await known('master')).toEqual({ newest: 0, app: null, checks: 0, held: null, commits: 0 });
    });

    it('keeps the environments of a branch apart, and the badge of each', async () => {
      const environment = 'staging';
      await add({ environment }, { checkResult: outcome, isTip: true });
      await change(1, { appName: 'shop-staging' }, { promotes: true });
      await change(1, { status: 'ok' });
      expect(await branchOf('master~staging')).toMatchObject({
        newest: 1,
        app: 'shop-staging',
        activeDeploy: { number: 1 },
      });
      expect(await branchOf('master')).toMatchObject({ newest: 0, app: null, tip: null, activeDeploy: null });
      expect([(await stateOf('master~staging')).checks.length, (await stateOf('master')).checks.length]).toEqual([
        1, 0,
      ]);
      const badges = [reader.badge(user, `${repository.name}-staging`), reader.badge(user, repository.name)];
      expect(await Promise.all(badges)).toEqual(['ok', 'unknown']);
    });

    it('ignores the case of owners and repositories', async () => {
      const other = { ...repository, owner: 'Ann', name: 'Shop' };
      await add({ repository: { ...other, url: null, private: false } }, { checkResult: outcome });
      expect(await stateOf('master')).toMatchObject({ checks: [outcome] });
      expect((await branchOf('master')).newest).toBe(1);
      expect((await branchOf('Master')).newest).toBe(0);
    });

    it('lets a newer deploy claim an application, never an older one', async () => {
      expect(await facts.claimApp(user, 'shop', 5)).toBe(true);
      expect(await facts.claimApp(user, 'shop', 5)).toBe(true);
      expect(await facts.claimApp(user, 'shop', 4)).toBe(false);
      expect(await facts.claimApp(user, 'shop', 6)).toBe(true);
      expect([await appFacts.claimedOrder(user, 'shop'), await appFacts.claimedOrder(user, 'cart')]).toEqual([6, 0]);
    });

    it('gives an application to the repository that asks first, also when two ask at once', async () => {
      expect(await facts.appOwner(user, 'shop')).toBeNull();
      const before = await Promise.all([facts.ownApp(user, 'shop', shop), facts.ownApp(user, 'shop', fork)]);
      expect(before).toContain(null);
      expect(await facts.appOwner(user, 'shop')).toEqual(before[0] ?? before[1]);
      expect(await facts.appOwner(`${user}-other`, 'shop')).toBeNull();
    });

    it('knows an owner again in other letters, and takes another folder for another owner', async () => {
      const web = { ...shop, path: 'packages/web' };
      await facts.ownApp(user, 'shop', web);
      expect(await facts.ownApp(user, 'shop', { ...web, owner: 'ANN' })).toEqual(web);
      expect(await facts.ownApp(user, 'shop', { ...web, path: 'packages/api' })).toEqual(web);
      expect(await facts.ownApp(user, 'shop', shop)).toEqual(web);
      expect(await facts.appOwner(user, 'shop')).toEqual(web);
    });

    it('knows a repository that was renamed by its id, which is learned from the next claim of the same name', async () => {
      const [known, store] = [
        { ...shop, id: '7' },
        { ...shop, owner: 'bob', name: 'store', id: '7' },
      ];
      await facts.ownApp(user, 'shop', { ...shop, branch: 'main' });
      await facts.ownApp(user, 'shop', store);
      expect(await facts.appOwner(user, 'shop')).toEqual({ ...shop, branch: 'main' });
      await facts.ownApp(user, 'shop', known);
      await facts.ownApp(user, 'shop', shop);
      expect(await facts.ownApp(user, 'shop', store)).toEqual({ ...known, branch: 'main' });
      const moved = { user, app: 'shop', owner: store, branch: 'main', comparedAt: 0 };
      expect(await trackedApps.tracked(moved)).toEqual(moved);
      const strangers = [shop, { ...store, id: '8' }, { ...store, host: 'gitlab' }, { ...store, path: 'web' }];
      for (const stranger of strangers) {
        expect(await facts.ownApp(user, 'shop', stranger)).toEqual({ ...store, branch: 'main' });
        expect(await facts.appOwner(user, 'shop')).toEqual({ ...store, branch: 'main' });
      }
      await facts.freeApp(user, 'shop');
      expect(await facts.ownApp(user, 'shop', shop)).toBeNull();
      expect(await facts.ownApp(user, 'shop', { ...shop, id: '9' })).toEqual(shop);
    });

    it('gives an application to another repository, which follows the same branch', async () => {
      await facts.transferApp(user, 'shop', shop);
      await facts.ownApp(user, 'shop', { ...shop, id: '7', branch: 'main' });
      await facts.transferApp(user, 'shop', fork);
      expect(await facts.appOwner(user, 'shop')).toEqual({ ...fork, branch: 'main' });
      expect(await facts.ownApp(user, 'shop', { ...shop, id: '7' })).toEqual({ ...fork, branch: 'main' });
      await facts.ownApp(user, 'shop', { ...fork, id: '8' });
      expect(await facts.appOwner(user, 'shop')).toEqual({ ...fork, id: '8', branch: 'main' });
    });

    it('moves an application to another name that is free, once or twice', async () => {
      const owner = { ...shop, id: '7', branch: 'main' };
      await facts.ownApp(user, 'shop', owner);
      await trackedApps.compared({ user, app: 'shop' }, { at: 5, dueAt: 9 });
      await facts.claimApp(user, 'store', 3);
      await facts.renameApp(user, 'shop', 'store');
      await facts.renameApp(user, 'shop', 'store');
      expect(await facts.appOwner(user, 'shop')).toBeNull();
      expect(await trackedApps.tracked({ user, app: 'store' })).toMatchObject({ branch: 'main', comparedAt: 5 });
      expect(await facts.ownApp(user, 'store', { ...shop, owner: 'bob', id: '7' })).toEqual(owner);
      await facts.ownApp(user, 'shop', fork);
      await facts.renameApp(user, 'shop', 'store');
      expect(await facts.appOwner(user, 'shop')).toEqual(fork);
      expect(await facts.appOwner(user, 'store')).toMatchObject({ owner: 'bob', id: '7' });
    });

    it('finds the applications of an owner by the id of its repository, or by its name, until they are freed', async () => {
      const named = async (owner: AppOwner) => (await facts.owned(user, owner)).map(({ app }) => app).sort();
      const known = { ...shop, id: '7' };
      await facts.ownApp(user, 'shop', { ...known, branch: 'main' });
      await facts.ownApp(user, 'cart', known);
      await facts.ownApp(user, 'shop-staging', { ...known, environment: 'staging' });
      await facts.ownApp(user, 'by-name', fork);
      expect(await named({ ...known, name: 'store' })).toEqual(['cart', 'shop']);
      expect(await facts.owned(user, { ...known, environment: 'staging' })).toEqual([
        { app: 'shop-staging', owner: { ...known, environment: 'staging' } },
      ]);
      expect(await named({ ...fork, id: '8' })).toEqual(['by-name']);
      expect(await named({ ...shop, id: '9' })).toEqual([]);
      await facts.transferApp(user, 'cart', { ...fork, id: '8' });
      await facts.renameApp(user, 'shop', 'store');
      expect(await named(known)).toEqual(['store']);
      expect(await named({ ...fork, id: '8' })).toEqual(['by-name', 'cart']);
      await facts.freeApp(user, 'store');
      expect(await named(known)).toEqual([]);
    });

    it('has an application follow the first branch that a push deploys, until it is moved to another', async () => {
      const owner = () => facts.appOwner(user, 'shop');
      expect(await facts.followBranch(user, 'shop', 'main')).toBe(false);
      await facts.ownApp(user, 'shop', shop);
      expect(await owner()).toEqual(shop);
      const main = { ...shop, branch: 'main' };
      for (const claim of [main, { ...shop, branch: 'staging' }, { ...fork, branch: 'staging' }, shop]) {
        await facts.ownApp(user, 'shop', claim);
        expect(await owner()).toEqual(main);
      }
      expect(await facts.followBranch(user, 'shop', 'staging')).toBe(true);
      expect(await owner()).toEqual({ ...shop, branch: 'staging' });
      await facts.freeApp(user, 'shop');
      expect(await facts.followBranch(user, 'shop', 'main')).toBe(false);
    });

    it('has a preview follow the branch of its pull request, whatever that is called by now', async () => {
      const preview = { ...shop, pullRequest: { number: 7, parent: 'web' } };
      await facts.ownApp(user, 'web-pr-7', { ...preview, branch: 'fix' });
      await facts.ownApp(user, 'web-pr-7', { ...preview, branch: 'renamed' });
      expect(await facts.appOwner(user, 'web-pr-7')).toEqual({ ...preview, branch: 'renamed' });
    });

    it('gives an environment an application of its own', async () => {
      const staging = { ...shop, environment: 'staging' };
      expect(await facts.ownApp(user, 'shop-staging', staging)).toBeNull();
      expect(await facts.ownApp(user, 'shop-staging', shop)).toEqual(staging);
    });

    it('gives a freed name to the next repository, and the claims of an application that has been deployed before', async () => {
      await add();
      await change(1, { appName: 'shop' }, { activates: true });
      expect(await facts.claimApp(user, 'shop', 5)).toBe(true);
      expect(await facts.ownApp(user, 'shop', shop)).toBeNull();
      await facts.freeApp(user, 'shop');
      await facts.freeApp(user, 'never');
      expect(await facts.appOwner(user, 'shop')).toBeNull();
      expect(await facts.ownApp(user, 'shop', fork)).toBeNull();
      expect(await facts.claimApp(user, 'shop', 4)).toBe(false);
    });
  });

  describe('the tip of a branch', () => {
    it('is the commit of the last push, deployed or not; of no other entry', async () => {
      const tip = async () => (await branchOf('master')).tip;
      await add({ sha: 'a'.repeat(40) }, { isTip: true });
      expect(await tip()).toBe('a'.repeat(40));
      const skipped = { sha: 'b'.repeat(40), status: 'skipped' } as const;
      await add(skipped, { isTip: true, isNewestPush: false });
      await add({ sha: 'c'.repeat(40) });
      expect(await tip()).toBe('b'.repeat(40));
      expect(await branchOf('master')).toMatchObject({ newest: 3 });
    });

    const [a, b, c] = ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40)];
    const pull = { number: 7 };
    const closed = { ...pull, closed: true } as const;

    it.each<readonly [string, readonly Patch[], string | null, boolean]>([
      ['the first call', [{ before: a, sha: b }], b, true],
      ['calls that continue each other', [{ sha: a }, { before: a, sha: b }, { before: b, sha: c }], c, true],
      ['a branch that went back', [{ sha: a }, { before: a, sha: b }, { before: b, sha: a }], a, true],
      ['a call that is missing', [{ sha: a }, { before: b, sha: c }], c, false],
      ['one that has come late', [{ sha: a }, { before: b, sha: c }, { before: a, sha: b }], b, false],
      ['a branch that was at the commit before', [{ sha: a }, { before: b, sha: a }, { before: a, sha: b }], b, false],
      [
        'one of before the first',
        [
          { before: b, sha: c },
          { before: c, sha: a },
          { before: a, sha: b },
        ],
        b,
        false,
      ],
      [
        'one of before a commit that was found',
        [
          { sha: b, provider: 'reconciled' },
          { before: b, sha: c },
          { before: c, sha: a },
          { before: a, sha: b },
        ],
        b,
        false,
      ],
      [
        'a branch that went on from where it began',
        [
          { before: b, sha: c },
          { before: c, sha: b },
          { before: b, sha: a },
        ],
        a,
        true,
      ],
      ['one that was told twice', [{ sha: a }, { before: a, sha: b }, { before: a, sha: b }], b, false],
      ['a branch that was deleted', [{ sha: a }, { before: a, sha: null }], null, true],
      ['and made again', [{ sha: a }, { before: a, sha: null }, { sha: b }], b, true],
      [
        'a closed pull request',
        [
          { sha: a, pullRequest: pull },
          { sha: a, pullRequest: closed, operation: 'remove' },
        ],
        null,
        true,
      ],
      [
        'one that was opened late',
        [
          { sha: a, pullRequest: closed, operation: 'remove' },
          { sha: a, pullRequest: pull },
        ],
        a,
        false,
      ],
      ['a commit that was found', [{ sha: a }, { before: b, sha: c }, { sha: b, provider: 'reconciled' }], b, false],
    ])('is sure or not after %s', async (_what, calls, tip, isTipSure) => {
      for (const patch of calls) await add(patch, { isTip: true });
      const track = calls[0]?.pullRequest ? ':7' : 'master';
      expect(await branchOf(track)).toMatchObject({ tip, isTipSure });
    });

    it('is not known before the first call', async () => {
      expect(await branchOf('master')).toMatchObject({ tip: null, isTipSure: false });
    });
  });

  it('keeps with a commit the words of its push by which it is not deployed', async () => {
    await add({ sha: 'a'.repeat(40), status: 'skipped' }, { isTip: true, isNewestPush: false, skip: '[skip deploy]' });
    await add({ sha: 'a'.repeat(40), kind: 'build' }, { isNewestPush: false, checkResult: outcome });
    expect(await stateOf('master')).toMatchObject({ skip: '[skip deploy]', checks: [outcome] });
    expect(await stateOf('other')).toMatchObject({ skip: null });
  });

  describe('applications that are compared with their branches', () => {
    const web = { ...shop, path: 'web' };
    const toCompare = async (at: number) =>
      (await trackedApps.toCompare(at, 1000)).filter((one) => one.user === user).map(({ app }) => app);

    it('are those with a branch, by the time at which they are due', async () => {
      const now = Date.now() + MINUTE;
      await facts.ownApp(user, 'web', { ...web, branch: 'main' });
      await facts.ownApp(user, 'by-hand', shop);
      expect(await toCompare(now)).toEqual(['web']);
      await trackedApps.compared({ user, app: 'web' }, { at: 5, dueAt: now + MINUTE });
      // A further deploy changes neither the branch nor when the application is due.
      await facts.ownApp(user, 'web', { ...web, branch: 'other' });
      await facts.ownApp(user, 'web', web);
      expect(await facts.followBranch(user, 'web', 'stable')).toBe(true);
      expect([await toCompare(now), await toCompare(now + MINUTE)]).toEqual([[], ['web']]);
      const tracked = { user, app: 'web', owner: web, branch: 'stable' };
      expect(await trackedApps.tracked(tracked)).toEqual({ ...tracked, comparedAt: 5 });
      await trackedApps.compared(tracked, { dueAt: now });
      expect(await trackedApps.tracked(tracked)).toMatchObject({ comparedAt: 5 });
    });

    it('are previews too, which belong to their pull request and neither replace an application nor are replaced', async () => {
      const preview = { ...shop, pullRequest: { number: 7, parent: '@ann/web' } };
      await facts.ownApp(user, 'web', { ...shop, branch: 'main' });
      await facts.ownApp(user, 'ann-web-pr-7', { ...preview, branch: 'changes' });
      const tracked = { user, app: 'ann-web-pr-7', owner: preview, branch: 'changes', comparedAt: 0 };
      expect(await trackedApps.previews(user, shop)).toEqual([tracked]);
      const ofAll = async () => (await trackedApps.allPreviews(1000)).filter((one) => one.user === user);
      expect(await ofAll()).toEqual([tracked]);
      expect((await toCompare(Number.MAX_SAFE_INTEGER)).sort()).toEqual(['ann-web-pr-7', 'web']);
      expect(await facts.ownApp(user, 'ann-web-pr-7', shop)).toEqual({ ...preview, branch: 'changes' });
      expect(await facts.ownApp(user, 'web', preview)).toEqual({ ...shop, branch: 'main' });
      const other = { ...preview, pullRequest: { number: 8, parent: '@ann/web' } };
      expect(await facts.ownApp(user, 'ann-web-pr-7', other)).toEqual({ ...preview, branch: 'changes' });
      await facts.freeApp(user, 'ann-web-pr-7');
      expect([await trackedApps.previews(user, shop), await ofAll()]).toEqual([[], []]);
    });

    it('do not change hands, and are forgotten when the name is freed', async () => {
      const app = { user, app: 'web' };
      await facts.ownApp(user, 'web', { ...web, branch: 'main' });
      await facts.ownApp(user, 'web', { ...fork, branch: 'other' });
      expect(await trackedApps.tracked(app)).toMatchObject({ owner: web, branch: 'main' });
      await facts.freeApp(user, 'web');
      await trackedApps.compared(app, { at: 1, dueAt: 1 });
      expect(await trackedApps.tracked(app)).toBeNull();
      expect(await toCompare(Number.MAX_SAFE_INTEGER)).toEqual([]);
      expect(await trackedApps.tracked({ user, app: 'never' })).toBeNull();
    });
  });

  describe('pages', () => {
    it('are newest first, count everything, and end where the log ends', async () => {
      for (let entry = 0; entry < 7; entry += 1) await add();
      const page = async (skip: number, limit: number) => {
        const { total, entries } = await reader.page({ user, app: null, skip, limit });
        return [total, ...entries.map(({ number }) => number)];
      };
      expect(await page(0, 3)).toEqual([7, 7, 6, 5]);
      expect(await page(5, 3)).toEqual([7, 2, 1]);
      expect(await page(7, 3)).toEqual([7]);
      expect(await page(1000, 3)).toEqual([7]);
    });

    it('of an application hold only the entries that have joined it', async () => {
      for (const app of ['shop', 'blog', 'shop', null, 'shop']) {
        const { number } = await add();
        if (app) await change(number, { appName: app });
      }
      const page = await reader.page({ user, app: 'shop', skip: 1, limit: 10 });
      expect([page.total, ...page.entries.map(({ number }) => number)]).toEqual([3, 3, 1]);
    });

    it.each(['nobody', 'a'.repeat(3000)])(
      'of an unknown name are empty, also of one longer than any key',
      async (name) => {
        const none = { total: 0, entries: [] };
        expect(await reader.page({ user, app: name, skip: 0, limit: 10 })).toEqual(none);
        expect(await reader.page({ user: name, app: null, skip: 0, limit: 10 })).toEqual(none);
        expect([await reader.badge(name, 'shop'), await reader.last(name)]).toEqual(['unknown', 0]);
        expect(await reader.changes(user, 0, 10)).toEqual([]);
      },
    );
  });

  describe('the badge', () => {
    it('shows the current deploy, and the last result after one that ends without a result', async () => {
      expect(await reader.badge(user, 'Shop')).toBe('unknown');
      await add();
      expect(await reader.badge(user, 'Shop')).toBe('deploying');
      expect(await badgeAfter(1, 'ok')).toBe('ok');
      await add({ status: 'skipped' }, { isNewestPush: false });
      expect(await shownBadge()).toBe('ok');
      await add();
      expect([await badgeAfter(3, 'held'), await badgeAfter(3, 'skipped')]).toEqual(['held', 'ok']);
      await add();
      expect(await badgeAfter(4, 'error')).toBe('failed');
    });
  });

  it('shows a crash of the running application on the badge, until it answers again or is deployed anew', async () => {
    await add();
    expect(await badgeAfter(1, 'ok')).toBe('ok');
    expect(await badgeAfter(1, 'crashed', { appEvent: 1 })).toBe('crashed');
    expect(await badgeAfter(1, 'ok', { appEvent: 2 })).toBe('ok');
    expect(await badgeAfter(1, 'crashed', { appEvent: 3 })).toBe('crashed');
    await add();
    expect([await badgeAfter(2, 'running'), await badgeAfter(2, 'error')]).toEqual(['deploying', 'crashed']);
    expect(await badgeAfter(1, 'ok', { appEvent: 4 })).toBe('failed');
    expect(await badgeAfter(1, 'crashed', { appEvent: 5 })).toBe('crashed');
    await add();
    expect(await badgeAfter(3, 'ok')).toBe('ok');
  });

  it('keeps how far the events of the platform have been read', async () => {
    expect(await cursor.read()).toBe(0);
    await cursor.write(7);
    expect(await cursor.read()).toBe(7);
    await cursor.write(2);
    expect(await cursor.read()).toBe(2);
  });

  it('has a badge for each folder of a repository, and one for its last deploy of any', async () => {
    await add({ path: 'web' });
    await add({ path: 'api' });
    await change(1, { status: 'ok' });
    await change(2, { status: 'error' });
    const shown = [undefined, 'web', 'api', 'other'].map(shownBadge);
    expect(await Promise.all(shown)).toEqual(['failed', 'ok', 'failed', 'unknown']);
  });

  it.each(['superseded', 'cancelled'] as const)(
    'shows the result before on the badge after one was %s',
    async (status) => {
      await add();
      await add();
      await change(2, { status: 'held' });
      await change(1, { status: 'error' });
      expect(await shownBadge()).toBe('held');
      await change(2, { status });
      expect(await shownBadge()).toBe('failed');
    },
  );

  it('shows on the badge what is unfinished, also after transitions that come twice', async () => {
    for (const _ of [1, 2, 3]) await add();
    expect([await badgeAfter(2, 'held'), await badgeAfter(2, 'held')]).toEqual(['deploying', 'deploying']);
    await badgeAfter(3, 'superseded');
    await badgeAfter(1, 'running');
    expect(await badgeAfter(1, 'ok')).toBe('held');
    expect(await badgeAfter(2, 'queued')).toBe('deploying');
    expect([await badgeAfter(2, 'skipped'), await badgeAfter(2, 'skipped')]).toEqual(['ok', 'ok']);
  });

  it('shows no badge of a deploy that has ended when many ended at once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => add()));
    const all = [1, 2, 3, 4, 5, 6, 7].flatMap((one) => [
      change(one, { status: 'held' }),
      change(one, { status: 'running' }),
    ]);
    await Promise.all(all);
    expect(await shownBadge()).toBe('deploying');
    await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((number) => change(number, { status: 'ok' })));
    expect(await shownBadge()).toBe('ok');
  });

  describe('the backlog', () => {
    it('lists the unfinished entries that are due, the longest overdue first', async () => {
      await add({}, { dueAt: AT + 20 });
      await add({}, { dueAt: AT + 10 });
      await add({ status: 'skipped' }, { dueAt: AT + 5 });
      await add({}, { dueAt: AT + 100 });
      expect(await due(AT + 50)).toEqual([2, 1]);
      await backlog.postpone({ user, number: 2 }, AT + 200, false);
      await change(1, { status: 'ok' });
      expect(await due(AT + 50)).toEqual([]);
      await change(1, { status: 'crashed' });
      expect(await due(AT + 50)).toEqual([]);
    });

    it('lists a deploy that has ended until it is closed, and again after it has changed', async () => {
      const named = { appName: 'shop', updatedAt: AT, stage: 'start' } as const;
      await add(named);
      await change(1, { status: 'ok' });
      expect(await due(AT + MINUTE - 1)).toEqual([]);
      expect(await due(AT + MINUTE)).toHaveLength(1);
      await backlog.postpone({ user, number: 1 }, AT + 2 * MINUTE, false);
      expect(await due(AT + MINUTE)).toEqual([]);
      await backlog.close({ user, number: 1, seq: 1 });
      expect(await due(AT + 2 * MINUTE)).toHaveLength(1);
      await backlog.close({ user, number: 1, seq: 2 });
      await backlog.postpone({ user, number: 1 }, AT, false);
      expect(await due(AT + 2 * MINUTE)).toEqual([]);
      await change(1, { status: 'crashed' });
      expect(await due(AT + MINUTE)).toHaveLength(1);
    });

    it('does not list what has ended without a commit status', async () => {
      await add({ appName: 'shop', operation: 'restart' });
      await add({ appName: 'shop', status: 'skipped' });
      await change(1, { status: 'ok' });
      expect(await due(Number.MAX_SAFE_INTEGER)).toEqual([]);
    });

    it('removes the lease of an entry when postpone frees it', async () => {
      const entry = await addClaimed();
      await backlog.postpone({ user, number: 1 }, AT, false);
      expect(await log.claim(claimOf(entry))).toMatchObject({ outcome: 'locked' });
      await backlog.postpone({ user, number: 1 }, AT, true);
      expect(await log.claim(claimOf(entry))).toMatchObject({ outcome: 'claimed' });
    });

    it('says whether a worker had an entry that is released, which is then not due before that time', async () => {
      const claimed = await add();
      await log.claim(claimOf(claimed));
      await add({}, { dueAt: AT + 10 });
      await add({}, { dueAt: AT + 90 * MINUTE });
      await add({ status: 'skipped' });
      const release = (number: number) => backlog.release({ user, number }, AT + MINUTE);
      expect(await Promise.all([1, 2, 3, 4, 5].map(release))).toEqual([true, false, false, false, false]);
      expect(await release(1)).toBe(false);
      expect(await due(AT + MINUTE - 1)).toEqual([]);
      expect((await due(AT + MINUTE)).sort()).toEqual([1, 2]);
      expect(await due(AT + 90 * MINUTE)).toHaveLength(3);
      expect(await log.claim(claimOf(claimed))).toMatchObject({ outcome: 'claimed' });
    });

    it('begins the stage of an entry that is released anew, and does not count the attempt that ended with its process', async () => {
      const entry = await addClaimed();
      const later = AT + 600 * MINUTE;
      await backlog.release({ user, number: 1 }, later + MINUTE);
      expect((await log.read(user, 1))?.stages).toEqual([]);
      await log.claim(claimOf(entry, later));
      expect((await log.read(user, 1))?.stages).toMatchObject([{ name: 'check', startedAt: later, attempts: 1 }]);
    });

    it('counts the attempts of an entry that has ended with its process too often, in each stage anew', async () => {
      const entry = await add();
      const end = async (stage: StageName, how: 'release' | 'postpone') => {
        const claimed = await log.claim({ ...claimOf(entry), stage });
        if (how === 'release') await backlog.release({ user, number: 1 }, AT + MINUTE);
        else await backlog.postpone({ user, number: 1 }, AT + MINUTE, true);
        return claimed;
      };
      for (let times = 0; times < MAX_RESTARTS; times += 1) await end('check', times % 2 ? 'release' : 'postpone');
      expect(await end('check', 'release')).toMatchObject({ outcome: 'claimed', attempts: 1 });
      expect(await end('check', 'release')).toMatchObject({ outcome: 'claimed', attempts: 2 });
      await change(1, { status: 'running', stage: 'fetch' });
      await end('fetch', 'release');
      expect(await end('fetch', 'release')).toMatchObject({ outcome: 'claimed', attempts: 1 });
    });
  });
}
