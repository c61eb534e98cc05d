import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  appFiles,
  deploy,
  hello,
  linesOf,
  logsOf,
  platform,
  serverFile,
  sharedPlatform,
  until,
} from '../../../support/platform/harness.ts';

const shared = sharedPlatform();

describe('the output', () => {
  const speaks = `${serverFile('up')} console.log('to stdout'); console.error('to stderr');`;
  const bothIn = (text: string) => text.includes('to stdout') && text.includes('to stderr');

  it('the log file never exceeds its limit, not within one batch of lines either', async () => {
    const at = await platform({ limits: { logBytes: 10_000 } });
    const many = `${serverFile('up')} for (let i = 0; i < 2000; i++) console.log('line ' + i);`;

    await deploy(at, 'hello', '1', appFiles('hello', many));
    await until('all is read', async () => (await logsOf(at)).includes('line 1999'));
    await at.operations.stop(hello);

    const folder = join(at.dataDir, 'apps', 'ada', 'hello');
    const sizes = await Promise.all(
      ['app.log', 'app.log.1'].map(async (name) => (await stat(join(folder, name))).size),
    );
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10_000);
  });

  it('the same lines are there after a restart of the platform, and plain text names the platform', async () => {
    const first = await platform();
    await deploy(first, 'hello', '1', appFiles('hello', speaks));
    await until('both lines are read', async () => bothIn(await logsOf(first)));
    await first.operations.stop(hello);
    const before = await linesOf(first);
    expect(before).toContainEqual({ at: expect.any(String), stream: 'stderr', line: 'to stderr' });
    await first.close();

    const again = await platform({ dataDir: first.dataDir });

    expect(await linesOf(again)).toEqual(before);
    expect(await logsOf(again)).toMatch(/^\S+Z platform: stopped$/m);
    expect(await linesOf(again, { lines: 0 })).toEqual([]);
  });

  it('following ends when the application is removed', async () => {
    const at = await shared();
    await deploy(at, 'hello', '1', appFiles('hello', speaks));
    const following = linesOf(at, { follow: true });

    await at.operations.remove(hello);

    // It would go on for ever.
    expect((await following).map(({ line }) => line)).toContain('1 serves');
  });
});
