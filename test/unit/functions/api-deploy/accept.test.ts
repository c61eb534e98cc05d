import { beforeEach, describe, expect, it } from 'vitest';
import { accept, type HookRequest } from '../../../../functions/api-deploy/accept.ts';
import type { AcceptPorts } from '../../../../functions/api-deploy/ports.ts';
import type { HookSecrets } from '../../../../functions/api-deploy/signature.ts';
import type { Status } from '../../../../functions/core/entry/entry.ts';
import { DeployError } from '../../../../functions/core/errors.ts';
import { ANY_HOST_KIND, type CheckOutcome, type Delivery } from '../../../../functions/core/payload/delivery.ts';
import { MAX_PAYLOAD_BYTES } from '../../../../functions/core/payload/payload.ts';
import { UnconfirmedWrite } from '../../../../functions/core/pipeline/store-entry.ts';
import { memoryClock } from '../../../fakes/clock.ts';
import { memoryLog } from '../../../fakes/deploy-log.ts';
import { memoryQueue } from '../../../fakes/job-queue.ts';
import { AT, append, MINUTE, repository, sha } from '../../../support/entries.ts';
import { build, notice, push } from '../../../support/senders/deliveries.ts';

/** The webhook on a log in memory; `says` is what the next call says. */
function world() {
  const clock = memoryClock(AT);
  const log = memoryLog();
  const queue = memoryQueue();
  const traced: unknown[] = [];
  const secrets: Record<string, string[]> = {};
  const configured: Record<string, Record<string, string[]>> = { ann: secrets };
  let says: readonly Delivery[] = [];
  const ports = {
    log,
    facts: log,
    queue,
    clock,
    recognise: () => {
      const id = says[0]?.provider ?? 'github';
      return { id, name: id, webhook: id, read: () => says };
    },
    hostName: (_kind: string, hostname: string | null) => (hostname === 'memory.example.com' ? 'memory' : null),
    hostNames: ['memory'],
    hookSecrets: async (): Promise<HookSecrets> => configured,
    verify: async () => 'missing' as const,
    defaultBranch: 'master',
    trace: (event: string, fields: object) => void traced.push({ event, ...fields }),
  };
  const hook: HookRequest = {
    user: 'ann',
    uuid: '00000000-0000-4000-8000-000000000001',
    base: 'https://hooks.example.com',
    at: AT,
    headers: { 'content-type': 'application/json' },
    query: {},
    raw: new TextEncoder().encode('{"ref":"refs/heads/master"}'),
  };
  return {
    ...ports,
    traced,
    secrets,
    configured,
    call: (deliveries: readonly Delivery[], patch: Partial<HookRequest> = {}, ownHost?: AcceptPorts['ownHost']) => {
      says = deliveries;
      return accept({ ...hook, ...patch }, { ...ports, ownHost });
    },
    end: (number: number, status: Status) => log.move('ann', number, () => ({ changes: { status, finishedAt: AT } })),
    entries: async () => (await log.page({ user: 'ann', app: null, skip: 0, limit: 100 })).entries,
  };
}

let { traced, end, facts, call, entries, log, queue } = world();
beforeEach(() => {
  ({ traced, end, facts, call, entries, log, queue } = world());
});

