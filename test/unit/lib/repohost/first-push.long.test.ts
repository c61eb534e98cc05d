import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DeployError } from '../../../../functions/core/errors.ts';
import { git } from '../../../support/repohost-fixture.ts';
import { repoHostWorld } from '../../../support/worlds/repohost-world.ts';

const passwords = new Map([
  ['ada', 'ada-password'],
  ['eve', 'eve-password'],
]);

let down = false;
let throttled = false;

const world = repoHostWorld(
  async ({ copy, start }) => {
    await start({
      verify: async (user, secret) => {
        if (down) throw new Error('The platform is down.');
        if (throttled) throw new DeployError('request:throttled', 'Wait.', { retryAfter: 7 });
        return passwords.get(user) === secret;
      },
    });
    await copy.commit('first', { 'package.json': '{"name":"x"}' });
  },
  { once: true },
);
const url = (login: string, name: string, owner = 'ada') =>
  world.host.cloneUrl(owner, name).replace('//', login === '' ? '//' : `//${login}@`);
const ada = 'ada:ada-password';
const failed = async (pushing: Promise<unknown>): Promise<string> =>
  pushing.then(
    () => 'it succeeded',
    (error) => error.stderr,
  );
const repositories = (owner = 'ada') => {
  const path = join(world.folder, 'data', 'repositories', owner);
  return existsSync(path) ? readdirSync(path) : [];
};

describe('The first push to a repository', () => {
  it('The first push creates the repository, and its branch becomes the default branch', async () => {
    await world.copy.git('branch', '--force', 'trunk');
    const { stderr } = await world.copy.git('push', url(ada, 'mine'), 'trunk');
    expect(stderr).toContain('remote: deploy trunk');
    const trunk = { ref: 'refs/heads/trunk', defaultBranch: 'trunk' };
    expect(world.service.pushes.at(-1)).toMatchObject({ owner: 'ada', name: 'mine', ...trunk });
    await git(['clone', '--quiet', url('', 'mine'), join(world.folder, 'clone')]);
    expect(readdirSync(join(world.folder, 'clone'))).toContain('package.json');
  });

  it('A push of several branches at once makes main the default branch, whatever their order', async () => {
    await world.copy.git('branch', '--force', 'a-side-branch');
    await world.copy.git('push', url(ada, 'several'), 'a-side-branch', 'main');
    const refs = world.service.pushes.slice(-2).map(({ ref, defaultBranch }) => [ref, defaultBranch]);
    expect(refs).toEqual(['refs/heads/main', 'refs/heads/a-side-branch'].map((ref) => [ref, 'main']));
  });

  it('The address of a repository works without .git, as on GitHub', async () => {
    await world.copy.git('push', url(ada, 'short').replace(/\.git$/, ''), 'main');
    expect(repositories()).toContain('short.git');
  });

  it('A clone or fetch of a missing repository says that it is not found, and creates nothing', async () => {
    expect(await failed(git(['clone', url(ada, 'missing'), join(world.folder, 'no')]))).toMatch(/not found/i);
    expect(await failed(world.copy.git('fetch', url(ada, 'missing')))).toMatch(/not found/i);
    expect(repositories()).not.toContain('missing.git');
  });

  it.each([
    ['without a login', '', /could not read Username|terminal prompts disabled/],
    ['with a wrong password', 'ada:wrong', /Authentication failed/],
    ['by another user', 'eve:eve-password', /remote: This belongs to ada, and you are logged in as eve\./],
  ])('A first push %s is refused and leaves nothing behind', async (_, login, said) => {
    expect(await failed(world.copy.git('push', url(login, 'refused'), 'main'))).toMatch(said);
    expect(repositories()).not.toContain('refused.git');
    expect(repositories().filter((name) => name.endsWith('.next'))).toEqual([]);
  });

  it('A push that sends nothing leaves no empty repository behind', async () => {
    expect(await failed(world.copy.git('push', url(ada, 'nothing'), 'no-such-branch'))).toMatch(/src refspec/);
    expect(repositories()).not.toContain('nothing.git');
  });

  it('A name that no repository can have is refused in words', async () => {
    expect(await failed(world.copy.git('push', url(ada, 'my%20app'), 'main'))).toContain(
      'remote: A repository is named by',
    );
    expect(repositories()).not.toContain('my app.git');
  });

  it('A login that cannot be verified is no wrong login: git says to try again', async () => {
    down = true;
    expect(await failed(world.copy.git('push', url(ada, 'later'), 'main'))).toMatch(/remote: .*cannot be verified now/);
    down = false;
    await world.copy.git('push', url(ada, 'later'), 'main');
  });

  it('Too many wrong passwords are no failure of the host: 429 with the seconds to wait', async () => {
    throttled = true;
    const headers = { authorization: `Basic ${btoa('ada:guess')}` };
    const answer = await fetch(`${world.host.url}/ada/mine`, { headers });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '7']);
    const pushed = await failed(world.copy.git('push', url('ada:guess', 'mine'), 'main'));
    throttled = false;
    expect(pushed).toContain('remote: Too many wrong passwords');
  });

  it('Two first pushes at once make one repository', async () => {
    const branches = ['one', 'two'];
    for (const branch of branches) await world.copy.git('branch', '--force', branch);
    await Promise.all(branches.map((branch) => world.copy.git('push', url(ada, 'twice'), branch)));
    const { stdout } = await git(['ls-remote', '--heads', url('', 'twice')]);
    expect(stdout.trim().split('\n')).toHaveLength(2);
    expect(repositories().filter((name) => name.startsWith('twice'))).toEqual(['twice.git']);
  });

  it('Each user pushes below the own name', async () => {
    await world.copy.git('push', url('eve:eve-password', 'hers', 'eve'), 'main');
    expect(world.service.pushes.at(-1)).toMatchObject({ owner: 'eve', name: 'hers' });
  });
});
