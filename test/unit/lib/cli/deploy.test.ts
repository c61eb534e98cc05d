import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { server } from '../../../support/api-server.ts';
import { cli } from '../../../support/cli.ts';
import { entry, page } from '../../../support/cli-entries.ts';
import { accepted, cliAt, ok } from '../../../support/cli-service.ts';
import { newFolder } from '../../../support/new-folder.ts';

let folder: string;
let dataDir: string;
beforeEach(() => {
  const root = newFolder('deploy');
  folder = join(root, "my 'folder");
  dataDir = join(root, "data 'folder");
  for (const one of [folder, dataDir]) mkdirSync(one);
});

const identity = {
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@b.c',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@b.c',
};
const env = () => ({
  PATH: process.env.PATH,
  HOME: folder,
  GIT_CONFIG_NOSYSTEM: '1',
  // Without it, git would find a repository that the temporary folder is in, as the checkout's.
  GIT_CEILING_DIRECTORIES: join(folder, '..'),
  DATA_DIR: dataDir,
  ...identity,
});

function git(args: readonly string[], input = ''): string {
  return execFileSync('git', ['-c', 'init.defaultBranch=main', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: env(),
    input,
    stdio: ['pipe', 'pipe', 'pipe'],
  }).trim();
}

/** A service on this machine, of which only the address and the published files are asked for. */
async function onThisMachine(): Promise<void> {
  writeFileSync(join(dataDir, 'url'), await server((_, response) => void response.end()));
  writeFileSync(join(dataDir, 'netrc'), 'machine 127.0.0.1 login demo password pass-canary\n');
  writeFileSync(join(dataDir, 'repositories-url'), 'http://127.0.0.1:4002\n');
}

const run = (args: string) => cli(args, { env: env(), folder });

