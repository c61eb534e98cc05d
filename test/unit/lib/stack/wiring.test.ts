import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { functionNames } from '../../../../lib/stack/bundles.ts';
import { functionFolders, serviceTemplate } from '../../../support/service-template.ts';

const project = fileURLToPath(new URL('../../../..', import.meta.url));
const functions = join(project, 'functions');

const given = new Map(
  serviceTemplate()
    .ofType('AWS::Lambda::Function')
    .map(({ properties }) => [properties.Description, Object.keys(properties.Environment?.Variables ?? {})]),
);

/** The names of the variables that the sources of a function read. */
async function variablesRead(folder: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [join(functions, folder, 'handler.ts')],
    absWorkingDir: project,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    metafile: true,
    write: false,
    outdir: 'out',
  });
  const sources = Object.keys(metafile.inputs).map((path) => readFileSync(join(project, path), 'utf8'));
  const named = sources.flatMap((source) => [...source.matchAll(/ariable\('([A-Z_]+)'/g)]);
  return [...new Set(named.flatMap(([, name]) => name ?? []))].sort();
}

it('Every folder with a handler is a function of the stack, and every function has its folder', async () => {
  expect(await functionNames(functions)).toEqual(functionFolders);
});

describe.each(functionFolders)('%s', (folder) => {
  it('is given the variables that its sources read, and no others', async () => {
    // Node itself reads its options. A queue that the function only receives from needs no address.
    const unread = folder === 'report-status' ? ['NODE_OPTIONS', 'QUEUE_REPORT'] : ['NODE_OPTIONS'];
    const known = given.get(folder)?.filter((name) => !unread.includes(name)) ?? [];
    expect(known.sort()).toEqual(await variablesRead(folder));
  });
});
