import { describe, expect, it } from 'vitest';
import { checkWorld } from '../../../support/worlds/check-world.ts';

const shop = { user: 'ann', app: 'shop' };
const files = (fields: object) => ({ 'package.json': JSON.stringify({ name: 'shop', version: '1.0.0', ...fields }) });

describe('the settings of a deploy', () => {
  it('are those of a person before those of package.json, and the entry says whose each is', async () => {
    const { commit, push, check, settings } = checkWorld();
    await settings.change(shop, { build: 'make site', install: '' });
    await push(commit(null, files({ deploy: { build: 'npm run all', output: './site/' } })));
    const entry = await check(1);
    expect(entry.settings).toEqual({ build: 'make site', install: '', output: 'site' });
    expect(entry.stages[0]?.detail).toBe(
      'shop 1.0.0; settings: install "" (set by a person), build "make site" (set by a person), output "site" (package.json)',
    );
  });

  it('are none where nothing is set, and then nothing is said', async () => {
    const { commit, push, check } = checkWorld();
    await push(commit(null, files({ deploy: 'npm run deploy' })));
    expect(await check(1)).toMatchObject({ settings: {}, stages: [{ detail: 'shop 1.0.0' }] });
  });

  it('leave out what is no setting of a package.json, which may be of another tool, and say so', async () => {
    const { commit, push, check } = checkWorld();
    await push(commit(null, files({ deploy: { region: 'eu', branch: 'main', start: 'node .' } })));
    const { settings, stages } = await check(1);
    expect(settings).toEqual({ start: 'node .' });
    expect(stages[0]?.detail).toBe(
      'shop 1.0.0; settings: start "node ." (package.json); "deploy.region" of package.json is not used: there is no ' +
        'such setting; "deploy.branch" of package.json is not used: each branch has a package.json of its own',
    );
  });

  it.each([
    [{ start: 5 }, '"deploy.start" of package.json must be one line of at most 1000 characters; empty: none.'],
    [{ build: null }, '"deploy.build" of package.json must be one line of at most 1000 characters; empty: none.'],
    [
      { output: '/etc' },
      '"deploy.output" of package.json must be a folder of the application, such as dist: relative and without "..".',
    ],
  ])('fail a deploy whose package.json has %j', async (deploy, detail) => {
    const { commit, push, check } = checkWorld();
    await push(commit(null, files({ deploy })));
    expect(await check(1)).toMatchObject({
      status: 'error',
      appName: 'shop',
      error: { code: 'deploy:repohost:no_pkg_json', detail },
    });
  });

  it('of a preview are those of its application', async () => {
    const { commit, push, check, settings, host } = checkWorld();
    await settings.change(shop, { start: 'node .' });
    const head = commit(null, files({}), 'fix');
    host.pullRequest(7, true, head);
    await push(head, { branch: 'fix', pullRequest: { number: 7 } });
    expect(await check(1)).toMatchObject({ appName: 'shop-pr-7', settings: { start: 'node .' } });
  });
});
