import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { apiServer } from '../../../support/api-server.ts';
import { type CliOptions, cli } from '../../../support/cli.ts';
import { page } from '../../../support/cli-entries.ts';
import { newFolder } from '../../../support/new-folder.ts';

const ok = { status: 200, body: page([]) };
const wrong = { status: 401, body: { code: 'mw:auth:unauthorized', detail: 'User name and password do not match.' } };
const basic = (user: string, secret: string) => `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;

let folder: string;
let file: string;
beforeEach(() => {
  folder = newFolder('login');
  file = join(folder, 'deployment-webhooks/login.json');
});

const run = (args: string, options: CliOptions = {}) =>
  cli(args, { ...options, env: { DATA_DIR: '', XDG_CONFIG_HOME: folder, ...options.env } });

describe('login', () => {
  it('asks for what it needs, tries it, and stores it for its owner only', async () => {
    const { url, received } = await apiServer(ok);
    const { code, out, err } = await run('login', { answers: [`${url}/`, 'kiwi', 'secret-canary'] });
    expect(code).toBe(0);
    expect(out).toBe(`Logged in to ${url} as kiwi; the login is in ${file}.\n`);
    expect(err).not.toContain('canary');
    expect(received.map((one) => [one.url, one.headers.authorization])).toEqual([
      ['/1/status/kiwi/webhooks?limit=1', basic('kiwi', 'secret-canary')],
    ]);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ url, user: 'kiwi', secret: 'secret-canary' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'deployment-webhooks')).mode & 0o777).toBe(0o700);
  });

  it('takes the secret from standard input when that is no terminal', async () => {
    const { url, received } = await apiServer(ok);
    const { code } = await run(`login --url ${url} --user kiwi`, { stdin: 'piped\n' });
    expect(code).toBe(0);
    expect(received[0]?.headers.authorization).toBe(basic('kiwi', 'piped'));
  });

  it('stores nothing that the service refuses', async () => {
    const { url } = await apiServer(wrong);
    const { code, err } = await run(`login --url ${url} --user kiwi`, { stdin: 'secret-canary' });
    expect(code).toBe(1);
    expect(err).toMatch(/User name and password do not match\..*mw:auth:unauthorized/);
    expect(err).not.toContain('canary');
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ['login --url http://deploy.example.com --user kiwi', 's', 2, 'https://'],
    ['login --url https://a:b@deploy.example.com --user kiwi', 's', 2, 'must not hold a login'],
    ['login --url https://deploy.example.com --user kiwi', '', 1, 'are needed'],
  ])('refuses "%s" with the secret "%s"', async (args, stdin, expected, words) => {
    const { code, err } = await run(args, { stdin });
    expect(code).toBe(expected);
    expect(err).toContain(words);
  });
});

describe('The stored login', () => {
  it('is used by the other commands, until logout', async () => {
    const { url, received } = await apiServer(ok, ok);
    await run(`login --url ${url} --user kiwi`, { stdin: 'stored' });
    expect((await run('status')).code).toBe(0);
    expect(received[1]?.headers.authorization).toBe(basic('kiwi', 'stored'));
    expect((await run('logout')).out).toBe(`The login in ${file} is deleted.\n`);
    expect(existsSync(file)).toBe(false);
    expect((await run('logout')).out).toBe('There was no login.\n');
  });

  it('completes the options for its own service, and is sent to no other', async () => {
    const [own, other] = [await apiServer(ok, ok), await apiServer(ok)];
    await run(`login --url ${own.url} --user kiwi`, { stdin: 'stored' });
    expect((await run(`status --url ${own.url}`)).code).toBe(0);
    const { code, err } = await run(`status --url ${other.url}`);
    expect(code).toBe(2);
    expect(err).toContain('needs a login');
    expect(other.received).toEqual([]);
  });

  it('gives way to the environment, and to a data folder that is named', async () => {
    const [stored, named] = [await apiServer(ok), await apiServer(ok, ok, ok)];
    await run(`login --url ${stored.url} --user kiwi`, { stdin: 'stored' });
    await run('status', { env: { HOOKS_URL: named.url, HOOKS_USER: 'melon', HOOKS_SECRET: 's' } });
    writeFileSync(join(folder, 'url'), named.url);
    writeFileSync(join(folder, 'netrc'), 'machine 127.0.0.1 login demo password local\n');
    await run('status', { env: { DATA_DIR: folder } });
    expect(stored.received).toHaveLength(1);
    expect(named.received.map(({ headers }) => headers.authorization)).toEqual([
      basic('melon', 's'),
      undefined,
      basic('demo', 'local'),
    ]);
  });

  it('that cannot be read is a sentence', async () => {
    await run(`login --url ${(await apiServer(ok)).url} --user kiwi`, { stdin: 'stored' });
    writeFileSync(file, '{');
    const { code, err } = await run('status');
    expect(code).toBe(1);
    expect(err).toContain(`${file} cannot be read: log in again with "hooks login".`);
  });
});

// Another user of the machine can be made by root only, and what listens is read from /proc.
describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('a service of another user', () => {
  const NOBODY = 65_534;
  /** Listens as another user, and answers without a login as the service does, or as another program. */
  async function listening(uid: number, realm: string): Promise<string> {
    const program = `const server = require('node:http').createServer((q, s) => {
      s.writeHead(401, { 'www-authenticate': 'Basic realm="${realm}", charset="UTF-8"' }).end();
    }).listen(0, '127.0.0.1', () => console.log(server.address().port));`;
    const child = spawn(process.execPath, ['-e', program], {
      uid,
      gid: uid,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void child.kill());
    return String((await once(child.stdout, 'data'))[0]).trim();
  }

  it('is named, with both ways to it', async () => {
    const PORT = await listening(NOBODY, 'deployment-webhooks');
    const { code, err } = await run('status', { env: { PORT } });
    const login = `"hooks login --url http://127.0.0.1:${PORT}"`;
    const sentence = `A service runs on this machine as another user (nobody): run "sudo -u nobody hooks …", or ${login}.`;
    expect([code, err]).toEqual([1, expect.stringContaining(sentence)]);
  });

  it.each([
    ['is another program', NOBODY, 'router'],
    ['is of this user, who can read no data folder of it', 0, 'deployment-webhooks'],
  ])('is none where what listens %s', async (_, uid, realm) => {
    const PORT = await listening(uid, realm);
    expect((await run('status', { env: { PORT } })).err).toContain(
      'No service runs on this machine, and there is no login',
    );
  });

  it('is none where nothing listens, and does not matter where a data folder is named', async () => {
    expect((await run('status', { env: { PORT: '9' } })).err).toContain('No service runs on this machine');
    const PORT = await listening(NOBODY, 'deployment-webhooks');
    expect((await run('status', { env: { PORT, DATA_DIR: folder } })).err).toContain(`No service runs in ${folder}`);
  });
});