describe('a push to the deployed branch', () => {
  it('becomes a queued entry that says what was pushed, and its first stage is queued', async () => {
    const [entry] = await call([push({ before: sha('0'), forced: true })]);
    expect(entry).toMatchObject({
      number: 1,
      status: 'queued',
      stage: 'check',
      uuid: '00000000-0000-4000-8000-000000000001',
      provider: 'github',
      repository: { host: 'memory', owner: 'ann', name: 'shop' },
      sha: sha('a'),
      branch: 'master',
      before: sha('0'),
      forced: true,
      delivery: 'delivery-1',
      receivedAt: AT,
      finishedAt: null,
    });
    expect(queue.sent).toEqual([{ user: 'ann', number: 1, stage: 'check', group: 'ann/ann/shop' }]);
  });

  it('keeps the id of its repository, which a rename does not change', async () => {
    const [entry] = await call([push({ repository: { ...push().repository, id: '7' } })]);
    expect(entry.repository).toEqual({ ...repository, url: push().repository.url, id: '7' });
  });

  it('is accepted when the queue fails, and is due for the sweeper after a minute', async () => {
    queue.send = async () => {
      throw new Error('The queue is away.');
    };
    const [entry] = await call([push()]);
    expect(entry.status).toBe('queued');
    expect(await log.due(AT + MINUTE, 10)).toEqual([{ user: 'ann', number: 1 }]);
    expect(traced).toMatchObject([{ event: 'stage not queued', number: 1 }]);
  });

  it('is refused with a code that asks for another try when the database is away', async () => {
    log.append = async () => {
      throw new Error('connect ECONNREFUSED 10.0.0.7');
    };
    const refused = call([push()]);
    await expect(refused).rejects.toMatchObject({ code: 'deploy:db:failed_to_store_payload', status: 503 });
    await expect(refused).rejects.not.toMatchObject({ detail: expect.stringContaining('10.0.0.7') });
    expect(queue.sent).toEqual([]);
  });

  it('goes on when it is in the log but not known to be on the disk, and its sender is told that', async () => {
    const { append } = log;
    log.append = async (request) => {
      throw new UnconfirmedWrite(await append(request), new Error('EIO: i/o error, fdatasync'));
    };
    const refused = call([push()]);
    await expect(refused).rejects.toMatchObject({
      code: 'deploy:db:failed_to_store_payload',
      status: 503,
      detail: 'It is not known whether the payload was stored: the disk did not confirm it. Send it again.',
    });
    expect(queue.sent).toMatchObject([{ user: 'ann', number: 1 }]);
    log.append = append;
    expect((await call([push()]))[0]).toMatchObject({ status: 'duplicate' });
  });
});

describe('a delivery that deploys nothing', () => {
  it.each([
    ['a push to another branch', push({ ref: 'refs/heads/work', branch: 'work' })],
    ['a tag', push({ ref: 'refs/tags/v1', branch: null })],
    ['a deleted branch', push({ sha: null })],
    ['a ping', notice()],
    ['a build of a pull request', build({ pullRequest: true })],
    ['a failed build', build({ outcome: 'failed', state: 'Failed' })],
    ['a build that has only begun', build({ outcome: 'pending', state: 'Started' })],
    ['a build of another branch', build({ branch: 'work' })],
  ])('%s is written down as skipped with a reason, and nothing is queued', async (_what, delivery) => {
    const [entry] = await call([delivery]);
    expect(entry).toMatchObject({ status: 'skipped', finishedAt: AT });
    expect(entry.reason).toMatch(/\.$/);
    expect(queue.sent).toEqual([]);
  });

  it('leaves the newest of the branch as it was', async () => {
    await call([push({ sha: null })]);
    expect((await log.branch('ann', repository, 'master')).newest).toBe(0);
  });

  it('may come from a host that is not configured when it is a ping', async () => {
    const elsewhere = { hostname: 'elsewhere.example.com', owner: 'a', name: 'b', url: null, private: false };
    const [entry] = await call([notice({ repository: elsewhere })]);
    expect(entry).toMatchObject({ status: 'skipped', repository: null });
  });
});

describe('the branch', () => {
  it('is the configured one, unless the hook’s address names another', async () => {
    const staging = push({ ref: 'refs/heads/staging', branch: 'staging' });
    expect((await call([staging]))[0].status).toBe('skipped');
    expect((await call([staging], { query: { branch: 'staging' } }))[0].status).toBe('queued');
  });

  it('may be given as a full ref', async () => {
    expect((await call([push()], { query: { branch: 'refs/heads/master' } }))[0].status).toBe('queued');
  });

  it.each(['', 'a b', 'a..b~1', 'a\u0000b', 'x'.repeat(251)])('%j is none', async (branch) => {
    await expect(call([push()], { query: { branch } })).rejects.toMatchObject({ code: 'request:bad_parameter' });
  });
});

