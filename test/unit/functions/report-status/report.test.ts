import { describe, expect, it } from 'vitest';
import { pageAddress, tarballKey } from '../../../../functions/core/entry/entry.ts';
import type { EntryChanges } from '../../../../functions/core/entry/transition.ts';
import { DeployError } from '../../../../functions/core/errors.ts';
import { ANY_APP } from '../../../../functions/core/host-tokens.ts';
import { report } from '../../../../functions/report-status/report.ts';
import { memoryClock } from '../../../fakes/clock.ts';
import { memoryLog, memoryTokens } from '../../../fakes/deploy-log.ts';
import { memoryPlatform } from '../../../fakes/hosting-platform.ts';
import { memoryHost } from '../../../fakes/repository-host.ts';
import { memorySealer } from '../../../fakes/sealer.ts';
import { memoryTarballs } from '../../../fakes/tarball-store.ts';
import { AT, append, checked, type Patch } from '../../../support/entries.ts';

/** A commit with an entry of that state, and tokens for these applications. */
async function world(patch: Patch, apps: readonly string[] = [ANY_APP]) {
  const host = memoryHost();
  const commit = host.commit({ owner: 'ann', name: 'shop', files: {} });
  const log = memoryLog();
  const tokens = memoryTokens();
  const sealer = memorySealer();
  for (const app of apps) {
    host.addToken('ann', `secret of ${app}`);
    const sealed = await sealer.seal(`secret of ${app}`, { purpose: 'repo-token', user: 'ann', host: 'memory' });
    await tokens.put('ann', { host: 'memory', app, login: 'ann', scopes: [], expiresAt: null, sealed });
  }
  const used: (string | null)[] = [];
  const setStatus = host.setStatus.bind(host);
  host.setStatus = async (ref, status, token) => {
    used.push(token);
    await setStatus(ref, status, token);
  };
  const entry = await append(log, { sha: commit.sha, ...patch });
  const tarballs = memoryTarballs();
  const platform = memoryPlatform();
  const clock = memoryClock(AT);
  const ports = {
    ...{ log, facts: log, backlog: log, tokens, sealer, platform, tarballs, clock },
    host: () => host,
  };
  const run = () => report({ user: 'ann', number: 1 }, ports);
  const due = async () => (await log.due(Number.MAX_SAFE_INTEGER, 10)).map(({ number }) => number);
  return { host, log, entry, used, run, due, platform, tarballs, ports, statuses: () => host.statuses(commit) };
}

const error = { code: 'deploy:platform:start_app', status: 500, detail: 'It exits with 1.' } as const;

describe('what an entry leaves that has ended', () => {
  it.each([
    ['start', 'error', ['prune']],
    ['start', 'superseded', ['prune']],
    ['extract', 'cancelled', ['cancel', 'prune']],
    ['start', 'ok', []],
    ['start', 'crashed', []],
  ] as const)('in the stage %s as %s is removed by %j', async (stage, status, calls) => {
    const { run, platform } = await world({ ...checked, stage, status }, []);
    await run();
    expect(platform.calls).toEqual(calls);
  });
});

