import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NEWEST_LTS } from '../../../lib/builder/tools/node-hint.ts';
import { appOf, ended, type PlatformUnderTest, platform, start, tarball, upload } from '../platform/harness.ts';
import { testFolder } from '../service/place.ts';
import { leftOut, type Starter, starters } from './starters.ts';

/** Kept from run to run with npm's cache and the fetched programs; the applications are removed. */
const dataDir = join(testFolder, 'starters');
const times: string[] = [];

beforeAll(async () => {
  // With the records of their files.
  for (const name of ['apps', 'service.db', 'service.db-shm', 'service.db-wal']) {
    await rm(join(dataDir, name), { recursive: true, force: true });
  }
  await mkdir(dataDir, { recursive: true });
});

afterAll(() => {
  const others = leftOut.length === 0 ? [] : [`left out by STARTERS: ${leftOut.join(', ')}`];
  console.log(['', 'seconds: first deploy, next deploy', ...times, ...others].join('\n'));
});

describe('a starter is built and answers, and again when only its version has changed', () => {
  it.each(starters.map((starter) => [starter.name, starter] as const))('%s', async (name, starter) => {
    const at = await platform({ dataDir, usualNode: NEWEST_LTS });
    const files = { ...starter.files, ...(await lockfileOf(starter)) };
    const first = await deployed(at, starter, { id: '1', files });
    const next = await deployed(at, starter, { id: '2', files: { ...files, 'CHANGES.md': 'second\n' } });
    times.push(`${name.padEnd(18)} ${first.seconds.padStart(6)} ${next.seconds.padStart(6)}  ${next.source}`);
  });
});

interface Version {
  readonly id: string;
  readonly files: Readonly<Record<string, string>>;
}

async function deployed(
  at: PlatformUnderTest,
  { name, path, settings, page = '/', answers }: Starter,
  { id, files }: Version,
) {
  const app = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const bytes = await tarball({ ...files });
  const began = performance.now();
  await at.hosting.ensureApp(appOf(app), {});
  await upload(at, app, id, bytes);
  await at.hosting.activate({ ...appOf(app), snapshot: id }, { path, settings });
  const built = await ended(at, app, id);
  expect(built, built.log.join('\n')).toMatchObject({ state: 'ready' });
  const started = await start(at, app, id);
  expect(await (await fetch(new URL(page, started.url))).text()).toContain(answers);
  return { seconds: ((performance.now() - began) / 1000).toFixed(1), source: String(built.dependencies) };
}

/** Makes the lockfile with the package manager itself, as the author of a repository does. */
async function lockfileOf({ files, lockfile }: Starter): Promise<Record<string, string>> {
  if (!lockfile) return {};
  await mkdir(testFolder, { recursive: true });
  const folder = await mkdtemp(join(testFolder, 'starter-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    // Yarn takes a folder below another project for a part of it, unless it has a lockfile.
    if (lockfile.file === 'yarn.lock') await writeFile(join(folder, 'yarn.lock'), '');
    const env = { ...process.env, npm_config_cache: join(dataDir, 'npm-cache'), YARN_ENABLE_TELEMETRY: '0' };
    const args = ['exec', '--yes', `--package=${lockfile.package}`, '--', ...lockfile.call];
    await promisify(execFile)('npm', args, { cwd: folder, env });
    return { [lockfile.file]: await readFile(join(folder, lockfile.file), 'utf8') };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