describe('the same delivery again', () => {
  it('is a duplicate that names the first entry, and deploys nothing', async () => {
    const [first] = await call([push()]);
    const [again] = await call([push()]);
    expect(again).toMatchObject({ number: 2, status: 'duplicate', finishedAt: AT });
    expect(again.reason).toBe(`The same delivery made #${first.number}.`);
    expect(queue.sent).toHaveLength(1);
    expect((await log.branch('ann', repository, 'master')).newest).toBe(1);
  });

  it('is a duplicate too after the first was deployed, and after another duplicate', async () => {
    const [first] = await call([push()]);
    await end(1, 'ok');
    await call([push()]);
    const [again] = await call([push()]);
    expect(again).toMatchObject({ number: 3, status: 'duplicate' });
    expect(again.reason).toContain(`#${first.number}.`);
  });

  it('is no duplicate at the hook of another application of the repository', async () => {
    const [web] = await call([push()], { query: { path: 'packages/web' } });
    const [api] = await call([push()], { query: { path: './packages/api/' } });
    expect([web, api]).toMatchObject([
      { status: 'queued', path: 'packages/web' },
      { status: 'queued', path: 'packages/api' },
    ]);
    expect(queue.sent).toHaveLength(2);
    expect((await facts.branch('ann', repository, 'master:packages/web')).newest).toBe(1);
    const [again] = await call([push()], { query: { path: 'packages/web/' } });
    expect(again.status).toBe('duplicate');
  });

  it('is no duplicate at the hook of another environment, whose holds and tips are its own', async () => {
    const [shop] = await call([push()]);
    const [staging] = await call([push()], { query: { environment: 'Staging', path: 'web' } });
    expect(shop?.environment).toBeUndefined();
    expect(staging).toMatchObject({ status: 'queued', environment: 'staging', path: 'web' });
    expect(queue.sent).toHaveLength(2);
    expect((await facts.branch('ann', repository, 'master~staging:web')).newest).toBe(2);
    const [again] = await call([push()], { query: { environment: 'staging', path: 'web' } });
    expect(again.status).toBe('duplicate');
  });

  it.each(['error', 'expired', 'crashed'] as const)('is deployed when the first one ended with %s', async (status) => {
    await call([push()]);
    await end(1, status);
    const [again] = await call([push()]);
    expect(again).toMatchObject({ number: 2, status: 'queued' });
    expect(queue.sent.map(({ number }) => number)).toEqual([1, 2]);
  });

  it('deploys once when two come at the same time after a failure', async () => {
    await call([push()]);
    await end(1, 'error');
    const both = await Promise.all([call([push()]), call([push()])]);
    expect(both.map(([entry]) => entry.status).sort()).toEqual(['duplicate', 'queued']);
    const [duplicate, second] = await entries();
    expect(duplicate?.reason).toContain(`#${second?.number}.`);
  });

  it('is another one for another branch: two hooks of a repository send the same id', async () => {
    const staging = push({ ref: 'refs/heads/staging', branch: 'staging' });
    await call([staging], { query: { branch: 'staging' } });
    expect((await call([staging]))[0].status).toBe('skipped');
    expect((await call([push()]))[0].status).toBe('queued');
  });

  it('is deployed twice when the sender sends no id', async () => {
    await call([push({ id: null })]);
    await call([push({ id: null })]);
    expect(queue.sent).toHaveLength(2);
  });

  it('of several pushes stores what the first try could not', async () => {
    const several = [push(), push({ ref: 'refs/heads/other', branch: 'other' })];
    const append = log.append.bind(log);
    let appended = 0;
    log.append = async (appending) => {
      appended += 1;
      if (appended === 2) throw new Error('The database is away.');
      return append(appending);
    };
    await expect(call(several)).rejects.toMatchObject({ code: 'deploy:db:failed_to_store_payload' });
    await call(several);
    expect((await entries()).map(({ status }) => status).reverse()).toEqual(['queued', 'duplicate', 'skipped']);
  });
});

describe('a build', () => {
  it('that passed is queued, and what it said of the commit is remembered with it', async () => {
    const [entry] = await call([build()]);
    expect(entry).toMatchObject({ status: 'queued', kind: 'build', provider: 'travis' });
    const commit = { host: 'memory', owner: 'ann', name: 'shop', sha: sha('a') };
    const said = { provider: 'travis', check: 'travis', outcome: 'passed', state: 'Passed' };
    expect((await log.commitState('ann', commit, 'master')).checks).toEqual([said]);
  });

  it('that failed ends the push that waits for it, and its status is reported', async () => {
    await call([push()]);
    await log.move('ann', 1, () => ({ changes: { status: 'held' }, commitState: { held: 1 } }));
    await call([build({ outcome: 'failed', state: 'Broken' })]);
    const refused = await log.read('ann', 1);
    expect(refused).toMatchObject({ status: 'skipped', finishedAt: AT });
    expect(refused?.reason).toBe('CI did not pass: the check "travis" of travis said "Broken".');
    expect(queue.reports).toEqual([{ user: 'ann', number: 1 }]);
  });
});

