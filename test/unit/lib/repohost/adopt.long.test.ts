import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git } from '../../../support/repohost-fixture.ts';
import { repoHostWorld } from '../../../support/worlds/repohost-world.ts';

let lines: string[];

const world = repoHostWorld(async ({ copy }) => {
  lines = [];
  await open();
  await copy.commit('first', { a: '1' });
});
const open = () => world.start({ log: (line) => lines.push(line) });
/** A bare repository, as a person makes it in the folder of the host. */
const initBare = async (name: string) => {
  const path = world.host.repositoryPath('ada', name);
  mkdirSync(join(path, '..'), { recursive: true });
  await git(['init', '--quiet', '--bare', path]);
  return path;
};
/** Waits until the host has looked at its folder once more. */
const lookedAgain = async () => {
  await initBare('later');
  await expect.poll(() => lines.join('\n')).toContain('ada/later was found');
};

describe('A repository that was put into the folder', () => {
  it('A repository of git init --bare is noticed, and a push to it deploys', async () => {
    const path = await initBare('mine');
    await expect.poll(() => existsSync(join(path, 'hooks', 'post-receive'))).toBe(true);
    await expect.poll(() => lines.join('\n')).toContain('The repository ada/mine was found in the folder');
    expect((await world.copy.git('push', path, 'main')).stderr).toContain('remote: deploy main');
    expect(world.service.pushes).toHaveLength(1);
    expect((await fetch(`${world.host.url}/ada/mine`)).status).toBe(200);
  });

  it('A push that came before it was noticed is deployed then, from its default branch', async () => {
    const path = await initBare('early');
    await world.copy.git('push', path, 'main');
    await expect.poll(() => world.service.pushes.length).toBe(1);
    const { stdout } = await world.copy.git('rev-parse', 'HEAD');
    expect(world.service.pushes[0]).toMatchObject({
      ...{ owner: 'ada', name: 'early', ref: 'refs/heads/main', defaultBranch: 'main' },
      ...{ before: null, after: stdout.trim() },
    });
  });

  it('A repository whose hook is gone is repaired at the next start, and what was pushed meanwhile is deployed', async () => {
    await world.host.createRepository('ada', 'broken');
    const path = world.host.repositoryPath('ada', 'broken');
    await world.host.close();
    rmSync(join(path, 'hooks', 'post-receive'));
    await world.copy.git('push', path, 'main');
    await open();
    await expect.poll(() => world.service.pushes.length).toBe(1);
    expect((await world.copy.git('push', path, 'main:side')).stderr).toContain('deploy side');
  });

  it('A hook of the user is left as it is, and the log says so once', async () => {
    const path = await initBare('own');
    const hook = join(path, 'hooks', 'post-receive');
    mkdirSync(join(path, 'hooks'), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\nexit 0\n');
    await expect.poll(() => lines.filter((line) => line.includes('its own post-receive hook')).length).toBe(1);
    await lookedAgain();
    expect(lines.filter((line) => line.includes('ada/own'))).toHaveLength(1);
    expect(readFileSync(hook, 'utf8')).toBe('#!/bin/sh\nexit 0\n');
  });

  it('A folder that is no repository is left alone', async () => {
    const path = world.host.repositoryPath('ada', 'files');
    mkdirSync(path, { recursive: true });
    await lookedAgain();
    expect(existsSync(join(path, 'hooks'))).toBe(false);
    expect(lines).toEqual([expect.stringContaining('ada/later was found')]);
  });
});
