import { describe, expect, it, vi } from 'vitest';
import { httpPlatform } from '../../../../../functions/adapters/platform/http/hosting.ts';
import { httpAppOutput } from '../../../../../functions/adapters/platform/http/output.ts';
import { uploadOf } from '../../../../contracts/hosting-platform.ts';
import { apiServer, type Reply } from '../../../../support/api-server.ts';

const shop = { user: 'kiwi', app: 'shop', snapshot: '1.0.0-7' };
const refused = { status: 401, body: { error: 'Wrong credentials.' } };
const ready = { status: 200, body: { state: 'ready' } };

/** What the platform's login is in each request. */
const tokens = (received: Awaited<ReturnType<typeof apiServer>>['received']) =>
  received.map(({ headers }) => Buffer.from(`${headers.authorization}`.slice('Basic '.length), 'base64').toString());

async function setUp(replies: readonly Reply[], renewed: readonly string[]) {
  const api = await apiServer(...replies);
  const left = [...renewed];
  const renewToken = vi.fn(async () => left.shift() ?? 'last');
  return { api, renewToken, options: { url: api.url, serviceToken: 'old', renewToken } };
}

describe('the service’s own token', () => {
  it('is read again after a 401, once, and then the new one is used', async () => {
    const { api, renewToken, options } = await setUp([refused, ready, ready], ['new']);
    const platform = httpPlatform(options);
    expect(await platform.poll(shop)).toEqual({ state: 'ready' });
    expect(await platform.poll(shop)).toEqual({ state: 'ready' });
    expect(tokens(api.received)).toEqual(['kiwi:old', 'kiwi:new', 'kiwi:new']);
    expect(renewToken).toHaveBeenCalledTimes(1);
  });

  it('that has not changed is not tried twice', async () => {
    const { api, options } = await setUp([refused], ['old']);
    await expect(httpPlatform(options).poll(shop)).rejects.toMatchObject({ retry: false, detail: /401/ });
    expect(api.received).toHaveLength(1);
  });

  it('that is refused as well is a failure', async () => {
    const { api, options } = await setUp([refused, refused], ['new']);
    await expect(httpPlatform(options).poll(shop)).rejects.toMatchObject({ retry: false });
    expect(api.received).toHaveLength(2);
  });

  it('is read once by requests that were refused at the same time', async () => {
    const { renewToken, options } = await setUp([refused, refused, ready, ready], ['new']);
    const platform = httpPlatform(options);
    await Promise.all([platform.poll(shop), platform.poll(shop)]);
    expect(renewToken.mock.calls.length).toBeLessThan(3);
  });

  it('that cannot be read is a reason to try the stage again', async () => {
    const { options } = await setUp([refused], []);
    const platform = httpPlatform({ ...options, renewToken: () => Promise.reject(new Error('Secrets are down.')) });
    await expect(platform.poll(shop)).rejects.toMatchObject({ retry: true });
  });

  it('is new for the next try of an upload, whose bytes cannot be sent twice', async () => {
    const { api, options } = await setUp([refused, { status: 201, body: {} }], ['new']);
    const platform = httpPlatform(options);
    const upload = () => platform.upload(shop, uploadOf(Buffer.from('tarball')));
    await expect(upload()).rejects.toMatchObject({ code: 'deploy:platform:upload_tarball', retry: true });
    await upload();
    expect(tokens(api.received)).toEqual(['kiwi:old', 'kiwi:new']);
  });

  it('is replaced for outputs too', async () => {
    const { api, options } = await setUp([refused, { status: 200, body: '' }], ['new']);
    const read = httpAppOutput(options).read(shop, { lines: 1, follow: false }, new AbortController().signal);
    expect(await read).not.toBeNull();
    expect(tokens(api.received)).toEqual(['kiwi:old', 'kiwi:new']);
  });
});
