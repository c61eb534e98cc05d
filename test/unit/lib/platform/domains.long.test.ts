import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { checkDomain, dnsLookup } from '../../../../lib/platform/ports/domain-check.ts';
import {
  appFiles,
  appOf,
  deploy,
  hello,
  platform,
  refusalOf,
  serverFile,
  visit,
} from '../../../support/platform/harness.ts';

const publicDomain = { domain: 'apps.example.com', protocol: 'https:', port: '' } as const;
const names = ['deploy.apps.example.com', 'git.apps.example.com'];
const publicService = { protocol: 'https:', port: '', names } as const;
/** The service is at 192.0.2.1. */
const records: Readonly<Record<string, readonly string[] | null>> = {
  'deploy.apps.example.com': ['192.0.2.1'],
  'shop.example.com': ['192.0.2.1', '2001:db8::1'],
  'elsewhere.example.com': ['203.0.113.9'],
  'silent.example.com': null,
};
const lookup = async (name: string) => (name in records ? (records[name] ?? null) : []);
const server = { publicDomain, publicService, lookup };

describe('A domain of an application', () => {
  it('is served at once and is its address, also after a restart, until it is removed', async () => {
    const at = await platform(server);
    await deploy(at, 'hello', '1', appFiles('hello', serverFile('by name')));
    expect(await at.domains.add(hello, 'shop.example.com')).toMatchObject({
      isNew: true,
      domain: { name: 'shop.example.com', url: 'https://shop.example.com', points_here: true, note: null },
    });
    expect(await at.domains.add(hello, 'SHOP.example.com.')).toMatchObject({ isNew: false });
    expect(await visit(at, 'Shop.Example.com:443')).toEqual({ status: 200, body: 'by name' });
    expect(await at.hasHost('shop.example.com')).toBe(true);
    expect((await at.applications.find(hello))?.url).toBe('https://shop.example.com');
    await at.close();

    const again = await platform({ ...server, dataDir: at.dataDir });
    await expect.poll(() => visit(again, 'shop.example.com')).toEqual({ status: 200, body: 'by name' });
    expect(again.hasDomain('shop.example.com')).toBe(true);
    expect(await again.domains.remove(hello, 'shop.example.com')).toBe(true);
    expect(await again.domains.remove(hello, 'shop.example.com')).toBe(false);
    expect([again.hasDomain('shop.example.com'), await again.hasHost('shop.example.com')]).toEqual([false, false]);
    expect((await again.applications.find(hello))?.url).toBe('https://hello.ada.apps.example.com');
  });

  it('is not lost when others are added or removed at the same time', async () => {
    const at = await platform(server);
    await at.hosting.ensureApp(hello, { name: 'hello', version: '1' });
    const all = Array.from({ length: 6 }, (_, number) => `shop-${number}.example.com`);
    await Promise.all(all.map((name) => at.domains.add(hello, name)));
    await Promise.all([
      at.domains.remove(hello, all[0] ?? ''),
      at.domains.add(hello, 'more.example.com'),
      at.domains.remove(hello, all[1] ?? ''),
    ]);
    const names = (await at.domains.list(hello))?.map(({ name }) => name).sort();
    expect(names).toEqual(['more.example.com', ...all.slice(2)]);
  });

  it('belongs to one application, whose user alone learns which', async () => {
    const at = await platform(server);
    for (const app of ['hello', 'other']) await at.hosting.ensureApp(appOf(app), {});
    const shop = { user: 'eve', app: 'shop' };
    await at.hosting.ensureApp(shop, {});
    await at.domains.add(hello, 'shop.example.com');
    const own = await refusalOf(at.domains.add(appOf('other'), 'shop.example.com'));
    expect(own).toMatchObject({ status: 409, error: expect.stringContaining('belongs to hello') });
    const foreign = await refusalOf(at.domains.add(shop, 'shop.example.com'));
    expect(foreign).toMatchObject({ status: 409, error: expect.stringContaining('another user') });
    expect(foreign.error).not.toContain('hello');
    await at.operations.remove(hello);
    expect(await at.domains.add(appOf('other'), 'shop.example.com')).toMatchObject({ isNew: true });
  });

  it.each([
    'localhost',
    '127.0.0.1',
    '*.example.com',
    'a_b.example.com',
    'hello.ada.localhost',
    'apps.example.com',
    'x.apps.example.com',
    'deploy.apps.example.com',
  ])('is not %j', async (name) => {
    const at = await platform(server);
    await at.hosting.ensureApp(hello, {});
    expect(await refusalOf(at.domains.add(hello, name))).toMatchObject({ status: 400 });
  });

  it('says where the service has no public address that it has none', async () => {
    const at = await platform({ lookup });
    await deploy(at, 'hello', '1', appFiles('hello', serverFile('by name')));
    const added = await at.domains.add(hello, 'shop.example.com');
    expect(added?.domain).toMatchObject({ url: null, note: expect.stringContaining('APPS_DOMAIN or PUBLIC_URL') });
    expect((await at.applications.find(hello))?.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  });
});

describe('Whether a domain leads to this machine', () => {
  const check = (name: string) => checkDomain(name, { service: publicService, lookup });

  it.each([
    ['shop.example.com', true, null],
    ['elsewhere.example.com', false, 'leads to 203.0.113.9, which is not an address of this machine'],
    ['none.example.com', false, 'has no address in DNS yet: it needs a CNAME record to deploy.apps.example.com'],
    ['silent.example.com', null, 'DNS does not answer for silent.example.com'],
  ])('%s: %j', async (name, pointsHere, note) => {
    const found = await check(name);
    expect(found.pointsHere).toBe(pointsHere);
    expect(found.note).toEqual(note === null ? null : expect.stringContaining(note));
  });

  it('does where it has an address of a network interface', async () => {
    const [own] = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const here = await checkDomain('a.example.com', { service: undefined, lookup: async () => [own?.address ?? ''] });
    expect(here).toEqual({ pointsHere: true, note: null });
    const none = await checkDomain('a.example.com', { service: undefined, lookup: async () => [] });
    expect(none.note).toContain('an A record with the address of this machine');
  });

  it('is answered in seconds where DNS is not', async () => {
    const found = await dnsLookup()('shop.invalid');
    expect(found ?? []).toEqual([]);
  });
});

describe('An application of the only user', () => {
  it('has a name without the user, until there are two', async () => {
    const at = await platform(server);
    await deploy(at, 'hello', '1', appFiles('hello', serverFile('by name')));
    expect(await visit(at, 'hello.apps.example.com')).toEqual({ status: 200, body: 'by name' });
    expect(await at.hasHost('hello.apps.example.com')).toBe(true);
    expect((await visit(at, 'other.apps.example.com')).status).toBe(404);
    await at.serveUsers(['ada', 'eve']);
    expect((await visit(at, 'hello.apps.example.com')).status).toBe(404);
    await at.serveUsers(['ada']);
    expect((await visit(at, 'hello.apps.example.com')).status).toBe(200);
  });

  it('does not take a name of the service', async () => {
    const at = await platform(server);
    await deploy(at, 'git', '1', appFiles('git', serverFile('by name')));
    expect((await visit(at, 'git.apps.example.com')).body).not.toBe('by name');
    expect((await visit(at, 'git.ada.apps.example.com')).body).toBe('by name');
  });
});
