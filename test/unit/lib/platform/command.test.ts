import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { platformCommand } from '../../../../lib/platform/command/options.ts';
import { takeUsers } from '../../../../lib/platform/command/run.ts';
import {
  afterwards,
  appFiles,
  basic,
  call,
  deploy,
  isAlive,
  login,
  serviceToken,
  temporaryFolder,
  until,
} from '../../../support/platform/harness.ts';

const program = fileURLToPath(new URL('../../../../bin/run.mjs', import.meta.url));

async function privateFile(text: string): Promise<string> {
  const file = join(await temporaryFolder(), 'secret');
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

describe('the options of the platform as a program', () => {
  const at = async (env = {}) => {
    const folder = await temporaryFolder();
    return { env: { PLATFORM_TOKEN: serviceToken, ...env }, folder, dataDir: join(folder, 'data') };
  };

  it('say where it listens, where it is reached, and where applications are', async () => {
    const args = [
      '--listen',
      '127.0.0.1:9000',
      '--url',
      'https://platform.example.com',
      '--apps',
      'https://apps.example.com',
    ];
    const here = await at();
    expect(platformCommand([...args, '--users', 'users.txt'], here)).toEqual({
      port: 9000,
      dataDir: here.dataDir,
      serviceToken,
      usersFile: join(here.folder, 'users.txt'),
      ownHost: 'platform.example.com',
      publicDomain: { domain: 'apps.example.com', protocol: 'https:', port: '' },
    });
  });

  it('take the token from a file that only its owner may read', async () => {
    const file = await privateFile(`${serviceToken}\n`);
    const args = ['--listen', 'localhost:1', '--token-file', file];
    expect(platformCommand(args, await at({ PLATFORM_TOKEN: undefined }))).toMatchObject({ serviceToken });
    await chmod(file, 0o644);
    const here = await at();
    expect(() => platformCommand(args, here)).toThrow(`Others may read ${file}`);
  });

  it.each([
    [[], '--listen takes <host:port>'],
    [['--listen', '9000'], '--listen takes <host:port>'],
    [['--listen', '127.0.0.1:70000'], '--listen takes <host:port>'],
    [['--listen', '0.0.0.0:9000'], 'would send passwords over the network in clear. Listen on 127.0.0.1:9000'],
    [['--listen', '127.0.0.1:1', '--url', 'http://platform.example.com'], '--url takes an https address'],
    [['--listen', '127.0.0.1:1', '--apps', 'apps.example.com'], '--apps takes an https address'],
    [['--listen', '127.0.0.1:1', '--port', '1'], 'Unknown option \'--port\'. "npm run platform -- --help"'],
    [['--listen', '127.0.0.1:1', '--processes', 'many'], '--processes takes a number of 16 or more.'],
    [['--listen', '127.0.0.1:1', '--processes', '15'], '--processes takes a number of 16 or more.'],
    [['--listen', '127.0.0.1:1', '--token-file', 'nowhere'], 'nowhere cannot be read.'],
  ])('%j are refused in one sentence', async (args, sentence) => {
    const here = await at();
    expect(() => platformCommand(args, here)).toThrow(sentence);
  });

  it('say how many processes applications may have', async () => {
    const args = ['--listen', '127.0.0.1:1', '--processes', '64'];
    expect(platformCommand(args, await at())).toMatchObject({ processLimits: { '*': 64 } });
  });

  it('need a token, and are explained', async () => {
    const here = await at({ PLATFORM_TOKEN: '' });
    expect(() => platformCommand(['--listen', '127.0.0.1:1'], here)).toThrow('PLATFORM_TOKEN or --token-file');
    expect(platformCommand(['--help'], here)).toBeNull();
  });
});

describe('the file of the users', () => {
  it('names all of them; an unreadable line changes nothing and is named without what it says', async () => {
    const platform = { ensureUser: vi.fn(async () => {}), keepUsers: vi.fn(async () => {}) };
    const file = await privateFile('# users\n\nann:a:b c\r\nbob:secret\n');
    expect(await takeUsers(file, platform)).toBe(2);
    expect(platform.ensureUser.mock.calls).toEqual([
      [{ user: 'ann', password: 'a:b c' }],
      [{ user: 'bob', password: 'secret' }],
    ]);
    expect(platform.keepUsers).toHaveBeenCalledWith(['ann', 'bob']);
    await writeFile(file, 'ann:new\ncanary\n');
    await expect(takeUsers(file, platform)).rejects.toThrow(`${file}:2 is not <user>:<password>.`);
    expect(platform.keepUsers).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['', ' has no user: the users stay as they are.'],
    ['# ann:secret\n', ' has no user: the users stay as they are.'],
    ['ann:secret\n../bob:secret\n', ':2: A user name has 1 to 64 letters'],
    [`ann:secret\nbob:${'x'.repeat(1025)}\n`, ':2: A password has 1 to 1024 characters'],
    ['ann:secret\nbob:secret\nann:other\n', ' has the user ann twice.'],
  ])('%j changes nothing', async (content, sentence) => {
    const platform = { ensureUser: vi.fn(async () => {}), keepUsers: vi.fn(async () => {}) };
    const file = await privateFile(content);
    await expect(takeUsers(file, platform)).rejects.toThrow(`${file}${sentence}`);
    expect(platform.ensureUser).not.toHaveBeenCalled();
    expect(platform.keepUsers).not.toHaveBeenCalled();
  });
});

/** Asks an application by its name, as the proxy in front would. */
async function pidBehind(url: string, host: string): Promise<number> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers: { host }, agent: false }, resolve).on('error', reject);
  });
  return Number(await text(response));
}