describe('a build of a merge queue', () => {
  const queued = (outcome: CheckOutcome) =>
    build({ provider: 'github-actions', mergeQueue: true, outcome, state: outcome });

  it('that passed releases the push of its commit, and makes no deploy of its own', async () => {
    await call([push()]);
    await log.move('ann', 1, () => ({ changes: { status: 'held' }, commitState: { held: 1 } }));
    queue.sent.length = 0;
    const [entry] = await call([queued('passed')]);
    expect(entry).toMatchObject({
      status: 'skipped',
      reason: 'The merge queue has passed the commit: its push to master is deployed.',
    });
    expect(await log.read('ann', 1)).toMatchObject({ status: 'running', stage: 'check' });
    expect(queue.sent).toEqual([{ user: 'ann', number: 1, stage: 'check', group: 'ann/ann/shop' }]);
  });

  it('is remembered until the push, and makes no other push wait', async () => {
    await call([queued('passed')]);
    const commit = { host: 'memory', owner: 'ann', name: 'shop' };
    expect((await log.commitState('ann', { ...commit, sha: sha('a') }, 'master')).checks).toMatchObject([
      { outcome: 'passed' },
    ]);
    expect((await log.branch('ann', commit, 'master')).ci).toEqual({});
  });

  it('that failed leaves the push of its commit as it is', async () => {
    await call([push()]);
    await log.move('ann', 1, () => ({ changes: { status: 'held' }, commitState: { held: 1 } }));
    await call([queued('neutral')]);
    expect(await log.read('ann', 1)).toMatchObject({ status: 'held' });
  });
});

describe('a check that was skipped', () => {
  const said = (check: string, outcome: CheckOutcome) => build({ id: check, check, outcome, state: outcome });
  const holding = async () => {
    const made = world();
    await made.call([push()]);
    await made.log.move('ann', 1, () => ({ changes: { status: 'held' }, commitState: { held: 1 } }));
    await made.call([said('docs', 'pending')]);
    await made.call([said('unit', 'passed')]);
    made.queue.sent.length = 0;
    return made;
  };

  it('lets the push go that it was the last to keep', async () => {
    const { call, log, queue } = await holding();
    await call([said('docs', 'neutral')]);
    expect(await log.read('ann', 1)).toMatchObject({ status: 'running', stage: 'check', reason: null });
    expect(queue.sent).toEqual([{ user: 'ann', number: 1, stage: 'check', group: 'ann/ann/shop' }]);
  });

  it('leaves the push waiting while another check runs, or when none has passed', async () => {
    const { call, log, queue } = await holding();
    await call([said('lint', 'pending')]);
    await call([said('docs', 'neutral')]);
    expect(await log.read('ann', 1)).toMatchObject({ status: 'held' });
    expect(queue.sent).toEqual([]);
  });
});

describe('waiting for CI', () => {
  const skip = { deploy: false, ci: true, words: '[skip ci]' };

  it('is decided by the hook’s address or the commit’s message, and remembered with the entry', async () => {
    expect((await call([push({ id: '1' })], { query: { ci: 'wait' } }))[0].ci).toMatchObject({ waits: true });
    expect((await call([push({ id: '2', skip })]))[0].ci).toMatchObject({ waits: false });
    expect((await call([push({ id: '3' })]))[0].ci).toBeUndefined();
  });

  it('is no question for a commit whose message forbids the deploy: its words are the reason', async () => {
    const [entry] = await call([push({ skip: { deploy: true, ci: false, words: '[skip deploy]' } })]);
    expect(entry).toMatchObject({ status: 'skipped', reason: "The commit's message says [skip deploy]." });
    expect(queue.sent).toEqual([]);
  });

  it('begins with the first result of the branch, or a ping that promises results', async () => {
    await call([build({ provider: 'circleci', outcome: 'failed', state: 'failed' })]);
    await call([notice({ bringsCi: true })]);
    const { ci } = await log.branch('ann', repository, 'master');
    expect(Object.keys(ci).sort()).toEqual(['circleci', 'github']);
  });
});

