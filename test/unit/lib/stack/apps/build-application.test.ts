import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const script = fileURLToPath(new URL('../../../../../lib/stack/apps/build-application.sh', import.meta.url));

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'build-application-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

interface Built {
  readonly code: number;
  readonly lines: readonly string[];
  /** Folder of the unpacked release. */
  readonly release: string;
}

let count = 0;

/** Builds these files with the script, whose addresses are files. */
async function build(files: Record<string, string>, path = '', without: readonly string[] = []): Promise<Built> {
  count += 1;
  const folder = join(home, String(count));
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, 'source/root', name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  await run('tar', ['-czf', join(folder, 'source.tgz'), '-C', join(folder, 'source'), 'root']);
  const address = (name: string) => pathToFileURL(join(folder, name)).href;
  const cache = pathToFileURL(join(home, 'cache.tgz')).href;
  const job = {
    source: address('source.tgz'),
    release: address('release.zip'),
    cacheGet: cache,
    cachePut: cache,
    path,
  };
  await writeFile(join(folder, 'job.json'), JSON.stringify(job));
  await mkdir(join(folder, 'tmp'));
  const env = {
    PATH: without.length > 0 ? await pathWithout(without, folder) : process.env.PATH,
    TMPDIR: join(folder, 'tmp'),
    JOB_URL: address('job.json'),
    SNAPSHOT: 'ann/shop/1',
  };
  const { code, stdout } = await run('sh', [script], { env }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  );
  const release = join(folder, 'release');
  if (code === 0) await run('unzip', ['-q', join(folder, 'release.zip'), '-d', release]);
  return { code, lines: stdout.trimEnd().split('\n'), release };
}

/** Returns a PATH on which some programs are missing. */
async function pathWithout(programs: readonly string[], folder: string): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  for (const directory of [...(process.env.PATH ?? '').split(':')].reverse()) {
    const { stdout } = await run('sh', ['-c', 'ls "$0" 2>/dev/null || true', directory]);
    for (const name of stdout.split('\n').filter((one) => one !== '' && !programs.includes(one))) {
      await rm(join(bin, name), { force: true });
      await symlink(join(directory, name), join(bin, name));
    }
  }
  return bin;
}

const manifest = (fields: object) => JSON.stringify({ name: 'shop', version: '1.0.0', ...fields });
describe('building an application for Lambda', { timeout: 120_000 }, () => {
  it('makes an archive with a program that starts what scripts.start says, wherever it is unpacked', async () => {
    const scripts = {
      build: 'env > seen',
      prestart: 'echo first',
      start: `echo "it's $GREETING" 'and' more`,
    };
    const { code, lines, release } = await build({ 'package.json': manifest({ scripts }) });
    expect([code, lines[0], lines.at(-1)]).toEqual([0, '--- build begins', '--- build ends']);
    const env = { PATH: process.env.PATH, GREETING: 'hello' };
    expect((await run(join(release, 'run.sh'), [], { env, cwd: '/' })).stdout).toBe("first\nit's hello and more\n");
    // The application's own programs do not see the addresses, and nothing stays in the folder for temporary files.
    expect(await readFile(join(release, 'app/seen'), 'utf8')).not.toContain('file:///');
    expect((await run('ls', [join(dirname(release), 'tmp')])).stdout).toBe('');
  });

  it('installs packages from the lockfile, keeps their links, and leaves out what only the build needs', async () => {
    const local = (name: string) => JSON.stringify({ name, version: '1.0.0', bin: { [name]: 'run.js' } });
    const files = {
      'tools/greet/package.json': local('greet'),
      'tools/greet/run.js': '#!/usr/bin/env node\nconsole.log("greet ran");',
      'tools/paint/package.json': local('paint'),
      'tools/paint/run.js': '#!/usr/bin/env node\nrequire("node:fs").writeFileSync("painted", "");',
      'package.json': manifest({
        scripts: { build: 'paint', start: 'greet' },
        dependencies: { greet: 'file:tools/greet' },
        devDependencies: { paint: 'file:tools/paint' },
      }),
    };
    const { code, lines, release } = await build(files, '', ['zip']);
    expect([code, lines.filter((line) => line.startsWith('--- error'))]).toEqual([0, []]);
    expect(await readlink(join(release, 'app/node_modules/greet'))).toBe('../tools/greet');
    expect(await readFile(join(release, 'app/painted'), 'utf8')).toBe('');
    await expect(readlink(join(release, 'app/node_modules/paint'))).rejects.toThrow();
    await chmod(join(release, 'app/tools/greet/run.js'), 0o755);
    expect((await run(join(release, 'run.sh'))).stdout).toBe('greet ran\n');
  });

  it('builds the application in a folder, with the packages of the workspace that it belongs to', async () => {
    const lock = {
      name: 'all',
      lockfileVersion: 3,
      packages: {
        '': { name: 'all', workspaces: ['web'] },
        web: { name: 'web', version: '1.0.0' },
        'node_modules/web': { resolved: 'web', link: true },
      },
    };
    const files = {
      'package.json': JSON.stringify({ name: 'all', private: true, workspaces: ['web'] }),
      'package-lock.json': JSON.stringify(lock),
      'web/package.json': JSON.stringify({ name: 'web', version: '1.0.0', scripts: { start: 'pwd' } }),
    };
    const { code, release } = await build(files, 'web');
    expect(code).toBe(0);
    expect((await run(join(release, 'run.sh'))).stdout.trim()).toMatch(/release\/app\/web$/);
  });

  it.each([
    [
      'npm install exited with code 1.',
      { 'package.json': manifest({ scripts: { preinstall: 'echo no compiler here && exit 1' } }), 'server.js': '' },
      '',
    ],
    [expect.stringMatching(/^There is nothing to start/), { 'package.json': manifest({}) }, ''],
    ['There is no package.json in web.', { 'package.json': manifest({}) }, 'web'],
  ] as [string, Record<string, string>, string][])('says why it fails: %s', async (reason, files, path) => {
    const { code, lines } = await build(files, path);
    expect(code).toBe(1);
    expect(lines.findLast((line) => line.startsWith('--- error: '))?.slice('--- error: '.length)).toEqual(reason);
    expect(lines.at(-1)).toBe('--- build ends');
  });
});
