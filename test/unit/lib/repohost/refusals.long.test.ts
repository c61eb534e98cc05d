import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git } from '../../../support/repohost-fixture.ts';
import { repoHostWorld } from '../../../support/worlds/repohost-world.ts';

const world = repoHostWorld(async ({ copy, start }) => {
  await copy.commit('first', { a: '1' });
  await start();
  await world.push(world.url(), 'main');
});
const urlOf = (name: string) => world.host.cloneUrl('ada', name).replace('//', '//ada:secret@');
const failed = (name: string) =>
  world.copy.git('push', urlOf(name), 'main').then(
    () => 'it succeeded',
    (error) => String(error.stderr),
  );
const repositories = () => join(world.dataDir, 'repositories/ada');

describe('A push that the host cannot take', () => {
  it.each(['{"owner": "ada"', '', 'null', '[]'])('says which record of its repository is damaged: %j', async (text) => {
    const record = join(repositories(), 'app.git/repohost.json');
    const whole = readFileSync(record, 'utf8');
    writeFileSync(record, text);
    await world.host.close();
    await world.start();
    const said = await failed('app');
    expect(said).toContain('remote: The file repositories/ada/app.git/repohost.json is damaged: restore it, or remove');
    expect(said).not.toContain(world.folder);
    const answer = await fetch(`${world.host.url}/ada/app`);
    expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining('damaged')]);
    // No other repository is concerned.
    expect(await world.push(urlOf('other'), 'main')).toContain('queued');
    writeFileSync(record, whole);
    await world.copy.commit('second', { a: '2' });
    expect(await world.push(world.url(), 'main')).toContain('queued');
  });

  it('into a folder with a damaged record says so too, and is recorded when that is whole again', async () => {
    const folder = join(repositories(), 'app.git');
    const record = join(folder, 'repohost.json');
    const whole = readFileSync(record, 'utf8');
    writeFileSync(record, '{');
    await world.copy.commit('into the folder', { a: '3' });
    const { stderr: said } = await world.copy.git('push', folder, 'main');
    expect(said).toContain('as soon as it can be recorded: The file repositories/ada/app.git/repohost.json is damaged');
    expect(said).not.toContain('not running');
    writeFileSync(record, whole);
    const before = world.service.pushes.length;
    await world.host.close();
    await world.start();
    await expect.poll(() => world.service.pushes.length).toBe(before + 1);
  });

  it('says that its folder was put there by somebody else', async () => {
    await git(['init', '--quiet', '--bare', world.host.repositoryPath('ada', 'mine')]);
    expect(await failed('mine')).toContain('remote: The folder of this repository was not made by the service');
    expect(world.service.pushes).toHaveLength(1);
  });

  it('says that the disk is full', async () => {
    await world.host.close();
    const full = join(world.folder, 'full');
    writeFileSync(
      full,
      `#!/bin/sh
case "$*" in
  init*) echo "error: unable to write symref for HEAD: No space left on device" >&2; exit 1 ;;
  *) exec git "$@" ;;
esac
`,
      { mode: 0o755 },
    );
    await world.start({ git: full });
    expect(await failed('new')).toContain('remote: The disk of the data folder is full: free some space on it.');
    await world.host.close();
    await world.start();
    expect(await world.push(urlOf('new'), 'main')).toContain('queued');
  });
});
