import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { server } from '../../../support/api-server.ts';
import { changesServer, open, row } from '../../../support/changes-server.ts';
import { page } from '../../../support/cli-entries.ts';
import { newFolder } from '../../../support/new-folder.ts';

const project = fileURLToPath(new URL('../../../..', import.meta.url));
const loginAt = (url: string) => ({ HOOKS_URL: url, HOOKS_USER: 'kiwi', HOOKS_SECRET: 'secret-canary' });

let folder: string;
beforeEach(() => {
  folder = newFolder('hooks');
});

function start(command: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = project) {
  const [program = '', ...args] = command;
  const { PATH, TMPDIR } = process.env;
  return spawn(program, args, { cwd, env: { PATH, TMPDIR, HOME: folder, DATA_DIR: folder, ...env } });
}

const hooks = (...args: string[]) => [process.execPath, join(project, 'bin/run.mjs'), 'hooks', ...args];

async function ended(child: ReturnType<typeof start>) {
  const code = new Promise((resolve) => child.on('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out, err };
}

describe('The program', () => {
  it('exits with 0 on Ctrl-C while it watches', async () => {
    const { url } = await changesServer([open(row(1))]);
    const child = start(hooks('watch', '--since', '0', '--json'), loginAt(url));
    child.stdout.once('data', () => child.kill('SIGINT'));
    expect(await ended(child)).toEqual({ code: 0, out: row(1), err: '' });
  });

  it('exits with 130 on Ctrl-C while it waits for an answer, without a stack trace', async () => {
    const url = await server(() => void child.kill('SIGINT'));
    const child = start(hooks('status'), loginAt(url));
    expect(await ended(child)).toEqual({ code: 130, out: '', err: '' });
  });

  it('ends without a word when nobody reads its output any more', async () => {
    const { url } = await changesServer([open(...Array.from({ length: 2000 }, (_, at) => row(at + 1)))]);
    const command = hooks('watch', '--since', '0', '--json')
      .map((word) => `'${word}'`)
      .join(' ');
    const shell = start(['bash', '-c', `${command} | head -1; echo "\${PIPESTATUS[0]}"`], loginAt(url));
    expect(await ended(shell)).toEqual({ code: 0, out: `${row(1)}0\n`, err: '' });
  });

  it.each([
    [1, ['watch'], /No service runs/],
    [2, ['--unknown'], /Usage/],
  ])('exits with %i for the arguments %j', async (expected, args, words) => {
    const { code, out, err } = await ended(start(hooks(...args)));
    expect([code, out]).toEqual([expected, '']);
    expect(err).toMatch(words);
    expect(err).not.toMatch(/^ +at /m);
  });
});

/** The files that are needed before anything is installed. */
const CHECKED_OUT = [
  'bin/hooks.mjs',
  'bin/install.mjs',
  'bin/run.mjs',
  'lib/bundle/bundle.mjs',
  'package-lock.json',
  'package.json',
];

describe('The command of the package', () => {
  /** A checkout whose packages are installed by an npm that only copies them. */
  function checkout(): string {
    const root = join(folder, 'checkout');
    for (const path of CHECKED_OUT) {
      cpSync(join(project, path), join(root, path));
    }
    writeFileSync(
      join(root, 'bin/hooks.ts'),
      'const args: string[] = process.argv.slice(2); console.log(args.join());\n',
    );
    const npm = join(folder, 'bin/npm');
    mkdirSync(join(folder, 'bin'));
    writeFileSync(
      npm,
      `#!/bin/sh\necho "$@" >> '${folder}/npm-calls'\nmkdir -p node_modules\nfor one in esbuild @esbuild; do
  if [ -e '${project}/node_modules/'$one ]; then ln -s '${project}/node_modules/'$one node_modules/$one; fi\ndone\necho 'added 1 package'\n`,
    );
    chmodSync(npm, 0o755);
    return root;
  }

  it('installs what is missing once, says so on standard error, and then runs', async () => {
    const root = checkout();
    const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
    const run = () => ended(start([process.execPath, join(root, 'bin/hooks.mjs'), 'apps', '--json'], env, folder));
    expect(await run()).toMatchObject({ code: 0, out: 'apps,--json\n', err: expect.stringContaining('Installing') });
    expect(existsSync(join(root, 'node_modules/.installed-lockfile'))).toBe(true);
    expect(await run()).toEqual({ code: 0, out: 'apps,--json\n', err: '' });
    expect(readFileSync(join(folder, 'npm-calls'), 'utf8')).toMatch(/^ci [^\n]*\n$/);
  });
});

describe('A login that is asked for', () => {
  it('is typed without an echo of the secret', async () => {
    const url = await server((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page([])));
    });
    const command = hooks('login', '--url', url, '--user', 'kiwi')
      .map((word) => `'${word}'`)
      .join(' ');
    // `script` is the terminal.
    const child = start(['script', '-qec', command, '/dev/null'], { DATA_DIR: '', TERM: 'xterm' });
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes('not shown')) child.stdin.write('secret-canary\r');
    });
    const { code, out } = await ended(child);
    expect(out).toContain(`Logged in to ${url} as kiwi`);
    expect(out).not.toContain('canary');
    expect(code).toBe(0);
  });
});
