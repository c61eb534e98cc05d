import { describe, expect, it } from 'vitest';
import { basicHeader } from '../../../../functions/core/basic-auth.ts';
import { DeployError } from '../../../../functions/core/errors.ts';
import { Feed } from '../../../../functions/core/feed/feed.ts';
import { follow, type ReadOptions } from '../../../../functions/core/feed/follow.ts';
import { streamLogin } from '../../../../functions/core/login.ts';
import { memoryClock } from '../../../fakes/clock.ts';
import { memoryLog } from '../../../fakes/deploy-log.ts';
import { memorySignals } from '../../../fakes/signals.ts';
import { AT, append, MINUTE, SECOND } from '../../../support/entries.ts';

/** Follows a log of three changes for 10 minutes; `logins` are the results of the checks, then they are valid. */
async function followed(logins: readonly boolean[], patch: Partial<ReadOptions> = {}) {
  const clock = memoryClock(AT);
  const log = memoryLog();
  for (let change = 0; change < 3; change += 1) await append(log);
  const feed = new Feed({ log, signals: memorySignals(), clock }, 'ann', 3);
  const checks: number[] = [];
  const left = [...logins];
  const authenticate = async (user: string) => {
    checks.push(clock.now() - AT);
    if (left.shift() ?? true) return { user, record: {} };
    throw new DeployError('mw:auth:unauthorized', 'No such login.');
  };
  const headers = { authorization: basicHeader('ann:s3cret') };
  const login = streamLogin({ user: 'ann', headers }, { accounts: { authenticate }, clock });
  const preset = { mode: 'continuous', limit: Number.POSITIVE_INFINITY, app: null, heartbeatMs: 15 * SECOND } as const;
  const options = { ...preset, since: 0, endsAt: AT + 10 * MINUTE, ...patch };
  const kinds: string[] = [];
  let last = 0;
  for await (const event of follow(feed, options, { clock, login })) {
    kinds.push(event.kind);
    last = event.last;
  }
  return { kinds, last, checks };
}

describe('a stream of changes', () => {
  it('ends within a minute when its login is no longer valid, with the cursor to continue at', async () => {
    const { kinds, last, checks } = await followed([true, false]);
    expect(kinds[0]).toBe('changes');
    expect({ end: kinds.at(-1), last, checks: checks.length }).toEqual({ end: 'timeout', last: 3, checks: 2 });
    expect(checks[1]).toBeLessThanOrEqual(2 * MINUTE + SECOND);
  });

  it('goes on to its end while the login is valid, without a change twice', async () => {
    const { kinds, checks } = await followed([]);
    expect(kinds.filter((kind) => kind === 'changes')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'timeout')).toHaveLength(1);
    expect(checks).toHaveLength(9);
  });

  it('keeps its limit, its mode and its heartbeats across the checks', async () => {
    expect(await followed([], { limit: 2 })).toMatchObject({ kinds: ['changes', 'done'], last: 2, checks: [] });
    expect((await followed([], { mode: 'normal' })).kinds).toEqual(['changes', 'done']);
    const { kinds } = await followed([], { heartbeatMs: 4 * MINUTE });
    expect(kinds.filter((kind) => kind === 'heartbeat').length).toBeGreaterThanOrEqual(2);
  });
});
