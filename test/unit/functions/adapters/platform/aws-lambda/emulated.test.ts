import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { applicationsContract } from '../../../../../contracts/applications.ts';
import { hostingPlatformContract, uploadOf } from '../../../../../contracts/hosting-platform.ts';
import { type EmulatedApps, emulatedApps } from '../../../../../support/aws-local/apps/emulated-apps.ts';
import { tarball } from '../../../../../support/platform/embedded.ts';

// Each deploy is a real build and the start of a real program.
vi.setConfig({ testTimeout: 120_000 });

let apps: EmulatedApps;
beforeAll(async () => {
  apps = await emulatedApps();
});
afterAll(() => apps?.close());

/** The suites share the emulators; each has a user of its own. */
const openFor = (user: string) => async () => ({ ...apps, user, close: async () => {} });

hostingPlatformContract('AWS Lambda on the emulators', openFor('kiwi'));
applicationsContract('AWS Lambda on the emulators', openFor('lime'));

describe('an application on the emulators', () => {
  const shop = { user: 'plum', app: 'shop', snapshot: '1.0.0-1' };

  it('answers after a restart at its address, and gets new versions and variables as before', async () => {
    const { platform } = apps;
    await platform.ensureApp(shop, { name: 'shop' });
    await platform.upload(shop, uploadOf(await apps.tarball('shop', '1.0.0-1', 'runs')));
    await platform.activate(shop);
    await expect.poll(() => platform.poll(shop), { timeout: 60_000 }).toEqual({ state: 'ready' });
    const { url } = await platform.start(shop);
    apps = await apps.restarted();
    expect(await (await fetch(url)).text()).toBe('1.0.0-1');
    expect(await apps.operations.restart(shop)).toEqual({ url });
    expect(await (await fetch(url)).text()).toBe('1.0.0-1');
  });

  it('can be a site without a server', async () => {
    const site = { user: 'plum', app: 'site', snapshot: '1.0.0-1' };
    const scripts = { build: 'mkdir dist && cp page.html dist/index.html' };
    const files = {
      'package.json': JSON.stringify({ name: 'site', version: '1.0.0', scripts }),
      'page.html': 'a site',
    };
    await apps.platform.ensureApp(site, { name: 'site' });
    await apps.platform.upload(site, uploadOf(await tarball(files)));
    await apps.platform.activate(site);
    await expect.poll(() => apps.platform.poll(site), { timeout: 60_000 }).toEqual({ state: 'ready' });
    const { url } = await apps.platform.start(site);
    const answer = await fetch(`${url}/any/path`);
    expect([await answer.text(), answer.headers.get('content-type')]).toEqual(['a site', 'text/html; charset=utf-8']);
  });
});

describe('the emulators', () => {
  it('know every call of the platform and every parameter', () => {
    expect(apps.warnings).toEqual([]);
  });
});
