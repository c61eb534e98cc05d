import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { httpPlatform } from '../../../../../functions/adapters/platform/hosting.ts';
import { startPlatform } from '../../../../../lib/platform/platform.ts';
import { type Behaviour, hostingPlatformContract, uploadOf } from '../../../../contracts/hosting-platform.ts';

const serviceToken = 'service-token-of-the-tests';

/** Real applications: a server that answers with its version, and two that do not get that far. */
function filesOf(name: string, version: string, works: Behaviour): Record<string, string> {
  const scripts = works === 'cannot be built' ? { preinstall: 'echo no compiler here && exit 1' } : {};
  const serve = `require('node:http').createServer((q, s) => s.end('${version}')).listen(process.env.PORT, process.env.HOST)`;
  const server = works === 'does not start' ? "console.error('no database here'); process.exit(1)" : serve;
  return { 'package.json': JSON.stringify({ name, version: '1.0.0', scripts }), 'server.js': `${server};\n` };
}

/** A gzip tarball with one root folder, as repository hosts make them. */
function tarball(files: Record<string, string>): Promise<Buffer> {
  const archive = pack();
  for (const [name, text] of Object.entries(files)) archive.entry({ name: `root/${name}` }, text);
  archive.finalize();
  return buffer(archive.pipe(createGzip()));
}

hostingPlatformContract('the embedded platform over HTTP', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'platform-'));
  const limits = { drainMs: 1000, graceMs: 1000, serverErrorMs: 300 };
  const embedded = await startPlatform({ dataDir, serviceToken, limits });
  await embedded.ensureUser({ user: 'kiwi', password: 'password of kiwi' });
  return {
    platform: httpPlatform({ url: embedded.url, serviceToken }),
    user: 'kiwi',
    tarball: (app, version, works) => tarball(filesOf(app, version, works)),
    version: async (_app, url) => (await fetch(url)).text(),
    close: async () => {
      await embedded.close();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
});

describe('the embedded platform', () => {
  it('holds a poll with a wait until the build has ended', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'platform-'));
    const embedded = await startPlatform({ dataDir, serviceToken });
    try {
      await embedded.ensureUser({ user: 'kiwi', password: 'password of kiwi' });
      const platform = httpPlatform({ url: embedded.url, serviceToken });
      const shop = { user: 'kiwi', app: 'shop', snapshot: '1' };
      const scripts = { preinstall: 'sleep 1' };
      const manifest = { name: 'shop', version: '1.0.0', scripts };
      const bytes = await tarball({ 'package.json': JSON.stringify(manifest), 'server.js': '' });
      await platform.ensureApp(shop, {});
      await platform.upload(shop, uploadOf(bytes));
      await platform.activate(shop);
      expect(await platform.poll(shop)).toEqual({ state: 'building' });
      expect(await platform.poll(shop, 30)).toEqual({ state: 'ready' });
    } finally {
      await embedded.close();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});