describe('create', () => {
  it('adds a remote whose login git takes from the data folder, and no password is in the folder', async () => {
    await onThisMachine();
    git(['init', '--quiet']);
    const { code, out } = await run('create shop');
    expect([code, out]).toEqual([
      0,
      'The remote "hooks" of this folder is http://127.0.0.1:4002/demo/shop.git.\nDeploy with: git push hooks main\n',
    ]);
    expect(git(['remote', 'get-url', 'hooks'])).toBe('http://127.0.0.1:4002/demo/shop.git');
    expect(readFileSync(join(folder, '.git/config'), 'utf8')).not.toContain('canary');
    const filled = git(['credential', 'fill'], 'protocol=http\nhost=127.0.0.1:4002\n\n');
    expect(filled).toContain('username=demo\npassword=pass-canary');
  });

  it('asks and tells no other credential helper of the user', async () => {
    await onThisMachine();
    git(['init', '--quiet']);
    git([
      'config',
      '--global',
      'credential.helper',
      `!f() { echo "$1" >> '${join(dataDir, '..', 'told')}'; }; f`.replaceAll("'", '"'),
    ]);
    await run('create shop');
    const request = 'protocol=http\nhost=127.0.0.1:4002\n\n';
    git(['credential', 'approve'], git(['credential', 'fill'], request));
    expect(() => readFileSync(join(dataDir, '..', 'told'))).toThrow();
  });

  it('may be called twice, and does not replace a remote of another address', async () => {
    await onThisMachine();
    git(['init', '--quiet']);
    expect((await run('create shop')).code).toBe(0);
    expect((await run('create shop')).code).toBe(0);
    expect(readFileSync(join(folder, '.git/config'), 'utf8').match(/helper =/g)).toHaveLength(2);
    const { code, err } = await run('create other');
    expect([code, err]).toEqual([1, expect.stringContaining('git remote remove hooks')]);
  });

  it('connects an environment with a remote and an application of its own, and the variables that are asked for', async () => {
    await onThisMachine();
    git(['init', '--quiet']);
    const variables = { '/1/apps/demo/shop/env?values=true': { A: '1', B: 'canary', PREVIEW_VARIABLES: 'A' } };
    const answers: Record<string, unknown> = { '/1/apps/demo/shop-staging/env': { A: null }, ...variables };
    const sent: unknown[] = [];
    const url = await server(async (request, response) => {
      const body = await text(request);
      if (request.method !== 'GET') sent.push([request.method, request.url, JSON.parse(body)]);
      const apps = [{ name: 'shop-staging', app: 'shop-staging', state: 'never' }];
      const env = answers[request.url ?? ''];
      response.end(JSON.stringify(env === undefined ? { apps } : { env }));
    });
    writeFileSync(join(dataDir, 'url'), url);
    const args = 'create shop --environment Staging --variables-of shop';
    const { code, out, err } = await cli(args, { env: env(), folder });
    expect([code, out]).toEqual([
      0,
      'The remote "hooks-staging" of this folder is http://127.0.0.1:4002/demo/shop-staging.git.\nDeploy with: git push hooks-staging HEAD:refs/heads/staging\n',
    ]);
    expect(err).toContain('shop-staging has the variables B of shop:');
    expect(err).not.toContain('canary');
    expect(sent).toEqual([
      ['PATCH', '/1/apps/demo/shop-staging/settings', { environment: 'staging' }],
      ['PATCH', '/1/apps/demo/shop-staging/env?restart=false', { B: 'canary' }],
    ]);
    git(['commit', '--quiet', '--allow-empty', '-m', 'First']);
    git(['branch', 'staging']);
    expect((await cli(args, { env: env(), folder })).out).toContain('git push hooks-staging staging\n');
  });

  it('refuses an environment under another name than that of the package', async () => {
    await onThisMachine();
    git(['init', '--quiet']);
    writeFileSync(join(folder, 'package.json'), '{"name":"@ann/store"}');
    const { code, err } = await run('create shop --environment staging');
    expect([code, err]).toEqual([1, expect.stringContaining('hooks create ann-store.')]);
  });

  it.each([
    ['create ../x', 2, 'The name of a repository'],
    ['create a/b', 2, 'The name of a repository'],
    ['create shop.git', 2, 'The name of a repository'],
    ['create shop', 1, 'git init'],
  ])('"hooks %s" outside of a repository exits with %i', async (args, expected, words) => {
    await onThisMachine();
    const { code, err } = await run(args);
    expect([code, err]).toEqual([expected, expect.stringContaining(words)]);
  });

  it('connects another user of the service on this machine, whom git asks for the password', async () => {
    await onThisMachine();
    git(['init', '--quiet']);
    const ann = { HOOKS_URL: readFileSync(join(dataDir, 'url'), 'utf8'), HOOKS_USER: 'ann', HOOKS_SECRET: 'x' };
    const { code, err } = await cli('create shop', { env: { ...env(), ...ann }, folder });
    expect([code, err]).toEqual([0, expect.stringContaining('git asks for the password of ann')]);
    expect(git(['remote', 'get-url', 'hooks'])).toContain('http://ann@127.0.0.1:4002/ann/shop.git');
  });

  it('says what to do instead for a service elsewhere', async () => {
    const { code, err } = await cliAt('create shop', [], { folder });
    expect([code, err]).toEqual([1, expect.stringContaining('"hooks hook <host> <owner/repository>"')]);
  });
});

describe('create in a folder without a package.json', () => {
  beforeEach(async () => {
    await onThisMachine();
    git(['init', '--quiet']);
  });
  const manifest = () => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const site = () => writeFileSync(join(folder, 'index.html'), '<h1>Hello</h1>');

  it.each(['', 'y'])('offers one for a static site, and writes it after "%s"', async (answer) => {
    site();
    const { code, out } = await cli('create Shop', { env: env(), folder, answers: [answer] });
    expect([code, out]).toEqual([0, expect.stringContaining('git add package.json')]);
    expect(manifest()).toEqual({ name: 'shop' });
  });

  it('writes it without asking with --package-json, in the root of the repository', async () => {
    mkdirSync(join(folder, 'public'));
    writeFileSync(join(folder, 'public/index.html'), '<h1>Hello</h1>');
    await cli('create shop --package-json', { env: env(), folder: join(folder, 'public') });
    expect(manifest()).toEqual({ name: 'shop' });
  });

  it.each([
    ['a no', ['n']],
    ['no terminal', undefined],
  ])('writes nothing after %s, and says what to commit', async (_, answers) => {
    site();
    const { code, err } = await cli('create shop', { env: env(), folder, ...(answers && { answers }) });
    expect([code, err]).toEqual([0, expect.stringContaining('{"name":"shop"}')]);
    expect(manifest).toThrow();
  });

  it('says how another language is started, unless that is said', async () => {
    const advice = `"hooks set shop start='python3 server.py'"`;
    expect((await run('create shop --package-json')).err).toContain(advice);
    expect(manifest()).toEqual({ name: 'shop' });
    rmSync(join(folder, 'package.json'));
    writeFileSync(join(folder, 'Procfile'), 'web: python3 server.py\n');
    expect((await run('create shop --package-json')).err).not.toContain(advice);
  });

  it('changes no package.json that there is', async () => {
    site();
    writeFileSync(join(folder, 'package.json'), '{"name":"mine"}');
    expect((await run('create shop --package-json')).err).toMatch('The application will be called mine');
    expect(manifest()).toEqual({ name: 'mine' });
  });
});

