import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlatformEvent } from '../../../../lib/platform/settings.ts';
import { appFiles, build, call, deploy, login, platform, serverFile } from '../../../support/platform/harness.ts';

/** A platform with two applications, which both ran when it ended. */
async function ended() {
  const first = await platform();
  for (const name of ['cut', 'whole']) await deploy(first, name, '1', appFiles(name, serverFile(name)));
  await call(first, 'PATCH', '/apps/ada/cut/env', { A: '1' });
  await first.close();
  return first.dataDir;
}

const damaged = (events: readonly PlatformEvent[]) =>
  events.flatMap(({ type, detail }) => (type === 'platform.damaged' ? [detail] : []));

describe('a damaged record', () => {
  it.each([
    ['apps/ada/cut/app.json', ''],
    ['apps/ada/cut/app.json', '{"name":"cut"}'],
    ['apps/ada/cut/snapshots/1.json', '{"id":"1"'],
    ['apps/ada/cut/snapshots/0.json', '[]'],
    ['apps/ada/cut/variables.json', '{"A":1}'],
  ])('%s (%j) is reported, left as it is, and fails nothing else', async (name, content) => {
    const dataDir = await ended();
    const path = join(dataDir, name);
    await writeFile(path, content);
    const events: PlatformEvent[] = [];

    const at = await platform({ dataDir, log: (event) => void events.push(event) });

    expect(damaged(events)).toEqual([
      `The file ${path} is damaged: restore it, or remove it to begin without its content.`,
    ]);
    expect(await readFile(path, 'utf8')).toBe(content);
    const { url } = (await call(at, 'GET', '/apps/ada/whole')).body;
    await expect
      .poll(() =>
        fetch(url).then(
          (one) => one.text(),
          () => null,
        ),
      )
      .toBe('whole');
    expect((await call(at, 'GET', '/apps/ada')).body.apps).toContainEqual(expect.objectContaining({ name: 'whole' }));
    expect((await deploy(at, 'whole', '2', appFiles('whole', serverFile('again')))).status).toBe(200);
    await at.serveUsers([login.user]);
    await at.serveUsers([]);
  });

  it('of another snapshot fails no deploy of its application', async () => {
    const dataDir = await ended();
    await writeFile(join(dataDir, 'apps/ada/cut/snapshots/0.json'), '');
    const at = await platform({ dataDir });
    expect((await deploy(at, 'cut', '2', appFiles('cut', serverFile('two')))).status).toBe(200);
    expect((await call(at, 'GET', '/apps/ada/cut/snapshots')).status).toBe(200);
  });

  it('of its variables fails a deploy at once, with its sentence', async () => {
    const at = await platform();
    await deploy(at, 'shop', '1', appFiles('shop', serverFile('one')));
    await writeFile(join(at.dataDir, 'apps/ada/shop/variables.json'), '{');
    const { body } = await build(at, 'shop', '2', appFiles('shop', serverFile('two')));
    const reason = expect.stringMatching(/^The file \S+variables\.json is damaged: restore it, or remove it/);
    expect(body).toMatchObject({ state: 'failed', reason });
    expect(JSON.stringify(body)).not.toContain(at.dataDir);
    expect((await call(at, 'GET', '/apps/ada/shop')).body.state).toBe('running');
  });
});
