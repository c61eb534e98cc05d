import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAlive, statFields } from '../../../../lib/process/process-info.ts';
import { repoHostWorld } from '../../../support/worlds/repohost-world.ts';

const world = repoHostWorld(({ copy }) => copy.commit('first', { a: '1' }));
/** Starts the host with a follower of this source. */
const open = async (source?: string) => {
  const follower = join(world.folder, 'follower.ts');
  if (source !== undefined) await writeFile(follower, source);
  const webhook = { url: world.service.url.replace('branch=main', 'branch={default_branch}') };
  return world.start({ webhook, ...(source !== undefined && { follower }) });
};
const tells = `export const follow = async ({ entry, webhook, print }) => {
  print('following ' + entry + ' as ' + webhook.user);
  await new Promise((wait) => setTimeout(wait, 50));
  print('and that is the end');
};`;

/** Not a zombie either, which is left where nothing reaps orphans. */
const runs = (pid: number) => {
  if (!isAlive(pid)) return false;
  const stat = process.platform === 'linux' ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
  return statFields(stat)[0] !== 'Z';
};

describe('A push that is followed', () => {
  it('A push shows what the follower prints about the entry that the webhook has answered', async () => {
    await open(tells);
    const printed = await world.push(world.url(), 'main');
    expect(printed).toMatch(
      /remote: deploy main .*queued *\n.*\nremote: following http:\/\/127\.0\.0\.1\/1\/status\/me\/changes\/1 as ada *\nremote: and that is the end/,
    );
  });

  it('A push with the option nowait returns when the webhook has answered', async () => {
    await open(tells);
    const printed = await world.push('--push-option', 'nowait', world.url(), 'main');
    expect(printed).toContain('queued');
    expect(printed).not.toContain('following');
  });

  it('A push that the webhook has finished with is not followed', async () => {
    await open(tells);
    const headers = { location: 'http://127.0.0.1/1/status/me/changes/1' };
    world.service.answer = (response) =>
      response.writeHead(200, headers).end('{"status":"skipped","reason":"It is a tag."}');
    const printed = await world.push(world.url(), 'main');
    expect(printed).toContain('skipped: It is a tag.');
    expect(printed).not.toContain('following');
  });

  it('A follower that fails is told in one line, and the push has succeeded', async () => {
    await open(`export const follow = async () => { throw new Error('no luck'); };`);
    expect(await world.push(world.url(), 'main')).toContain('The deploy goes on, but cannot be shown here: no luck');
    expect(existsSync(join(world.dataDir, 'deliveries'))).toBe(true);
    expect(await world.host.redeliver()).toEqual({ sent: 0, kept: 0 });
  });

  it('A push of another branch than the default one says how to change that', async () => {
    await open();
    await world.push(world.url(), 'main');
    const printed = await world.push(world.url(), 'main:side');
    expect(printed).toContain('main is the default branch of this repository. To make it side, for the next push:');
    expect(printed).toContain('symbolic-ref HEAD refs/heads/side');
    expect(await world.push(world.url(), 'main:main')).not.toContain('symbolic-ref');
  });

  it('A branch with a name like a command is quoted in the command to copy, and its direction marks are escaped', async () => {
    await open();
    await world.push(world.url(), 'main');
    expect(await world.push(world.url(), 'main:a$(id)`id`;<b>')).toContain(
      "symbolic-ref HEAD 'refs/heads/a$(id)`id`;<b>'",
    );
    expect(await world.push(world.url(), 'main:a\u202eb')).toContain('To make it a\\u202eb, for the next push:');
  });

  it('A host that starts without a follower follows nothing', async () => {
    await open(tells);
    await world.host.close();
    await open();
    expect(await world.push(world.url(), 'main')).not.toContain('following');
  });

  it.each(['the push is interrupted', 'the host ends'])('What follows a push over HTTP ends when %s', async (what) => {
    const file = join(world.folder, 'follows');
    await open(`import { writeFileSync } from 'node:fs';
export const follow = async ({ print, signal }) => {
  print('waiting');
  signal.addEventListener('abort', () => writeFileSync(${JSON.stringify(file)}, 'ended'));
  writeFileSync(${JSON.stringify(file)}, 'waits');
  await new Promise(() => {});
};`);
    const pushing = world.pushInGroup(world.url());
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toBe('waits');
    if (what === 'the host ends') await world.host.close();
    else process.kill(-(pushing.pid ?? 0), 'SIGKILL');
    await expect.poll(() => readFileSync(file, 'utf8')).toBe('ended');
    pushing.kill('SIGKILL');
  });

  it('The process that follows a push into the folder ends when the push is interrupted', async () => {
    const file = join(world.folder, 'pid');
    await open(`import { writeFileSync } from 'node:fs';
export const follow = async () => {
  writeFileSync(${JSON.stringify(file)}, String(process.pid));
  await new Promise((wait) => setTimeout(wait, 600_000));
};`);
    await world.host.createRepository('ada', 'app');
    const pushing = world.pushInGroup(world.host.repositoryPath('ada', 'app'));
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8') !== '').toBe(true);
    const pid = Number(readFileSync(file, 'utf8'));
    expect(runs(pid)).toBe(true);
    process.kill(-(pushing.pid ?? 0), 'SIGKILL');
    await expect.poll(() => runs(pid)).toBe(false);
  });
});
