import { rmSync } from 'node:fs';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { type LocalService, startLocal } from '../../lib/local/start.ts';
import { cli } from '../support/cli.ts';
import { application, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { project, testPage } from '../support/service/place.ts';
import { clientOf, dataFolderFor } from '../support/service/started.ts';

const dataDir = dataFolderFor('asleep', { appsDomain: 'apps.test', publicUrl: 'https://deploy.apps.test' });
let service: LocalService;
let tree: GitFolder | undefined;

afterEach(async () => {
  await service.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  service = await startLocal({ project, dataDir, page: testPage, port: 0 });
}

async function hooks(args: string): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: tree?.folder ?? '', DATA_DIR: dataDir };
  const { out, err } = await cli(args, { env, folder: tree?.folder ?? '' });
  return out + err;
}

const state = async () => (await clientOf(service).call('/1/apps/demo/shop')).body.state;

/** The answer at the front door for a host. */
function visit(path: string, host: string): Promise<readonly [number | undefined, string]> {
  return new Promise((resolve, reject) => {
    const asking = get(`${service.url}${path}`, { headers: { host } });
    asking.once('error', reject).once('response', async (answer) => resolve([answer.statusCode, await text(answer)]));
  });
}

it('an application that is asleep is listed, changed and known, and a visit to its domain wakes it', async () => {
  await start();
  await service.repoHost.createRepository('demo', 'shop');
  tree = gitFolder(service.repoHost.repositoryPath('demo', 'shop'));
  tree.commit(application('shop', 'up'));
  expect(await tree.pushAndWatch()).toContain('live after');
  expect(await hooks('scale web=auto --app shop')).toMatch(/^web\.1 +running/);
  expect(await hooks('domains add shop.example.org --app shop')).toContain('shop.example.org');
  await service.close();

  await start();

  await expect.poll(state).toBe('asleep');
  expect(await hooks('ps shop')).toMatch(
    /^web\.1 +asleep .* node server\.js\nweb ends after ten minutes without a request/,
  );
  expect(await hooks('apps')).toMatch(/^shop +asleep/);
  expect(await hooks('env set WORD=new --app shop')).toContain('shop runs with the change after its next start.');
  expect(await hooks('status --disk')).toContain(' are free.');
  expect((await visit('/ask?domain=shop.example.org', 'localhost'))[0]).toBe(200);
  expect(await state()).toBe('asleep');

  expect(await visit('/', 'shop.example.org')).toEqual([200, 'up']);

  expect(await state()).toBe('running');
});
