import { describe, expect, it } from 'vitest';
import { hookSecrets } from '../../../../../functions/adapters/secrets/hook-secrets.ts';
import { memoryClock } from '../../../../fakes/clock.ts';
import { AT, SECOND } from '../../../../support/entries.ts';

/** The reader on a secret that a test may change, and how often it was read. */
function world(value: string | undefined) {
  const clock = memoryClock(AT);
  const secret = { value, reads: 0, away: false };
  const read = async () => {
    secret.reads += 1;
    if (secret.away) throw new Error('Secrets Manager is away.');
    return secret.value;
  };
  return { clock, secret, secrets: hookSecrets({ id: 'arn', read, clock }) };
}

describe('the configured secrets of webhooks', () => {
  it('are empty, without a read, when no secret id is configured', async () => {
    const read = () => Promise.reject(new Error('Nothing is to be read.'));
    await expect(hookSecrets({ id: undefined, read, clock: memoryClock(AT) })()).resolves.toEqual({});
  });

  it.each([undefined, '', '{}'])('are empty when the secret’s value is %j', async (value) => {
    expect(await world(value).secrets()).toEqual({});
  });

  it.each(['constructor', 'prototype'])('may be those of a user called %s', async (user) => {
    const secrets = await world(`{"${user}":{"github":["one"]}}`).secrets();
    expect(Object.entries(secrets)).toEqual([[user, { github: ['one'] }]]);
  });

  it('are read at most once a minute', async () => {
    const { clock, secret, secrets } = world('{"*":{"github":["one"]}}');
    await secrets();
    secret.value = '{"*":{"github":["two","one"]}}';
    clock.pass(59 * SECOND);
    expect(await secrets()).toEqual({ '*': { github: ['one'] } });
    expect(secret.reads).toBe(1);
    clock.pass(SECOND);
    expect(await secrets()).toEqual({ '*': { github: ['two', 'one'] } });
  });

  it.each([
    ['cannot be read', true, '{}'],
    ['is not JSON', false, 'canary'],
    ['has the wrong shape', false, '{"*":{"github":"canary"}}'],
  ])('fail closed when the secret %s, with an error that does not quote it', async (_what, away, value) => {
    const { secret, secrets } = world(value);
    secret.away = away;
    const refused = await secrets().catch((error: Error) => error);
    expect(refused).toMatchObject({ code: 'deploy:db:failed_to_store_payload', status: 503 });
    expect(`${refused} ${(refused as Error).cause}`).not.toContain('canary');
  });

  it('stay in use when they cannot be read again', async () => {
    const { clock, secret, secrets } = world('{"*":{"github":["one"]}}');
    await secrets();
    secret.away = true;
    clock.pass(61 * SECOND);
    expect(await secrets()).toEqual({ '*': { github: ['one'] } });
  });
});
