import { describe, expect, it } from 'vitest';
import { publishedKeys } from '../../../../../../functions/adapters/senders/signatures/published-keys.ts';
import { memoryClock } from '../../../../../fakes/clock.ts';
import { AT, MINUTE, SECOND } from '../../../../../support/entries.ts';

const address = 'https://api.example.com/config';
const HOUR = 60 * MINUTE;
const down = { code: 'mw:auth:auth_server_down', status: 500, retry: true };

/** Keys at an address whose owner a test may play, and how often it was asked. */
function world() {
  const clock = memoryClock(AT);
  const owner = { key: 'first', away: false, asked: 0 };
  const keys = publishedKeys(async () => {
    owner.asked += 1;
    if (owner.away) throw new Error('it answered 503');
    return owner.key;
  }, clock);
  return { clock, owner, keys };
}

describe('a published key', () => {
  it('is fetched once and cached for an hour', async () => {
    const { clock, owner, keys } = world();
    expect([await keys.at(address), await keys.at(address)]).toEqual(['first', 'first']);
    owner.key = 'second';
    clock.pass(HOUR - SECOND);
    expect(await keys.at(address)).toBe('first');
    expect(owner.asked).toBe(1);
    clock.pass(SECOND);
    expect(await keys.at(address)).toBe('second');
    expect(owner.asked).toBe(2);
  });

  it('is fetched once for concurrent calls, and separately for each URL', async () => {
    const { owner, keys } = world();
    await Promise.all([keys.at(address), keys.at(address), keys.renewed(address)]);
    expect(owner.asked).toBe(1);
    await keys.at('https://api.example.org/config');
    expect(owner.asked).toBe(2);
  });

  it('is fetched again when a signature does not match, at most once a minute', async () => {
    const { clock, owner, keys } = world();
    await keys.at(address);
    owner.key = 'second';
    expect(await keys.renewed(address)).toBe('first');
    clock.pass(MINUTE);
    expect(await keys.renewed(address)).toBe('second');
    expect(await keys.renewed(address)).toBe('second');
    expect(await keys.at(address)).toBe('second');
    expect(owner.asked).toBe(2);
  });

  it('that could never be fetched is a retryable error that says why', async () => {
    const { clock, owner, keys } = world();
    owner.away = true;
    await expect(keys.at(address)).rejects.toMatchObject({
      ...down,
      detail: expect.stringMatching(/from api\.example\.com: it answered 503\./),
    });
    clock.pass(9 * SECOND);
    await expect(keys.at(address)).rejects.toMatchObject(down);
    expect(owner.asked).toBe(1);
    owner.away = false;
    clock.pass(SECOND);
    expect(await keys.at(address)).toBe('first');
  });

  it('is used for a day while fetching fails, but not to reject a signature', async () => {
    const { clock, owner, keys } = world();
    await keys.at(address);
    owner.away = true;
    clock.pass(2 * MINUTE);
    await expect(keys.renewed(address)).rejects.toMatchObject(down);
    expect(await keys.at(address)).toBe('first');
    clock.pass(23 * HOUR);
    expect(await keys.at(address)).toBe('first');
    clock.pass(HOUR);
    await expect(keys.at(address)).rejects.toMatchObject(down);
  });
});
