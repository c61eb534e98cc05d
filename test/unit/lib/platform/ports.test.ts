import { describe, expect, it } from 'vitest';
import { appDomainsContract } from '../../../contracts/app-domains.ts';
import { appProcessesContract } from '../../../contracts/app-processes.ts';
import { applicationsContract } from '../../../contracts/applications.ts';
import { hostingPlatformContract, uploadOf } from '../../../contracts/hosting-platform.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { embeddedPlatform, tarball } from '../../../support/platform/embedded.ts';
import { startInProcess } from '../../../support/platform/in-process.ts';

hostingPlatformContract('the embedded platform', embeddedPlatform);
applicationsContract('the embedded platform', embeddedPlatform);
appProcessesContract('the embedded platform', embeddedPlatform);
appDomainsContract('the embedded platform', embeddedPlatform);

describe('the embedded platform', () => {
  it('holds a poll with a wait until the build has ended', async () => {
    const embedded = await startInProcess({ dataDir: newFolder('platform') });
    try {
      const platform = embedded.hosting;
      const shop = { user: 'kiwi', app: 'shop', snapshot: '1' };
      const scripts = { preinstall: 'sleep 1' };
      const manifest = { name: 'shop', version: '1.0.0', scripts };
      const bytes = await tarball({ 'package.json': JSON.stringify(manifest), 'server.js': '' });
      await platform.ensureApp(shop, {});
      await platform.upload(shop, uploadOf(bytes));
      await platform.activate(shop);
      expect(await platform.poll(shop)).toEqual({ state: 'building' });
      const found = { install: 'npm install', build: '', start: 'node server.js' };
      expect(await platform.poll(shop, 30)).toEqual({ state: 'ready', found });
    } finally {
      await embedded.close();
    }
  });

  it('tells no address of an application without a web process', async () => {
    const embedded = await startInProcess({ dataDir: newFolder('platform') });
    try {
      const { hosting, operations } = embedded;
      const bot = { user: 'kiwi', app: 'bot', snapshot: '1' };
      const files = { 'package.json': '{"name":"bot"}', 'bot.js': 'setInterval(() => {}, 1000)' };
      await hosting.ensureApp(bot, {});
      await hosting.upload(bot, uploadOf(await tarball({ ...files, Procfile: 'worker: node bot.js' })));
      await hosting.activate(bot);
      await hosting.poll(bot, 30);
      expect(await hosting.start(bot)).toEqual({ url: '' });
      expect(await operations.restart(bot)).toEqual({ url: '' });
    } finally {
      await embedded.close();
    }
  });
});
