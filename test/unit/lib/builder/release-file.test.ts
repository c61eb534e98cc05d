import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { installPlan } from '../../../../lib/builder/install-plan.ts';
import { manifestIn } from '../../../../lib/builder/manifest.ts';
import { readProject } from '../../../../lib/builder/project.ts';
import { procfileIn, readStartManifest } from '../../../../lib/builder/start/start-command.ts';
import { temporaryFolder } from '../../../support/platform/harness.ts';

const MEGABYTE = 1024 * 1024;

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

it.each([
  ['larger than 1 MiB', JSON.stringify({ name: 'a'.repeat(MEGABYTE) }), 'package.json has more than 1048576 bytes.'],
  ['nested too deeply', `{"a":${'['.repeat(200)}`, 'package.json nests deeper than 100 levels.'],
  ['not JSON', '{', 'package.json is not valid JSON.'],
])('a package.json that is %s is refused before it is parsed', async (_what, text, sentence) => {
  const folder = await folderWith({ 'package.json': text });

  await expect(manifestIn(folder)).rejects.toThrow(sentence);
  await expect(readStartManifest(folder)).rejects.toThrow(sentence);
});

it('a Procfile that is larger than 1 MiB is refused', async () => {
  const folder = await folderWith({ Procfile: `web: ${'a'.repeat(MEGABYTE)}` });

  await expect(procfileIn(folder)).rejects.toThrow('Procfile has more than 1048576 bytes.');
});

it('a folder or a pipe in place of a file is no file', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'package.json'));
  execFileSync('mkfifo', [join(folder, 'Procfile')]);

  expect(await manifestIn(folder)).toEqual({});
  expect(await procfileIn(folder)).toEqual({});
});

it('an installation is not reused when its lockfile nests too deeply to be read', async () => {
  const manifest = JSON.stringify({ name: 'a', dependencies: { b: '1' } });
  const lockfile = (packages: string) => `{"packages":${packages}}`;
  const planOf = async (packages: string) => {
    const folder = await folderWith({ 'package.json': manifest, 'package-lock.json': lockfile(packages) });
    return installPlan(await readProject(folder, ''), { node: 'v20.0.0', variables: {}, keepsDevelopment: false });
  };

  expect(await planOf('{}')).toHaveProperty('key');
  expect(await planOf(`{"a":{"b":${'['.repeat(200)}${']'.repeat(200)}}}`)).not.toHaveProperty('key');
});
