import { beforeEach, describe, expect, it } from 'vitest';
import { awsLambda } from '../../../../functions/adapters/platform/aws-lambda/platform.ts';
import { domainName } from '../../../../functions/core/apps/domain-name.ts';
import { memoryClock } from '../../../fakes/clock.ts';
import { type AppsWorld, appsWorld } from '../../../support/worlds/apps-world.ts';

let world: AppsWorld;

beforeEach(async () => {
  world = appsWorld();
  await world.deployed('shop');
  await world.deployed('blog');
});

function domains(method: string, domain: string | null, application = 'shop', query: Record<string, string> = {}) {
  const resource = `/1/apps/{user}/{application}/domains${domain === null ? '' : '/{domain}'}`;
  const params = { user: 'ann', application, ...(domain !== null && { domain }) };
  return world.ask(method, resource, { params, query });
}

describe('the domains of an application', () => {
  it('are added, listed and removed', async () => {
    expect(await domains('PUT', 'Shop.example.com')).toMatchObject({ status: 201, body: { name: 'shop.example.com' } });
    expect(await domains('PUT', 'shop.example.com')).toMatchObject({ status: 200 });
    expect((await domains('GET', null)).body).toMatchObject({ domains: [{ name: 'shop.example.com' }] });
    expect(await domains('DELETE', 'shop.example.com')).toMatchObject({ status: 204 });
    await expect(domains('DELETE', 'shop.example.com')).rejects.toMatchObject({ code: 'status:db:not_found' });
    expect((await domains('GET', null)).body).toEqual({ domains: [] });
  });

  it('belong to one application', async () => {
    await domains('PUT', 'shop.example.com');
    await expect(domains('PUT', 'shop.example.com', 'blog')).rejects.toMatchObject({ code: 'request:conflict' });
  });

  it('redirect to another one', async () => {
    await domains('PUT', 'shop.example.com');
    const redirect = 'SHOP.example.com.';
    expect(await domains('PUT', 'www.shop.example.com', 'shop', { redirect })).toMatchObject({
      status: 201,
      body: { name: 'www.shop.example.com', redirect: 'shop.example.com' },
    });
    const listed = [{ name: 'shop.example.com' }, { name: 'www.shop.example.com', redirect: 'shop.example.com' }];
    expect((await domains('GET', null)).body).toMatchObject({ domains: listed });
    for (const bad of ['', 'shop', 'https://shop.example.com', 'shop.example.com:8443']) {
      const refused = domains('PUT', 'www.shop.example.com', 'shop', { redirect: bad });
      await expect(refused).rejects.toMatchObject({ code: 'request:bad_parameter' });
    }
    await expect(domains('DELETE', 'shop.example.com')).rejects.toMatchObject({ code: 'request:conflict' });
  });

  it('are not found without an application', async () => {
    const notFound = { code: 'status:db:not_found' };
    await expect(domains('GET', null, 'none')).rejects.toMatchObject(notFound);
    await expect(domains('PUT', 'shop.example.com', 'none')).rejects.toMatchObject(notFound);
    await expect(domains('DELETE', 'shop.example.com', 'none')).rejects.toMatchObject(notFound);
  });

  it('cannot be had on AWS Lambda, which says what to do', async () => {
    const ports = await awsLambda(memoryClock(0)).domains();
    const shop = { user: 'ann', app: 'shop' };
    const refused = { code: 'request:not_supported', detail: expect.stringMatching(/CloudFront.*API Gateway/) };
    await expect(ports.list(shop)).rejects.toMatchObject(refused);
    await expect(ports.add(shop, 'shop.example.com')).rejects.toMatchObject(refused);
    await expect(ports.remove(shop, 'shop.example.com')).rejects.toMatchObject(refused);
  });
});

describe('the name of a domain', () => {
  it.each([
    ['shop.example.com', 'shop.example.com'],
    ['SHOP.Example.COM.', 'shop.example.com'],
    ['b\u00fccher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['1.shop.example', '1.shop.example'],
  ])('%j is %j', (text, name) => {
    expect(domainName(text)).toBe(name);
  });

  it.each([
    '',
    'shop',
    '.',
    'a..b',
    '-a.example',
    'a-.example',
    'a_b.example',
    '*.example.com',
    'shop.example.com:443',
    'shop.example.com/x',
    'user@shop.example.com',
    'a b.example',
    '127.0.0.1',
    '0x7f.1',
    '[::1]',
    'a\u0000.example',
    `${'a'.repeat(64)}.example`,
    `${'abcdefgh.'.repeat(30)}example`,
  ])('%j is none', async (text) => {
    expect(domainName(text)).toBeNull();
    await expect(domains('PUT', text)).rejects.toMatchObject({ code: 'request:bad_parameter' });
  });
});