describe('deploy', () => {
  const queued = entry(12, { status: 'queued', provider: 'manual' });
  const live = entry(12, { status: 'ok', provider: 'manual', url: 'http://127.0.0.1:9000' });

  it.each([
    ['deploy shop', 'POST /1/apps/kiwi/shop/deploy'],
    ['deploy shop --ref feature/x', 'POST /1/apps/kiwi/shop/deploy?ref=feature%2Fx'],
  ])('"hooks %s" has the service fetch it from the repository host', async (args, call) => {
    const { code, out, calls } = await cliAt(args, [accepted(queued), ok(live)], { folder });
    expect([code, out, calls[0]]).toEqual([0, '#12 hello is live: http://127.0.0.1:9000\n', call]);
  });

  it('takes a commit by the digits that "hooks status" shows, of the log or else of the folder', async () => {
    const ref = 'c0ffee12';
    const known = await cliAt(`deploy shop --ref ${ref}`, [ok(page([entry(11)])), accepted(queued), ok(live)], {
      folder,
    });
    expect(known.calls.slice(0, 2)).toEqual([
      'GET /1/status/kiwi/webhooks/shop?limit=100&skip=0&include_docs=true',
      `POST /1/apps/kiwi/shop/deploy?ref=${ref.repeat(5)}`,
    ]);
    git(['init', '--quiet']);
    git(['commit', '--quiet', '--allow-empty', '-m', 'First']);
    const sha = git(['rev-parse', 'HEAD']);
    const replies = [ok(page([entry(11)])), accepted(queued), ok(live)];
    const own = await cliAt(`deploy shop --ref ${sha.slice(0, 8)}`, replies, { folder, env: env() });
    expect(own.calls[1]).toBe(`POST /1/apps/kiwi/shop/deploy?ref=${sha}`);
    const unknown = await cliAt('deploy shop --ref 00000000', replies, { folder, env: env() });
    expect(unknown.calls[1]).toBe('POST /1/apps/kiwi/shop/deploy?ref=00000000');
  });

  it('is of the application that the folder is pushed to, without a package.json', async () => {
    git(['init', '--quiet']);
    git(['remote', 'add', 'hooks', 'http://127.0.0.1:4002/kiwi/site.git']);
    const { calls } = await cliAt('redeploy', [accepted(queued), ok(live)], { folder, env: env() });
    expect(calls[0]).toBe('POST /1/apps/kiwi/site/redeploy');
    git(['remote', 'remove', 'hooks']);
    const { code, err } = await cliAt('redeploy', [], { folder, env: env() });
    expect([code, err]).toEqual([2, expect.stringContaining('Which application?')]);
  });

  it('in a folder with a remote of another host means the application of its package.json', async () => {
    git(['init', '--quiet']);
    git(['remote', 'add', 'origin', 'https://github.com/octo/here.git']);
    writeFileSync(join(folder, 'package.json'), '{"name":"here"}');
    const { calls } = await cliAt('deploy', [accepted(queued), ok(live)], { folder, env: env() });
    expect(calls[0]).toBe('POST /1/apps/kiwi/here/deploy');
  });

  it('says what is missing in a folder that cannot be pushed', async () => {
    await onThisMachine();
    git(['init', '--quiet']);
    const { code, err } = await run('deploy');
    expect([code, err]).toEqual([1, expect.stringContaining('There is no commit to deploy yet')]);
    const elsewhere = await cliAt('deploy', [], { folder, env: env() });
    expect([elsewhere.code, elsewhere.err]).toEqual([1, expect.stringContaining('has no repository host')]);
  });
});
