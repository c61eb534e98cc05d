import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  messageIn,
  scalingoAddresses,
  scalingoApi,
} from '../../../../../../functions/adapters/platform/scalingo/api.ts';
import { scalingoPlatform } from '../../../../../../functions/adapters/platform/scalingo/hosting.ts';
import type { ScalingoParts } from '../../../../../../functions/adapters/platform/scalingo/parts.ts';
import type { DeployError } from '../../../../../../functions/core/errors.ts';
import type { FakeScalingo } from '../../../../../fakes/scalingo/server.ts';
import { openScalingo } from '../../../../../support/platform/scalingo.ts';

const shop = { user: 'kiwi', app: 'shop' };

let scalingo: FakeScalingo;
let parts: ScalingoParts;

beforeEach(async () => {
  ({ scalingo, parts } = await openScalingo());
});
afterEach(() => scalingo.close());

const addresses = () => ({ api: scalingo.url, auth: scalingo.url });
const make = (api: ScalingoParts['api']) => scalingoPlatform({ ...parts, api }).ensureApp(shop, { name: 'shop' });
const failed = (call: Promise<unknown>): Promise<DeployError> =>
  call.then(
    () => expect.unreachable(),
    (error) => error,
  );

describe('the API of Scalingo', () => {
  it('is that of the region, and tokens are exchanged at one address for all', () => {
    const auth = 'https://auth.scalingo.com';
    expect(scalingoAddresses('osc-fr1')).toEqual({ api: 'https://api.osc-fr1.scalingo.com', auth });
  });

  it('is called with a bearer, for which the token is exchanged once', async () => {
    const api = scalingoApi({ addresses: addresses(), serviceToken: scalingo.token });
    await make(api);
    await make(api);
    expect(scalingo.calls.filter((call) => call.includes('exchange'))).toHaveLength(1);
    expect(scalingo.bearers.size).toBe(1);
  });

  it('is called with another bearer when the first has expired, also for what changes something', async () => {
    const api = scalingoApi({ addresses: addresses(), serviceToken: scalingo.token });
    await api({ method: 'GET', path: ['apps', 'none'], code: 'request:failed', what: 'an app', accept: [404] });
    scalingo.bearers.clear();
    await make(api);
    expect([scalingo.api.apps.size, scalingo.bearers.size]).toEqual([1, 1]);
  });

  it('is called with a token that was replaced meanwhile', async () => {
    const renewToken = async () => scalingo.token;
    const api = scalingoApi({ addresses: addresses(), serviceToken: async () => scalingo.token, renewToken });
    await make(api);
    scalingo.bearers.clear();
    const replaced = scalingoApi({ addresses: addresses(), serviceToken: async () => 'old', renewToken });
    await expect(make(replaced)).rejects.toMatchObject({ retry: false });
    await make(api);
    expect(scalingo.api.apps.size).toBe(1);
  });

  it('that refuses the token is not asked again, and the error says where the token belongs', async () => {
    const error = await failed(make(scalingoApi({ addresses: addresses(), serviceToken: 'wrong-token' })));
    expect(error).toMatchObject({
      ...{ code: 'deploy:platform:upload_tarball', retry: false },
      detail: 'Scalingo does not accept the API token of the service; store a valid one in PlatformTokenSecret.',
    });
    expect(JSON.stringify([error, error.message, String(error.cause)])).not.toContain('wrong-token');
  });

  it('that is asked too often is asked again after a minute', async () => {
    scalingo.limit = 0;
    await expect(make(parts.api)).rejects.toMatchObject({ retry: true, retryAfter: 60 });
  });

  it.each([500, 503, 409, 423])('that answers %i is tried again', async (status) => {
    const fetch: typeof globalThis.fetch = async (address, init) =>
      String(address).endsWith('exchange') ? globalThis.fetch(address, init) : new Response('', { status });
    const api = scalingoApi({ addresses: addresses(), serviceToken: scalingo.token, fetch });
    expect(await failed(make(api))).toMatchObject({ retry: true });
  });

  it.each([402, 400])('that answers %i is not tried again, and its sentence is told', async (status) => {
    const body = JSON.stringify({ error: 'Sorry, you need to verify your account' });
    const fetch: typeof globalThis.fetch = async (address, init) =>
      String(address).endsWith('exchange') ? globalThis.fetch(address, init) : new Response(body, { status });
    const error = await failed(make(scalingoApi({ addresses: addresses(), serviceToken: scalingo.token, fetch })));
    expect(error.retry).toBe(false);
    expect(error.detail).toContain('Sorry, you need to verify your account');
  });

  it.each(['api', 'auth'] as const)('that does not answer (%s) is tried again', async (which) => {
    const broken = { ...addresses(), [which]: 'http://127.0.0.1:1' };
    const error = await failed(make(scalingoApi({ addresses: broken, serviceToken: scalingo.token })));
    expect(error).toMatchObject({ retry: true, detail: expect.stringContaining('did not answer') });
    expect(JSON.stringify([error.message, String(error.cause)])).not.toContain(scalingo.token);
  });

  it('that exchanges a token for nothing is tried again', async () => {
    const fetch: typeof globalThis.fetch = async () => new Response('<html>', { status: 200 });
    const error = await failed(make(scalingoApi({ addresses: addresses(), serviceToken: scalingo.token, fetch })));
    expect(error.retry).toBe(true);
  });
});

it.each([
  [{ error: 'not found' }, 'not found'],
  [{ errors: { name: ['is taken', 'is short'], app: 'missing' } }, 'name is taken, is short; app missing'],
  [{ errors: {} }, null],
  ['text', null],
])('The refusal %j says %j', (body, sentence) => {
  expect(messageIn(body)).toBe(sentence);
});
