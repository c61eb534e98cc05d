import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { platformCommand } from '../../../../lib/platform/command/options.ts';
import {
  afterwards,
  appFiles,
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
    expect(platformCommand(args, here)).toEqual({
      port: 9000,
      dataDir: here.dataDir,
      serviceToken,
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
    [['--listen', '0.0.0.0:9000'], 'would send the token over the network in clear. Listen on 127.0.0.1:9000'],
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

  it('serves applications, and ends with all of them', async () => {
    const dataDir = await temporaryFolder();
    const address = ['--url', 'https://platform.example.com', '--apps', 'https://apps.example.com'];
    const first = await start(dataDir, ...address);
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

    const second = await start(dataDir);
    expect(await second.exited).toEqual([1, null]);
    expect(second.printed().trimEnd().split('\n')).toHaveLength(1);

    first.child.kill('SIGTERM');
    expect(await first.exited).toEqual([0, null]);
    expect(first.printed()).not.toContain(serviceToken);
    await until('the application has ended', async () => !(await isAlive(pid)));
  });

  it('says in one line why it does not start', async () => {
    const dataDir = join(await temporaryFolder(), 'data');
    await mkdir(dataDir);
    const { exited, printed } = await start(dataDir, '--token-file', join(dataDir, 'nobody'));
    expect(await exited).toEqual([1, null]);
    expect(printed()).toBe(`${join(dataDir, 'nobody')} cannot be read.\n`);
  });
});