describe('the status of a commit', () => {
  it('names the application and the result of the deploy, and links to the entry', async () => {
    const { run, statuses, entry } = await world({ ...checked, status: 'ok', url: 'https://shop.example.com' });
    await run();
    expect(statuses()).toEqual([
      {
        state: 'success',
        targetUrl: pageAddress('https://hooks.example.com', entry),
        description: 'Deployed: https://shop.example.com',
        context: 'deployment-webhooks/shop',
      },
    ]);
  });

  it('without a stored token reads the entry once, and nothing else of the log', async () => {
    const { run, ports, statuses } = await world({ ...checked, status: 'ok' }, []);
    const reads: string[] = [];
    const { read } = ports.log;
    ports.log.read = (user, number) => {
      reads.push('entry');
      return read(user, number);
    };
    ports.facts.commitState = async () => {
      throw new Error('It is not needed.');
    };
    await run();
    expect([reads, statuses()]).toEqual([['entry'], []]);
  });

  it.each([
    ['running', 'pending', 'Deploying'],
    ['held', 'pending', 'Why.'],
    ['expired', 'error', 'Why.'],
    ['superseded', 'error', 'Why.'],
    ['cancelled', 'error', 'Why.'],
    ['skipped', 'failure', 'Why.'],
  ] as const)('of a deploy that is %s is %s', async (status, state, description) => {
    const { run, statuses } = await world({ ...checked, status, reason: status === 'running' ? null : 'Why.' });
    await run();
    expect(statuses()).toMatchObject([{ state, description }]);
  });

  it('of a rollback is set on the commit that it goes back to', async () => {
    const { run, statuses } = await world({ ...checked, status: 'ok', operation: 'rollback' });
    await run();
    expect(statuses()).toMatchObject([{ state: 'success' }]);
  });

  it.each(['restart', 'stop', 'remove'] as const)('is not touched by a %s', async (operation) => {
    const { run, statuses } = await world({ ...checked, status: 'ok', operation });
    await run();
    expect(statuses()).toEqual([]);
  });

  it('of a failed deploy is a failure with its code, at most 140 characters long', async () => {
    const { run, statuses } = await world({
      ...checked,
      status: 'error',
      error: { ...error, detail: 'x'.repeat(500) },
    });
    await run();
    expect(statuses()[0]).toMatchObject({ state: 'failure' });
    expect(statuses()[0]?.description).toMatch(/^deploy:platform:start_app: x+…$/);
    expect(statuses()[0]?.description).toHaveLength(140);
  });

  it.each([
    [{}, 'deployment-webhooks/shop'],
    [{ environment: 'staging' }, 'deployment-webhooks/shop-staging'],
    [{ pullRequest: { number: 7 } }, 'deployment-webhooks/shop-pr-7'],
  ])('of a failed deploy without an application is named for the repository and %j', async (changes, context) => {
    const { run, statuses } = await world({ ...changes, status: 'error', error });
    await run();
    expect(statuses()).toMatchObject([{ state: 'failure', context }]);
  });

  it.each(['queued', 'running', 'skipped', 'superseded', 'duplicate'] as const)(
    'is not set by what is %s without a known application: nothing would end it, or nothing was begun',
    async (status) => {
      const { run, statuses } = await world({ status });
      await run();
      expect(statuses()).toEqual([]);
    },
  );

  it('is set again when the entry changes during the request', async () => {
    const { run, statuses, host, log } = await world(checked);
    const setStatus = host.setStatus.bind(host);
    host.setStatus = async (...call) => {
      host.setStatus = setStatus;
      await log.move('ann', 1, () => ({ changes: { status: 'ok' } }));
      await setStatus(...call);
    };
    await run();
    expect(statuses().map(({ state }) => state)).toEqual(['pending', 'success']);
  });

  it('is set with the token of the application before the one for all', async () => {
    const { run, used } = await world({ ...checked, status: 'ok' }, ['shop', ANY_APP]);
    await run();
    expect(used).toEqual(['secret of shop']);
  });

  it('is set once by each message, also to the same state', async () => {
    const { run, statuses } = await world({ ...checked, status: 'ok' });
    await run();
    await run();
    expect(statuses().map(({ state }) => state)).toEqual(['success', 'success']);
  });
});

