import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installPlan } from '../../../../lib/builder/install-plan.ts';
import { readProject } from '../../../../lib/builder/project.ts';
import { mayUseDevelopment, processLines, usedDevelopment } from '../../../../lib/builder/start/development.ts';
import { temporaryFolder } from '../../../support/platform/harness.ts';

const devDependencies = { tsx: '1', typescript: '1', concurrently: '1', '@nestjs/cli': '1', 'ts-node': '1' };
const scripts = {
  build: 'tsc',
  'serve:api': 'nest start',
  loop: 'npm run loop',
  prepared: 'node a.js',
  preprepared: 'tsc',
};

async function usedBy(start: string): Promise<{ before: boolean; after: string | undefined }> {
  const folder = await temporaryFolder();
  for (const [name, bin] of [
    ['tsx', './cli.js'],
    ['concurrently', { concurrently: 'a.js', conc: 'a.js' }],
    ['typescript', { tsc: 'a.js' }],
    ['@nestjs/cli', { nest: 'a.js' }],
  ] as const) {
    await mkdir(join(folder, 'node_modules', name), { recursive: true });
    await writeFile(join(folder, 'node_modules', name, 'package.json'), JSON.stringify({ bin }));
  }
  const manifest = { scripts: { ...scripts, start }, dependencies: { next: '1' }, devDependencies };
  const lines = await processLines(folder, manifest, {});
  return { before: mayUseDevelopment(lines, manifest), after: await usedDevelopment(lines, folder, manifest) };
}

describe('development dependencies stay for a start', () => {
  it.each([
    ['tsx server.ts', 'tsx'],
    ['NODE_ENV=production npx tsx server.ts', 'tsx'],
    ['npx --yes tsx@4 server.ts', 'tsx'],
    ['node --import=tsx server.ts', 'tsx'],
    ['node -r ts-node/register server.ts', 'ts-node'],
    ['./node_modules/.bin/tsx server.ts', 'tsx'],
    ['cross-env A=1 conc "node a.js" "node b.js"', 'concurrently'],
    ['cd dist && (tsc -p . ; node a.js)', 'typescript'],
    ['echo a | tsc', 'typescript'],
    ['npm run build && node a.js', 'typescript'],
    ['yarn build && node a.js', 'typescript'],
    ['pnpm prepared', 'typescript'],
    ["run-p 'serve:*'", '@nestjs/cli'],
    ['npm run loop; npm run serve:api', '@nestjs/cli'],
  ])('such as "%s"', async (start, name) => {
    expect(await usedBy(start)).toEqual({ before: true, after: name });
  });

  it.each([
    'node server.js',
    'next start -p 80',
    'PORT=3000 node dist/main',
    'sh start.sh',
    'npm run loop',
    './bin/www',
  ])('not for "%s"', async (start) => expect(await usedBy(start)).toEqual({ before: false, after: undefined }));
});

it('development dependencies are used by a Procfile, cron, and the setting "start"', async () => {
  const manifest = { devDependencies, scripts: { start: 'node a.js' } };
  const folder = await temporaryFolder();
  const isUsed = async (settings = {}) => mayUseDevelopment(await processLines(folder, manifest, settings), manifest);
  expect([await isUsed(), await isUsed({ start: 'tsx a.ts' })]).toEqual([false, true]);
  await writeFile(join(folder, 'Procfile'), 'web: node a.js\nrelease: tsx migrate.ts\n');
  expect(await isUsed()).toBe(true);
  await writeFile(join(folder, 'Procfile'), 'web: node a.js\n');
  await writeFile(join(folder, 'app.json'), '{"cron":[{"command":"npx tsx a.ts","schedule":"@daily"}]}');
  expect(await isUsed()).toBe(true);
});

describe('an installation', () => {
  async function planOf(variables: Readonly<Record<string, string>>, keepsDevelopment = false) {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'package.json'), JSON.stringify({ devDependencies }));
    await writeFile(join(folder, 'package-lock.json'), '{"packages":{}}');
    return installPlan(await readProject(folder, ''), { node: 'v20.0.0', variables, keepsDevelopment });
  }

  it('is made for development dependencies alone, where they are kept', async () => {
    expect([await planOf({}), (await planOf({}, true))?.dev]).toEqual([undefined, true]);
  });

  it.each([
    'NODE_ENV',
    'NPM_CONFIG_PRODUCTION',
    'npm_config_omit',
    'NPM_CONFIG_INCLUDE',
    'YARN_PRODUCTION',
    'PNPM_SKIP_PRUNING',
  ])('is not used again after a change of %s', async (name) =>
    expect((await planOf({ [name]: 'x' }, true))?.key).not.toBe((await planOf({}, true))?.key),
  );

  it.each(['API_KEY', 'NPM_TOKEN', 'npm_config__authToken'])('is used again after a change of %s', async (name) => {
    expect((await planOf({ [name]: 'x' }, true))?.key).toBe((await planOf({}, true))?.key);
  });
});