describe('a call that says several things', () => {
  it('makes an entry of each, in their order, and answers with one that deploys', async () => {
    const [first] = await call([push({ ref: 'refs/heads/work', branch: 'work' }), push()]);
    expect(first.status).toBe('queued');
    expect((await entries()).map(({ status }) => status).reverse()).toEqual(['skipped', 'queued']);
  });

  it('that says nothing is no payload of a supported kind', async () => {
    await expect(call([])).rejects.toMatchObject({ code: 'deploy:provider:not_supported' });
    expect(await entries()).toEqual([]);
  });
});

describe('a call about a repository of the host in this process', () => {
  const own = { name: 'memory', defaultBranch: async () => 'master' };

  it.each([
    ['of its default branch deploys, whatever that of the service is', {}, 'queued'],
    ['deploys only the branch that the address names', { branch: 'master' }, 'skipped'],
  ])('by CI %s', async (_what, query, status) => {
    const trunk = { ...own, defaultBranch: async () => 'trunk' };
    const anonymous = { hostKind: ANY_HOST_KIND, repository: { ...build().repository, hostname: null } };
    for (const named of [{}, anonymous]) {
      const made = world();
      await append(made.log, { sha: sha('b'), branch: 'trunk' });
      expect((await made.call([build({ ...named, branch: 'trunk' })], { query }, trunk))[0].status).toBe(status);
    }
  });

  it.each(['*', 'ann', 'ann/ann/shop'])('needs none of the secrets that the webhooks of %s have', async (scope) => {
    const made = world();
    made.configured[scope] = { github: ['one'] };
    const detail = expect.stringContaining(`(hookSecrets) have one for "github" at "${scope}"`);
    await expect(made.call([push()], {}, { ...own, name: 'other' })).rejects.toMatchObject({ status: 401, detail });
    const elsewhere = push({ repository: { ...push().repository, hostname: 'elsewhere.example.com' } });
    await expect(made.call([elsewhere], {}, own)).rejects.toMatchObject({ status: 401, detail });
    expect((await made.call([push()], {}, own))[0].status).toBe('queued');
    // A CI provider that cannot sign.
    expect((await made.call([build({ hostKind: 'github' })], {}, own))[0].status).toBe('queued');
  });
});

describe('a refused call stores nothing:', () => {
  it.each([
    ['no payload', { raw: new Uint8Array() }, 'deploy:no_payload'],
    ['a body that is too large', { raw: new Uint8Array(MAX_PAYLOAD_BYTES + 1) }, 'request:too_large'],
    ['a body that is no JSON', { raw: new TextEncoder().encode('<xml/>') }, 'deploy:provider:not_supported'],
  ])('%s', async (_what, patch, code) => {
    await expect(call([push()], patch)).rejects.toMatchObject({ code });
    expect(await entries()).toEqual([]);
  });

  it('a call without the signature that is asked for', async () => {
    const made = world();
    made.secrets.github = ['one'];
    await expect(made.call([push()])).rejects.toMatchObject({ code: 'deploy:auth:bad_creds', status: 401 });
    await expect(made.call([build()])).rejects.toMatchObject({ code: 'deploy:auth:bad_creds', status: 401 });
    expect(await made.entries()).toEqual([]);
    made.secrets.travis = ['unsigned'];
    expect((await made.call([build()]))[0].status).toBe('queued');
  });

  it('a repository on a host that the service is not configured for, which it names', async () => {
    const elsewhere = { hostname: 'elsewhere.example.com', owner: 'a', name: 'b', url: null, private: false };
    const refused = call([push(), push({ repository: elsewhere })]);
    await expect(refused).rejects.toThrow(DeployError);
    await expect(refused).rejects.toMatchObject({ detail: expect.stringContaining('elsewhere.example.com') });
    expect(await entries()).toEqual([]);
  });
});
