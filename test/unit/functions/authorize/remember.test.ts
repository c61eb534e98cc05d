import { describe, expect, it } from 'vitest';
import { remember } from '../../../../functions/authorize/remember.ts';
import type { LoginAttempt } from '../../../../functions/core/limits/login-throttle.ts';

function setUp(maxLogins = 1000) {
  const clock = { time: 1_000_000, now: () => clock.time };
  const calls: string[] = [];
  const login = remember(
    async ({ user, secret }) => {
      calls.push(`${user}:${secret}`);
      await Promise.resolve();
      if (secret !== 'good') throw new Error('no');
      return { user };
    },
    { clock, forMs: 60_000, maxLogins },
  );
  return { clock, calls, login };
}

const attempt = (user: string, secret: string): LoginAttempt => ({ user, secret, address: '192.0.2.1' });
const good = (user: string) => attempt(user, 'good');
const kiwi = good('kiwi');

describe('a remembered login', () => {
  it('is checked once a minute', async () => {
    const { login, calls, clock } = setUp();
    await login(kiwi);
    clock.time += 59_999;
    await expect(login(kiwi)).resolves.toEqual({ user: 'kiwi' });
    expect(calls).toHaveLength(1);
  });

  it('is checked again after a minute, even if it was used in between', async () => {
    const { login, calls, clock } = setUp();
    await login(kiwi);
    clock.time += 40_000;
    await login(kiwi);
    clock.time += 20_000;
    await login(kiwi);
    expect(calls).toHaveLength(2);
  });

  it('expires a minute after the start of its check', async () => {
    const clock = { time: 0, now: () => clock.time };
    let asked = 0;
    const slow = async ({ user }: LoginAttempt) => {
      asked += 1;
      clock.time += 5000;
      return { user };
    };
    const login = remember(slow, { clock, forMs: 60_000, maxLogins: 10 });
    await login(kiwi);
    clock.time = 60_000;
    await login(kiwi);
    expect(asked).toBe(2);
  });

  it('is never a failed one', async () => {
    const { login, calls } = setUp();
    await expect(login(attempt('kiwi', 'bad'))).rejects.toThrow('no');
    await expect(login(attempt('kiwi', 'bad'))).rejects.toThrow('no');
    expect(calls).toHaveLength(2);
  });

  it('does not match another secret or another user', async () => {
    const { login, calls } = setUp();
    await login(kiwi);
    await expect(login(attempt('kiwi', 'goo'))).rejects.toThrow('no');
    await expect(login(attempt('melon', 'good'))).resolves.toEqual({ user: 'melon' });
    expect(calls).toEqual(['kiwi:good', 'kiwi:goo', 'melon:good']);
  });

  it('shares one check among equal concurrent logins, whether it succeeds or fails', async () => {
    const { login, calls } = setUp();
    await Promise.all([login(kiwi), login(kiwi), login(kiwi)]);
    await Promise.allSettled([login(attempt('kiwi', 'bad')), login(attempt('kiwi', 'bad'))]);
    expect(calls).toEqual(['kiwi:good', 'kiwi:bad']);
  });

  it('is removed when it is the least recently used of too many', async () => {
    const { login, calls } = setUp(2);
    const [a, b, c] = [good('a'), good('b'), good('c')];
    await login(a);
    await login(b);
    await login(a);
    await login(c);
    calls.length = 0;
    await login(a);
    await login(c);
    expect(calls).toEqual([]);
    await login(b);
    expect(calls).toEqual(['b:good']);
  });
});