describe('the program', () => {
  async function start(dataDir: string, ...args: string[]) {
    const child: ChildProcess = spawn(
      process.execPath,
      [program, 'platform', '--listen', '127.0.0.1:0', '--data', dataDir, ...args],
      { env: { ...process.env, PLATFORM_TOKEN: serviceToken }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const exited = once(child, 'exit');
    afterwards(async () => {
      child.kill('SIGKILL');
      await exited;
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (printed += chunk));
    return {
      child,
      exited,
      printed: () => printed,
      url: async () => {
        await until('it answers', async () => /answers at \S+;/.test(printed), 60_000);
        const url = /answers at (\S+);/.exec(printed)?.[1] ?? '';
        return { url };
      },
    };
  }

  it('serves its users, reads them again, and ends with all applications', async () => {
    const dataDir = await temporaryFolder();
    const users = await privateFile(`${login.user}:${login.password}\nbob:secret of bob\n`);
    const address = ['--url', 'https://platform.example.com', '--apps', 'https://apps.example.com'];
    const first = await start(dataDir, '--users', users, ...address);
    const at = await first.url();
    const server = `require('node:http').createServer((q, s) => s.end(String(process.pid))).listen(process.env.PORT, process.env.HOST)`;
    const { body } = await deploy(at, 'hello', '1', appFiles('hello', server));
    expect(body.url).toBe(`https://hello.${login.user}.apps.example.com`);
    const pid = await pidBehind(at.url, `hello.${login.user}.apps.example.com`);
    expect(await isAlive(pid)).toBe(true);

    const ask = async (domain: string) => (await fetch(`${at.url}/ask?domain=${domain}`)).status;
    expect(
      await Promise.all(
        ['platform.example.com', `hello.${login.user}.apps.example.com`, 'x.y.apps.example.com'].map(ask),
      ),
    ).toEqual([200, 200, 404]);

    const second = await start(dataDir, '--users', users);
    expect(await second.exited).toEqual([1, null]);
    expect(second.printed().trimEnd().split('\n')).toHaveLength(1);

    await writeFile(users, `${login.user}:${login.password}\n`);
    first.child.kill('SIGHUP');
    const bob = { authorization: basic('bob', 'secret of bob') };
    await until('bob is gone', async () => (await call(at, 'GET', '/auth', undefined, bob)).status === 401);

    first.child.kill('SIGTERM');
    expect(await first.exited).toEqual([0, null]);
    expect(first.printed()).not.toContain(login.password);
    expect(first.printed()).not.toContain(serviceToken);
    await until('the application has ended', async () => !(await isAlive(pid)));
  });

  it('says in one line why it does not start', async () => {
    const dataDir = join(await temporaryFolder(), 'data');
    await mkdir(dataDir);
    const { exited, printed } = await start(dataDir, '--users', join(dataDir, 'nobody'));
    expect(await exited).toEqual([1, null]);
    expect(printed()).toBe(`${join(dataDir, 'nobody')} cannot be read.\n`);
  });
});
