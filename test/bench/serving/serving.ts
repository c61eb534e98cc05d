import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { application, entryAddress, type GitFolder, gitFolder } from '../../support/service/git-folder.ts';
import { testFolder } from '../../support/service/place.ts';
import { signalIfThere } from '../../support/service/processes.ts';
import { startChild } from '../child.ts';
import type { BenchRow } from '../row.ts';
import { median, milliseconds, ratioOf } from '../statistics.ts';
import { byPush, type Deploy, finalEntry, plain, type Service, type Version } from './by-push.ts';

const ROUNDS = 5;

/**
 * Measures the time from a push's delivery to the first response of the new version, compared to shell commands that
 * deploy by hand with the same npm cache. The shell already has the commit, so `git push` has a row of its own.
 */
export async function run(): Promise<readonly BenchRow[]> {
  const folder = join(testFolder, 'bench-serving');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const cache = join(folder, 'data', 'platform', 'user-caches', 'demo', 'npm');
  const service = await startChild<Service>('service.ts', [join(folder, 'data')]);
  const tree = gitFolder(service.ready.repository);
  try {
    const lockfile = await lockfileOf(join(folder, 'lock'), cache);
    const shell = (version: Version) => byHand(tree, version, join(folder, 'shell'), cache);
    await shell(express('warm-up', lockfile, '0'));
    const rows = await plainRows(service.ready, tree, shell);
    const first = await compare(service.ready, tree, shell, (round) => express(`first ${round}`, lockfile, `${round}`));
    rows.push(row('push to serving, Express, first push', first, '≤ 1.3 × the shell', 1.3));
    const again = await compare(service.ready, tree, shell, (round) => express(`again ${round}`, lockfile, 'same'), 1);
    rows.push(row('push to serving, Express, same lockfile', again, '≤ 0.5 × the shell', 0.5));
    rows.push(await swapRow(service.ready, tree));
    return rows;
  } finally {
    tree.remove();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Shell = (version: Version) => Promise<number>;
type Pairs = readonly Pair[];
interface Pair extends Deploy {
  readonly base: number;
}
async function plainRows(service: Service, tree: GitFolder, shell: Shell): Promise<BenchRow[]> {
  const pairs = await compare(service, tree, shell, plain);
  const whole = median(pairs.map((pair) => pair.whole));
  return [
    row('push to serving, without dependencies', pairs, '≤ 1.3 × the shell', 1.3),
    {
      figure: 'the same from the call of git push',
      value: milliseconds(whole),
      baseline: milliseconds(median(pairs.map((pair) => pair.base))),
      target: 'for information',
      reached: true,
    },
  ];
}

/** Measures both in turn; the first `skipped` rounds only warm up. */
async function compare(
  service: Service,
  tree: GitFolder,
  shell: Shell,
  version: (round: number) => Version,
  skipped = 0,
): Promise<Pairs> {
  const pairs: Pair[] = [];
  for (let round = 0; round < ROUNDS + skipped; round += 1) {
    const base = await shell(version(round));
    const deploy = await byPush(service, tree, version(round));
    if (round >= skipped) pairs.push({ ...deploy, base });
  }
  return pairs;
}

function row(figure: string, pairs: Pairs, target: string, most: number): BenchRow {
  const own = median(pairs.map((pair) => pair.own));
  const base = median(pairs.map((pair) => pair.base));
  const ratio = ratioOf(own, base);
  return { figure, value: milliseconds(own), baseline: milliseconds(base), ratio, target, reached: ratio <= most };
}

/** Deploys by shell commands: archives the commit, installs, starts, and waits for a response. */
async function byHand(tree: GitFolder, { files, text }: Version, folder: string, cache: string): Promise<number> {
  tree.commit(files);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const start = performance.now();
  const install = files['package-lock.json']
    ? 'npm ci --omit=dev --no-audit --no-fund --prefer-offline --silent'
    : 'true';
  const script = `git archive HEAD | tar x -C '${folder}' && cd '${folder}' && ${install} && exec node server.js`;
  const child = spawn('sh', ['-c', script], {
    cwd: tree.folder,
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, HOME: folder, PORT: String(port), HOST: '127.0.0.1', npm_config_cache: cache },
  });
  try {
    await answers(`http://127.0.0.1:${port}`, text);
    return performance.now() - start;
  } finally {
    if (child.pid) signalIfThere(-child.pid, 'SIGKILL');
  }
}

async function answers(url: string, text: string): Promise<void> {
  for (;;) {
    const said = await fetch(url)
      .then((answer) => answer.text())
      .catch(() => '');
    if (said === text) return;
    await setTimeout(5);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

/** Creates the lockfile of an application that needs Express, once; this also fills npm's cache. */
async function lockfileOf(folder: string, cache: string): Promise<Record<string, unknown>> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest('0')));
  const env = { PATH: process.env.PATH, HOME: folder, npm_config_cache: cache };
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--silent'], { cwd: folder, env });
  return JSON.parse(execFileSync('cat', [join(folder, 'package-lock.json')], { encoding: 'utf8' }));
}

function manifest(key: string) {
  const dependencies = { express: '4.21.2' };
  return { name: `express-${key}`, version: '1.0.0', dependencies };
}

/** `key` makes the application unique, so that no earlier installation can be reused. */
function express(text: string, lockfile: Record<string, unknown>, key: string): Version {
  const own = manifest(key);
  return {
    text,
    files: {
      'package.json': JSON.stringify({ ...own, scripts: { start: 'node server.js' } }),
      'package-lock.json': JSON.stringify({ ...lockfile, version: own.version, name: own.name }),
      'server.js': `const app = require('express')();\napp.get('/', (_, answer) => answer.send(${JSON.stringify(text)}));\napp.listen(process.env.PORT, process.env.HOST);\n`,
    },
  };
}

/** Sends a request every 5 ms while a push replaces the application. */
async function swapRow(service: Service, tree: GitFolder): Promise<BenchRow> {
  tree.commit(application('plain', 'before'));
  const { doc } = await finalEntry(service, entryAddress(await tree.push()));
  let swapping = true;
  const seen: string[] = [];
  const requests = (async () => {
    while (swapping) {
      const said = await fetch(doc.url)
        .then(async (answer) => `${answer.status} ${await answer.text()}`)
        .catch((error: unknown) => String(error));
      seen.push(said);
      await setTimeout(5);
    }
  })();
  await byPush(service, tree, { files: application('plain', 'after'), text: 'after' });
  await setTimeout(200);
  swapping = false;
  await requests;
  const bad = seen.filter((said) => said !== '200 before' && said !== '200 after').length;
  return {
    figure: `swap under load, ${seen.length} requests, failed`,
    value: String(bad),
    baseline: '0',
    target: 'no failed request',
    reached: bad === 0 && seen.includes('200 after'),
  };
}
