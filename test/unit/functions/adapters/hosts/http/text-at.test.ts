import { describe, expect, it } from 'vitest';
import { RefusedAddress } from '../../../../../../functions/adapters/hosts/http/address-policy.ts';
import { textAt } from '../../../../../../functions/adapters/hosts/http/text-at.ts';
import { apiServer, server } from '../../../../../support/api-server.ts';

describe('textAt', () => {
  it('sends no credentials', async () => {
    const api = await apiServer({ status: 200, body: 'hello' });
    expect(await textAt(`${api.url}/config`)).toBe('hello');
    expect(api.received).toMatchObject([{ method: 'GET', url: '/config' }]);
    expect(api.received[0]?.headers).not.toHaveProperty('authorization');
  });

  it('does not follow redirects', async () => {
    const elsewhere = await apiServer({ status: 200, body: 'hello' });
    const api = await apiServer({ status: 302, headers: { location: elsewhere.url } });
    await expect(textAt(api.url)).rejects.toThrow('it answered 302');
    expect(elsewhere.received).toEqual([]);
  });

  it('does not read more than 64 KiB', async () => {
    const api = await apiServer({ status: 200, body: 'x'.repeat(64 * 1024 + 1) });
    await expect(textAt(api.url)).rejects.toThrow('more than 65536 bytes');
  });

  it('times out when the server does not respond or sends the body too slowly', async () => {
    const silent = await apiServer('silence');
    await expect(textAt(silent.url, 50)).rejects.toThrow(/timeout|aborted/i);
    const slow = await server((_request, response) => {
      const drip = setInterval(() => response.write('x'), 5);
      response.on('close', () => clearInterval(drip));
    });
    await expect(textAt(slow, 100)).rejects.toThrow(/timeout|aborted/i);
  });

  it.each([
    ['in plain text over the network', 'http://api.example.com/config', 'only https://'],
    ['in a private network', 'https://10.0.0.1/config', 'not a public address'],
    ['with a login in it', 'https://me:secret@api.example.com/config', 'a login in it'],
    ['of the metadata service', 'https://169.254.169.254/latest/meta-data', 'not a public address'],
    ['of the metadata service, in IPv6', 'https://[fd00:ec2::254]/latest/meta-data', 'not a public address'],
  ])('rejects a URL %s', async (_what, address, why) => {
    await expect(textAt(address)).rejects.toThrow(RefusedAddress);
    await expect(textAt(address)).rejects.toThrow(why);
  });
});
