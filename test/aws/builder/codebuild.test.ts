import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, mkdir, readFile, readlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { App, Stack } from 'aws-cdk-lib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Settings } from '../../../functions/core/apps/settings.ts';
import { freePort } from '../../../lib/http/ports.ts';
import { BUILD_COMMAND, buildAsset } from '../../../lib/stack/apps/build-asset.ts';
import { newFolder } from '../../support/new-folder.ts';
import { type HttpServer, httpServer } from '../../support/service/http-server.ts';

const run = promisify(execFile);

const MB = 1024 * 1024;

let home: string;
let program: string;
let bucket: HttpServer;
beforeAll(async () => {
  home = newFolder('codebuild');
  buildAsset(new Stack(new App({ outdir: home })));
  // Away from the sources, as on AWS.
  program = join(home, 'build-program');
  bucket = await objectsIn(home);
});
afterAll(() => bucket.close());

/** Serves a folder as presigned addresses do: an object is read, or written with its length given. */
function objectsIn(folder: string): Promise<HttpServer> {
  return httpServer((request, response) => {
    const file = join(folder, request.url ?? '');
    const answer = async () => {
      if (request.method === 'GET') return pipeline(createReadStream(file), response);
      if (request.headers['content-length'] === undefined) return void response.writeHead(411).end();
      await pipeline(request, createWriteStream(file));
      response.end();
    };
    return answer().catch(() => response.writeHead(404).end());
  });
}

interface How {
  readonly settings?: Settings;
  readonly clean?: boolean;
}

interface Built {
  readonly code: number;
  readonly lines: readonly string[];
  /** Folder of the unpacked release. */
  readonly release: string;
}

let count = 0;

/** Builds these files with the program. A number is the size of a large file. */
async function build(files: Record<string, string | number>, path = '', how: How = {}): Promise<Built> {
  count += 1;
  const folder = join(home, String(count));
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, 'source/root', name);
    await mkdir(dirname(file), { recursive: true });
    // Zeros alone unpack to more than an archive may.
    await writeFile(file, typeof text === 'string' ? text : randomBytes(4 * MB));
    if (typeof text === 'number') await truncate(file, text);
  }
  await run('tar', ['-czf', join(folder, 'source.tgz'), '-C', join(folder, 'source'), 'root']);
  const { url: origin } = bucket;
  const address = (name: string) => `${origin}/${count}/${name}`;
  const [source, release, cache] = [address('source.tgz'), address('release.zip'), `${origin}/cache.tgz`];
  const app = { app: { user: 'ann', app: 'shop' }, sealingKey: 'key' };
  const cron = address('cron.json');
  const job = { source, release, cron, cacheGet: cache, cachePut: cache, path, settings: {}, ...app, ...how };
  await writeFile(join(folder, 'job.json'), JSON.stringify(job));
  await mkdir(join(folder, 'tmp'));
  const env = { PATH: process.env.PATH, TMPDIR: join(folder, 'tmp'), JOB_URL: address('job.json') };
  const { code, stdout } = await run('sh', ['-c', BUILD_COMMAND], { env, cwd: program }).then(
    (ended) => ({ code: 0, stdout: ended.stdout }),
    (error: { code: number; stdout: string }) => error,
  );
  const unpacked = join(folder, 'release');
  if (code === 0) await run('unzip', ['-q', join(folder, 'release.zip'), '-d', unpacked]);
  return { code, lines: stdout.trimEnd().split('\n'), release: unpacked };
}