describe('an entry that has ended', () => {
  const ended = { status: 'error', finishedAt: AT, error } as const;

  /** A deploy that has just ended, with its tarball in the store. */
  async function endedWorld(changes: EntryChanges = ended, apps?: readonly string[]) {
    const made = await world({ ...checked, stage: 'start' }, apps);
    const { tarballs, log, entry } = made;
    await tarballs.put(tarballKey(entry), bytes());
    await log.move('ann', 1, () => ({ changes }));
    return made;
  }

  it('is due until its commit status is set, and then leaves no tarball', async () => {
    const { run, due, tarballs, statuses } = await endedWorld();
    expect(await due()).toEqual([1]);
    await run();
    expect(await due()).toEqual([]);
    expect(tarballs.keys()).toEqual([]);
    expect(statuses()).toMatchObject([{ state: 'failure' }]);
  });

  it.each(['ok', 'superseded', 'skipped'] as const)('that is %s leaves no tarball either', async (status) => {
    const { run, tarballs } = await endedWorld({ status });
    await run();
    expect(tarballs.keys()).toEqual([]);
  });

  it('is closed also without a token, with which there is no commit status', async () => {
    const { run, due, tarballs, used } = await endedWorld(ended, []);
    await run();
    expect([await due(), tarballs.keys(), used]).toEqual([[], [], []]);
  });

  it('stays due when the host or the store fails, and is closed when the host refuses the status for good', async () => {
    const { run, due, host, tarballs } = await endedWorld();
    host.failWith('setStatus', new DeployError('request:failed', 'The host answered 503.', { retry: true }));
    await expect(run()).rejects.toThrow('503');
    expect([await due(), tarballs.keys()]).toEqual([[1], []]);
    host.failWith('setStatus', null);
    const { remove } = tarballs;
    tarballs.remove = () => Promise.reject(new Error('The store is away.'));
    await expect(run()).rejects.toThrow('away');
    expect(await due()).toEqual([1]);
    tarballs.remove = remove;
    host.failWith('setStatus', new DeployError('request:failed', 'The host answered 403.', { retry: false }));
    await expect(run()).rejects.toThrow('403');
    expect(await due()).toEqual([]);
  });

  it('keeps its tarball and stays listed while it is unfinished', async () => {
    const { run, due, tarballs } = await endedWorld({ message: 'not ended' });
    await run();
    expect([await due(), tarballs.keys().length]).toEqual([[1], 1]);
  });

  it('is due again after its application has crashed', async () => {
    const { run, due, log, statuses } = await endedWorld({ status: 'ok' });
    await run();
    await log.move('ann', 1, () => ({ changes: { status: 'crashed', reason: 'It exits with 1.' } }));
    expect(await due()).toEqual([1]);
    await run();
    expect(await due()).toEqual([]);
    expect(statuses().map(({ state }) => state)).toEqual(['success', 'failure']);
  });

  it('is not closed by a report that read it before it changed once more', async () => {
    const { run, due, log, ports } = await endedWorld({ status: 'ok' });
    ports.tarballs.remove = async () => {
      await log.move('ann', 1, () => ({ changes: { status: 'crashed', reason: 'It exits with 1.' } }));
    };
    await run();
    expect(await due()).toEqual([1]);
  });
});

describe('the build of a deploy', () => {
  const snapshot = { user: 'ann', app: 'shop', snapshot: '1.0.0-1' };
  const gone = new DeployError('request:failed', 'It answered 503.', { retry: true });

  /** A deploy in that stage, whose snapshot is being built. */
  async function building(patch: Patch) {
    const at = await world({ ...checked, stage: 'extract', ...patch });
    const unbuilt = { bytes: Buffer.alloc(0), state: 'building', pollsLeft: 9 } as const;
    at.platform.write(snapshot, { snapshots: { [snapshot.snapshot]: unbuilt } });
    return { ...at, state: () => at.platform.app(snapshot)?.snapshots[snapshot.snapshot]?.state };
  }

  it.each(['cancelled', 'superseded', 'error'] as const)('is ended when the deploy is %s meanwhile', async (status) => {
    const { run, state, due } = await building({ status });
    await run();
    expect([state(), await due()]).toEqual(['failed', []]);
  });

  it.each([
    { status: 'running', stage: 'extract' },
    { status: 'cancelled', stage: 'fetch' },
    { status: 'ok', stage: 'start' },
  ] as const)('is left alone while it is %j', async (patch) => {
    const { run, platform } = await building(patch);
    await run();
    expect(platform.calls).toEqual([]);
  });

  it('is ended again, and the status set, when the platform did not answer', async () => {
    const { run, platform, log, state, due, statuses } = await building({});
    await log.move('ann', 1, () => ({ changes: { status: 'cancelled' } }));
    platform.fail('cancel', gone);
    await expect(run()).rejects.toThrow('503');
    expect([state(), await due(), statuses().length]).toEqual(['building', [1], 1]);
    await run();
    expect([state(), await due()]).toEqual(['failed', []]);
  });

  it('is ended also while the repository host does not answer', async () => {
    const { run, host, log, state, due } = await building({});
    await log.move('ann', 1, () => ({ changes: { status: 'cancelled' } }));
    host.failWith('setStatus', gone);
    await expect(run()).rejects.toThrow('503');
    expect([state(), await due()]).toEqual(['failed', [1]]);
  });
});

