import { beforeEach, describe, expect, it } from 'vitest';
import { memoryFailures } from '../../../../../functions/adapters/stores/memory/failure-memory.ts';
import { DeployError } from '../../../../../functions/core/errors.ts';
import { loginThrottle } from '../../../../../functions/core/limits/login-throttle.ts';
import { memoryClock } from '../../../../fakes/clock.ts';

const TOKEN = `dwt_${'a'.repeat(40)}`;

function world() {
  const clock = memoryClock();
  const failures = memoryFailures(clock);
  const traced: string[] = [];
  const tried: string[] = [];
  const throttle = loginThrottle({ failures, clock, trace: (event) => void traced.push(event) });
  const login = (secret: string, { user = 'kiwi', address = '192.0.2.1' } = {}) =>
    throttle({ user, secret, address }, async () => {
      tried.push(secret);
      if (secret === 'right' || secret === TOKEN) return user;
      throw new DeployError('mw:auth:unauthorized', 'No match.');
    });
  /** The outcome of a login: the user, or the code of the refusal. */
  const outcome = (secret: string, source = {}) => login(secret, source).catch(({ code }) => code as string);
  const guess = async (times: number, source = {}) => {
    for (let guesses = 0; guesses < times; guesses += 1) await outcome('wrong', source);
  };
  return { clock, failures, traced, tried, login, outcome, guess };
}

let { guess, tried, outcome, failures, traced, login, clock } = world();
beforeEach(() => {
  ({ guess, tried, outcome, failures, traced, login, clock } = world());
});

describe('guessing passwords', () => {
  it('is free ten times, and then there is a pause of 1 s, doubled to 30 s', async () => {
    await guess(10);
    const pauses: number[] = [];
    for (let count = 0; count < 7; count += 1) {
      await expect(login('wrong')).rejects.toMatchObject({ code: 'mw:auth:unauthorized' });
      const retryAfter = await login('wrong').then(
        () => 0,
        (error: DeployError) => error.retryAfter ?? 0,
      );
      pauses.push(retryAfter);
      clock.pass(retryAfter * 1000);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30]);
    expect(tried).toHaveLength(17);
  });

  it('tries one of many that come at the same moment after the free ones', async () => {
    await guess(10);
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => outcome('wrong')));
    expect(outcomes.filter((code) => code === 'mw:auth:unauthorized')).toHaveLength(1);
    expect(outcomes.filter((code) => code === 'request:throttled')).toHaveLength(49);
    expect(tried).toHaveLength(11);
  });

  it('tries four at a time from the first on, and others of other users or addresses meanwhile', async () => {
    const guesses = Promise.all(Array.from({ length: 300 }, () => outcome('wrong')));
    expect(await outcome('right', { user: 'plum' })).toBe('plum');
    expect(await outcome('right', { address: '203.0.113.7' })).toBe('kiwi');
    expect((await guesses).filter((code) => code === 'request:throttled')).toHaveLength(296);
    expect(tried.filter((secret) => secret === 'wrong')).toHaveLength(4);
    expect(await outcome('right')).toBe('kiwi');
  });

  it('is not made easier by another spelling of the user, or another address of the same network', async () => {
    await guess(5, { user: 'kiwi' });
    await guess(6, { user: 'k%69wi' });
    expect(await outcome('wrong')).toBe('request:throttled');
    for (const address of ['2001:db8::1', '2001:db8:0:0:1::2', '2001:0db8::ffff:3'])
      await guess(4, { address, user: 'plum' });
    expect(await outcome('wrong', { address: '2001:DB8::4', user: 'plum' })).toBe('request:throttled');
    expect(await outcome('wrong', { address: '2001:db8:1::4', user: 'plum' })).toBe('mw:auth:unauthorized');
  });

  it('has one free try of a user instead of ten when many addresses guess, or an address guesses many users', async () => {
    for (let address = 0; address < 25; address += 1) await guess(4, { address: `198.51.100.${address}` });
    expect(await outcome('wrong', { address: '203.0.113.1' })).toBe('mw:auth:unauthorized');
    await outcome('wrong', { address: '203.0.113.1' });
    expect(await outcome('wrong', { address: '203.0.113.1' })).toBe('request:throttled');
    for (let user = 0; user < 25; user += 1) await guess(4, { user: `user-${user}`, address: '203.0.113.9' });
    expect(await outcome('wrong', { user: 'fig', address: '203.0.113.9' })).toBe('mw:auth:unauthorized');
    await outcome('wrong', { user: 'fig', address: '203.0.113.9' });
    expect(await outcome('wrong', { user: 'fig', address: '203.0.113.9' })).toBe('request:throttled');
  });
});

describe('a good login', () => {
  it('is not shut out by those who guess elsewhere, however many they are', async () => {
    for (let address = 0; address < 30; address += 1) await guess(12, { address: `198.51.100.${address}` });
    expect(await outcome('right', { address: '203.0.113.7' })).toBe('kiwi');
    expect(await outcome('right', { address: '203.0.113.7' })).toBe('kiwi');
  });

  it('waits 30 s at most behind the address of those who guess, and ends their count there', async () => {
    await guess(60);
    clock.pass(30_000);
    expect(await outcome('right')).toBe('kiwi');
    expect((await failures.read({ user: 'kiwi', address: '192.0.2.1' })).here).toBe(0);
  });

  it('is never slowed down with an API token', async () => {
    await guess(30);
    expect(await outcome('right')).toBe('request:throttled');
    expect(await outcome(TOKEN)).toBe('kiwi');
  });

  it('is not slowed down when the platform does not answer, or the memory', async () => {
    const down = () =>
      loginThrottle({ failures, clock: memoryClock(), trace: () => {} })(
        { user: 'kiwi', secret: 'right', address: '192.0.2.1' },
        async () => {
          throw new DeployError('mw:auth:auth_server_down', 'No answer.');
        },
      );
    for (let count = 0; count < 12; count += 1) await down().catch(() => {});
    expect(await login('right')).toBe('kiwi');
    failures.read = failures.add = async () => {
      throw new Error('ECONNREFUSED');
    };
    for (let count = 0; count < 12; count += 1) expect(await outcome('wrong')).toBe('mw:auth:unauthorized');
    expect(await outcome('right')).toBe('kiwi');
    expect(new Set(traced)).toEqual(new Set(['wrong logins not remembered']));
  });
});
