import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlatformEvent } from '../../../../lib/platform/settings.ts';
import { appFiles, build, hello, platform, serverFile } from '../../../support/platform/harness.ts';

describe('the folder of the platform', () => {
  it('what a killed platform left is removed at the next start, and nothing else', async () => {
    const first = await platform();
    await build(first, 'hello', '1', appFiles('hello', serverFile('hi')));
    await first.close();
    const app = join(first.dataDir, 'apps', 'ada', 'hello');
    // The database ends with the platform, and the list of groups when its last write has.
    const ends = /^(?:groups\.json|service\.db-\w+)$/;
    const listed = async () =>
      (await readdir(first.dataDir, { recursive: true })).filter((path) => !ends.test(path)).sort();
    // A write that has just ended may still have its temporary file in the list.
    const before = (await listed()).filter((path) => !/\.(?:tmp|part)$/.test(path));
    await mkdir(join(app, 'releases', '2', 'lib'), { recursive: true });
    const removed = join(first.dataDir, '00000000-0000-4000-8000-000000000000.tmp');
    await mkdir(removed);
    const left = [
      join(removed, 'app.log'),
      join(first.dataDir, 'groups.json.0123456789ab.tmp'),
      join(app, 'snapshots', '2.tgz.0123456789ab.part'),
      join(app, 'snapshots', '4.tgz'),
      join(app, 'releases', '2', 'lib', 'a.js'),
    ];
    for (const file of left) await writeFile(file, 'left');

    const again = await platform({ dataDir: first.dataDir });
    await again.close();

    await expect.poll(listed).toEqual(before);
  });

  it('an application whose files are gone, as when its removal was cut off, is reported and can be removed', async () => {
    const first = await platform();
    await build(first, 'hello', '1', appFiles('hello', serverFile('hi')));
    await first.close();
    await rm(join(first.dataDir, 'apps', 'ada', 'hello'), { recursive: true });
    const events: PlatformEvent[] = [];

    const again = await platform({ dataDir: first.dataDir, log: (event) => void events.push(event) });

    expect(events.filter(({ type }) => type === 'platform.damaged')).toMatchObject([
      { user: 'ada', app: 'hello', detail: 'The files of the snapshot 1 of ada/hello are gone: deploy it again.' },
    ]);
    await again.operations.remove(hello);
    expect(await again.applications.find(hello)).toBeNull();
  });

  it('logs and releases can be read by the owner only', async () => {
    const { dataDir } = await platform();
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  });
});
