import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appDomainsContract } from '../../../contracts/app-domains.ts';
import { appPasswordsContract } from '../../../contracts/app-passwords.ts';
import { appProcessesContract } from '../../../contracts/app-processes.ts';
import { applicationsContract } from '../../../contracts/applications.ts';
import { uploadOf } from '../../../contracts/hosting-platform.ts';
import { embeddedPlatform, tarball } from '../../../support/platform/embedded.ts';

applicationsContract('the embedded platform', embeddedPlatform);
appProcessesContract('the embedded platform', embeddedPlatform);
appDomainsContract('the embedded platform', embeddedPlatform);
appPasswordsContract('the embedded platform', embeddedPlatform);

describe('the embedded platform', () => {
  let at: Awaited<ReturnType<typeof embeddedPlatform>>;
  beforeAll(async () => {
    at = await embeddedPlatform();
  });
  afterAll(() => at.close());

  it('holds a poll with a wait until the build has ended', async () => {
    const { platform } = at;
    const shop = { user: 'kiwi', app: 'shop', snapshot: '1' };
    const manifest = { name: 'shop', version: '1.0.0', scripts: { preinstall: 'sleep 1' } };
    const bytes = await tarball({ 'package.json': JSON.stringify(manifest), 'server.js': '' });
    await platform.ensureApp(shop, {});
    await platform.upload(shop, uploadOf(bytes));
    await platform.activate(shop);
    expect(await platform.poll(shop)).toEqual({ state: 'building' });
    const found = { install: 'npm install', build: '', start: 'node server.js' };
    expect(await platform.poll(shop, 30)).toEqual({ state: 'ready', found });
  });

  it('tells no address of an application without a web process', async () => {
    const { platform, operations } = at;
    const bot = { user: 'kiwi', app: 'bot', snapshot: '1' };
    const files = { 'package.json': '{"name":"bot"}', 'bot.js': 'setInterval(() => {}, 1000)' };
    await platform.ensureApp(bot, {});
    await platform.upload(bot, uploadOf(await tarball({ ...files, Procfile: 'worker: node bot.js' })));
    await platform.activate(bot);
    await platform.poll(bot, 30);
    expect(await platform.start(bot)).toEqual({ url: '' });
    expect(await operations.restart(bot)).toEqual({ url: '' });
  });
});
