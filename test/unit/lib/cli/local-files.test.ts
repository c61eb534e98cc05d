import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ownDataFolder } from '../../../../lib/cli/service/data-folder.ts';
import { writeLogin } from '../../../../lib/cli/service/stored-login.ts';
import { type CliOptions, cli } from '../../../support/cli.ts';
import { newFolder } from '../../../support/new-folder.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = newFolder('local-files');
});

const run = (args: string, options: CliOptions = {}) => cli(args, { ...options, env: { DATA_DIR: dataDir } });

describe('users', () => {
  it('are listed with the files of their passwords, and never with the passwords', async () => {
    await run('users add ann', { stdin: 'pass-canary\n' });
    const { code, out } = await run('users');
    expect([code, out.split('\n').map((line) => line.split(' ')[0])]).toEqual([0, ['demo', 'ann', '']]);
    expect(out).not.toContain('canary');
    expect(JSON.parse((await run('users list --json')).out.split('\n')[1] ?? '')).toMatchObject({ name: 'ann' });
  });

  it.each([
    ['from standard input', { stdin: 'chosen\n' }, 'chosen\n'],
    ['typed twice', { answers: ['chosen', 'chosen'] }, 'chosen\n'],
    ['made up', { stdin: '' }, expect.stringMatching(/^\S{20,}\n$/)],
  ])('are added with a password that is %s', async (_, options, expected) => {
    const { code, out, err } = await run('users add ann', options);
    const file = join(dataDir, 'passwords/ann');
    expect([code, out]).toEqual([0, `ann is added; the password is in ${file}.\n`]);
    expect(out + err).not.toContain('chosen');
    expect(readFileSync(file, 'utf8')).toEqual(expected);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('get a new password', async () => {
    await run('users add ann', { stdin: 'old' });
    expect((await run('users password ann', { stdin: 'new' })).code).toBe(0);
    expect(readFileSync(join(dataDir, 'passwords/ann'), 'utf8')).toBe('new\n');
  });

  it('are removed once the name is typed, or without a question', async () => {
    await run('users add ann', { stdin: 'p' });
    expect(await run('users remove ann', { answers: ['ben'] })).toMatchObject({ code: 1 });
    expect(await run('users remove ann', { stdin: '' })).toMatchObject({
      code: 2,
      err: expect.stringContaining('--yes'),
    });
    expect(await run('users remove ann', { answers: ['ann'] })).toMatchObject({
      code: 0,
      out: `ann is removed from ${dataDir}.\n`,
    });
    expect((await run('users')).out).not.toContain('ann');
    expect(await run('users remove demo --yes')).toMatchObject({ code: 1, err: expect.stringContaining('cannot be') });
  });

  it('are not changed when the two passwords differ', async () => {
    expect((await run('users add ann', { answers: ['one', 'two'] })).code).toBe(2);
    expect((await run('users')).out).not.toContain('ann');
  });
});

describe('a login at a service elsewhere', () => {
  const elsewhere = { DATA_DIR: '', HOOKS_URL: 'https://deploy.example.com', HOOKS_USER: 'demo', HOOKS_SECRET: 's' };

  it.each([
    'backup x.tgz',
    'restore x.tgz',
    'status --disk',
    'status --free-disk',
    'users',
    'users add ann',
    'users remove ann --yes',
  ])('has "hooks %s" refused, which would work on the folder of this machine', async (args) => {
    const { code, out, err } = await cli(args, { env: elsewhere, stdin: 'p' });
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/here \S+, and hooks calls https:\/\/deploy\.example\.com: .* set DATA_DIR='?\//);
  });

  it('leaves a folder that DATA_DIR names', async () => {
    expect(await ownDataFolder({ ...elsewhere, DATA_DIR: dataDir })).toBe(dataDir);
  });

  it.each([
    ['no login', {}, {}, true],
    ['a stored login', {}, { login: 'https://deploy.example.com' }, false],
    ['the address of the service there', {}, { url: 'http://127.0.0.1:8080', login: 'http://localhost:8080' }, true],
    ['a tunnel', {}, { url: 'http://127.0.0.1:8080', login: 'http://localhost:9000' }, false],
    ['a service that does not run', {}, { login: 'http://localhost:8080' }, true],
    ['the public address', { publicUrl: 'https://deploy.example.com' }, { login: 'https://deploy.example.com' }, true],
  ])('is told from this machine: %s', async (_, config, { url, login }: { url?: string; login?: string }, isHere) => {
    const folder = join(dataDir, '.local');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
    if (url !== undefined) writeFileSync(join(folder, 'url'), `${url}\n`);
    const env = { XDG_CONFIG_HOME: join(dataDir, 'settings') };
    if (login !== undefined) await writeLogin(env, { url: login, user: 'demo', secret: 's' });
    const found = ownDataFolder(env, dataDir);
    await (isHere ? expect(found).resolves.toBe(folder) : expect(found).rejects.toThrow(`hooks calls ${login}`));
  });
});

describe('config', () => {
  it('prints the path, what is set with secrets hidden, every setting and the service that is called', async () => {
    writeFileSync(
      join(dataDir, 'config.json'),
      JSON.stringify({ defaultBranch: 'main', hookSecrets: { demo: { gitlab: ['secret-canary'] } } }),
    );
    const { code, out } = await run('config');
    expect(code).toBe(0);
    expect(out).toContain(join(dataDir, 'config.json'));
    expect(out).toContain('"defaultBranch": "main"');
    for (const name of ['repositoryHosts', 'defaultBranch', 'holdMinutes', 'publicUrl', 'hookSecrets', 'users']) {
      expect(out).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
    }
    expect(out).toContain('The other commands call no service');
    expect(out).not.toContain('canary');
    expect(JSON.parse((await run('config --json --values')).out).hookSecrets.demo.gitlab).toEqual(['secret-canary']);
  });

  it('says so when nothing is set, and when the file cannot be read', async () => {
    expect((await run('config')).out).toContain('(nothing is set)');
    writeFileSync(join(dataDir, 'config.json'), '{');
    const { code, err } = await run('config');
    expect([code, err]).toEqual([1, expect.stringContaining('is not JSON')]);
  });
});