/** Runs a release, and returns what it answers. */
async function answerOf(release: string): Promise<string> {
  const port = await freePort();
  const env = { PATH: process.env.PATH, PORT: String(port), HOST: '127.0.0.1' };
  const child = spawn(join(release, 'run.sh'), { env, stdio: 'ignore' });
  try {
    const answer = () => fetch(`http://127.0.0.1:${port}/`).then((response) => response.text());
    return await vi.waitFor(answer, { timeout: 30_000, interval: 50 });
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

const manifest = (fields: object) => JSON.stringify({ name: 'shop', version: '1.0.0', ...fields });
describe('building an application for Lambda', { timeout: 120_000 }, () => {
  it('builds and starts it by its settings, in place of what its files say', async () => {
    const files = {
      'package.json': manifest({
        scripts: { build: 'exit 1', start: 'exit 1' },
        dependencies: { 'not-there': '0.0.0' },
      }),
    };
    const made = 'mkdir site && echo built > site/index.html';
    const site = await build(files, '', {
      settings: { install: 'echo installed', build: made, output: 'site' },
    });
    expect([site.code, site.lines.includes('installed'), await answerOf(site.release)]).toEqual([0, true, 'built\n']);
    const started = await build(files, '', { settings: { install: '', build: '', start: 'echo "it is $GREETING"' } });
    const { stdout } = await run('sh', ['-c', `GREETING=on ${join(started.release, 'run.sh')}`]);
    expect(stdout).toBe('it is on\n');
    const none = await build(files, '', { settings: { install: '', build: '', start: '' } });
    expect([none.code, none.lines.at(-2)]).toEqual([
      1,
      expect.stringContaining('There is nothing to start: the setting "start" is empty.'),
    ]);
  });

  it('reuses what earlier builds have kept of packages, unless it is to be clean', async () => {
    const install =
      'ls $npm_config_cache/_cacache; mkdir -p $npm_config_cache/_cacache && touch $npm_config_cache/_cacache/kept';
    const files = { 'package.json': manifest({}), 'index.html': '' };
    const sees = async (clean: boolean) =>
      (await build(files, '', { settings: { install }, clean })).lines.includes('kept');
    expect([await sees(false), await sees(false), await sees(true)]).toEqual([false, true, false]);
  });

  it('makes an archive with a program that starts what scripts.start says, wherever it is unpacked', async () => {
    const scripts = {
      build: 'env > seen',
      prestart: 'echo first',
      start: `echo "it's $GREETING" 'and' more`,
    };
    const { code, lines, release } = await build({
      'package.json': manifest({ scripts, engines: { node: '>=99' } }),
      Procfile: 'release: echo released > released\nworker: node work.js',
      'app.json': JSON.stringify({ cron: [{ command: 'node clean.js', schedule: '@daily' }] }),
    });
    expect(lines.filter((line) => line.includes('engines') || line.includes('Procfile'))).toEqual([
      '--- note: On AWS Lambda only web and release of the Procfile are run, not worker.',
      `--- note: package.json: engines.node is ">=99"; applications run on Node ${process.version} here.`,
    ]);
    expect([code, lines[0], lines.at(-1)]).toEqual([0, '--- build begins', '--- build ends']);
    const found = { install: '', build: 'npm run build', start: `(echo first) && ${scripts.start}` };
    expect(lines).toContain(`--- found: ${JSON.stringify(found)}`);
    const env = { PATH: process.env.PATH, GREETING: 'hello' };
    expect((await run(join(release, 'run.sh'), [], { env, cwd: '/' })).stdout).toBe("first\nit's hello and more\n");
    expect(await readFile(join(release, 'app/released'), 'utf8')).toBe('released\n');
    // With arguments it runs these, in the same folder and with the same programs.
    expect((await run(join(release, 'run.sh'), ['cat', 'released'], { cwd: '/' })).stdout).toBe('released\n');
    const stored = JSON.parse(await readFile(join(dirname(release), 'cron.json'), 'utf8'));
    expect(stored).toEqual([{ command: 'node clean.js', schedule: '@daily' }]);
    // The application's own programs do not see the addresses, and nothing stays in the folder for temporary files.
    expect(await readFile(join(release, 'app/seen'), 'utf8')).not.toMatch(/http:|JOB_URL/);
    expect((await run('ls', [join(dirname(release), 'tmp')])).stdout).toBe('');
  });

  it('makes every file readable for all, also one that was made for its owner only, by the program itself too', async () => {
    await chmod(join(program, 'static-server.cjs'), 0o600);
    const script =
      'mkdir -p public/parts && echo 1 > public/parts/a && echo 2 > tool && chmod 600 public/parts/a && chmod 700 tool';
    const { code, release } = await build({
      'package.json': manifest({ scripts: { build: script } }),
      'public/index.html': '',
    });
    expect(code).toBe(0);
    const { stdout } = await run('unzip', ['-Z', join(dirname(release), 'release.zip')]);
    const modes = Object.fromEntries(
      stdout.split('\n').flatMap((line) => {
        const [mode = '', ...others] = line.split(/\s+/);
        return /^[-l]/.test(mode) ? [[others.at(-1), mode]] : [];
      }),
    );
    expect(modes).toMatchObject({
      'app/public/parts/a': '-rw-r--r--',
      'app/tool': '-rwxr-xr-x',
      'static-server.cjs': '-rw-r--r--',
      'jobs.cjs': '-rw-r--r--',
      'run.sh': '-rwxr-xr-x',
    });
    expect(Object.values(modes).filter((mode) => !/^-rw.r-.r-.$/.test(String(mode)))).toEqual([]);
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
    const { code, lines, release } = await build(files);
    expect([code, lines.filter((line) => line.startsWith('--- error'))]).toEqual([0, []]);
    expect(await readlink(join(release, 'app/node_modules/greet'))).toBe('../tools/greet');
    expect(await readFile(join(release, 'app/painted'), 'utf8')).toBe('');
    await expect(readlink(join(release, 'app/node_modules/paint'))).rejects.toThrow();
    await chmod(join(release, 'app/tools/greet/run.js'), 0o755);
    // For the next build with the same lockfile.
    expect(existsSync(join(home, 'cache.tgz'))).toBe(true);
    expect((await run(join(release, 'run.sh'))).stdout).toBe('greet ran\n');
  });

  it('builds and starts the application in a folder', async () => {
    const files = { 'package.json': '{}', 'web/package.json': manifest({ scripts: { start: 'pwd' } }) };
    const { code, release } = await build(files, 'web');
    expect([code, (await run(join(release, 'run.sh'))).stdout.trim()]).toEqual([
      0,
      expect.stringMatching(/release\/app\/web$/),
    ]);
  });

  it('refuses a repository that Lambda has no room for before it installs anything', async () => {
    const scripts = { preinstall: 'echo installing', start: 'true' };
    const { code, lines } = await build({ 'package.json': manifest({ scripts }), 'films/one': 250 * MB });
    expect([code, lines]).toEqual([
      1,
      [
        '--- build begins',
        'The largest parts:',
        '250 MB films',
        expect.stringMatching(
          /^--- error: The repository takes 251 MB, and AWS Lambda allows 240 MB beside its adapter: /,
        ),
        '--- build ends',
      ],
    ]);
  });

  it('refuses a build that has become too large, and names what is large in it', async () => {
    const grow = `require('node:fs').truncateSync('node_modules/huge/data', ${250 * MB})`;
    const scripts = { build: 'mkdir -p node_modules/huge && touch node_modules/huge/data && node grow.js' };
    const { code, lines } = await build({ 'package.json': manifest({ scripts }), 'grow.js': grow, 'server.js': '' });
    expect([code, lines.slice(-5)]).toEqual([
      1,
      [
        'The largest parts:',
        '250 MB node_modules',
        '250 MB node_modules/huge',
        expect.stringMatching(/^--- error: The application takes 251 MB, and AWS Lambda allows 240 MB/),
        '--- build ends',
      ],
    ]);
  });

  it('says why it fails', async () => {
    const { code, lines } = await build({ 'package.json': manifest({}) }, 'web');
    expect([code, lines.slice(-2)]).toEqual([
      1,
      ['--- error: There is no folder web of the repository.', '--- build ends'],
    ]);
  });
});