describe('two deploys of one commit', () => {
  /** The first has ended so, and the second, by hand, is so; the second one was promoted. */
  async function twice(first: EntryChanges, second: EntryChanges) {
    const made = await world(checked);
    const { log, ports, entry } = made;
    await append(log, { ...checked, sha: entry.sha });
    await log.move('ann', 1, () => ({ changes: first, commitState: { deploying: 1 } }));
    await log.move('ann', 2, () => ({ changes: second, commitState: { deploying: 2 } }));
    return { ...made, report: (number: number) => report({ user: 'ann', number }, ports) };
  }

  it('have the status of the second one, also when the report of the first comes late', async () => {
    const { report: late, statuses, due } = await twice({ status: 'error', error }, { status: 'ok' });
    await late(2);
    await late(1);
    expect(statuses().map(({ state }) => state)).toEqual(['success', 'success']);
    expect(await due()).toEqual([]);
  });

  it('have the status of the one that is live, when the hold of the other was superseded by it', async () => {
    const { report: of, log, statuses } = await twice({ status: 'held', reason: 'Waiting.' }, { status: 'ok' });
    await of(2);
    await log.move('ann', 1, () => ({ changes: { status: 'superseded', reason: 'The commit was deployed by 2.' } }));
    await of(1);
    expect(statuses().map(({ state }) => state)).toEqual(['success', 'success']);
  });

  it('have the status of the first one again, when its application crashes after the second has failed', async () => {
    const { report: of, log, statuses } = await twice({ status: 'ok' }, { status: 'error', error });
    await of(2);
    await log.move('ann', 1, () => ({ changes: { status: 'crashed', reason: 'It exits with 1.' } }));
    await of(1);
    expect(statuses().at(-1)).toMatchObject({ state: 'failure', description: 'It exits with 1.' });
  });
});

async function* bytes() {
  yield new Uint8Array(1);
}

it('An entry that does not exist or has no commit sets no status', async () => {
  const { run, used } = await world({ ...checked, status: 'ok', repository: null });
  await run();
  expect(used).toEqual([]);
});

describe('the commit status of a preview', () => {
  const url = 'https://shop-pr-7.example.com';
  const pullRequest = { number: 7, parent: 'shop' } as const;
  const preview = { ...checked, appName: 'shop-pr-7', branch: 'changes', pullRequest } as const;

  it.each([
    ['ok', url],
    ['crashed', null],
    ['running', null],
  ] as const)('that is %s leads to %s, or else to its log', async (status, leadsTo) => {
    const { run, log, entry, statuses } = await world(preview);
    await log.move('ann', 1, () => ({ changes: { status, url, reason: status === 'ok' ? null : 'Why.' } }));
    await run();
    const targetUrl = leadsTo ?? pageAddress('https://hooks.example.com', entry);
    expect(statuses()).toMatchObject([{ context: 'deployment-webhooks/shop-pr-7', targetUrl }]);
  });
});
