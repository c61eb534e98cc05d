import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { functionNames } from '../../../../lib/stack/bundles.ts';
import { functionFolders, policiesOf, serviceTemplate, target } from '../../../support/template/service-template.ts';

const project = fileURLToPath(new URL('../../../..', import.meta.url));
const functions = join(project, 'functions');

const template = serviceTemplate();
const roles = template.ofType('AWS::IAM::Role');
const functionsOf = template.ofType('AWS::Lambda::Function');
const given = new Map(
  functionsOf.map(({ properties }) => [properties.Description, Object.keys(properties.Environment?.Variables ?? {})]),
);

/** The names of the variables that the code of a function reads, without what esbuild removes because nobody calls it. */
async function variablesRead(folder: string): Promise<string[]> {
  const { outputFiles } = await build({
    entryPoints: [join(functions, folder, 'handler.ts')],
    absWorkingDir: project,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    write: false,
    outdir: 'out',
  });
  const named = outputFiles.flatMap(({ text }) => [...text.matchAll(/ariable\("([A-Z_]+)"/g)]);
  return [...new Set([...named.flatMap(([, name]) => name ?? []), ...queues(folder, 'queueTo|receive')])].sort();
}

it('Every folder with a handler is a function of the stack, and every function has a folder', async () => {
  expect(await functionNames(functions)).toEqual(functionFolders);
});

/** The variables that name the queues which the role of a function may send to. */
function mayQueue(folder: string): string[] {
  const { properties } = functionsOf.find((one) => one.properties.Description === folder) ?? { properties: {} };
  const role = roles.find(({ id }) => id === target(properties.Role));
  const statements = role ? policiesOf(role).flatMap(({ document }) => document.Statement) : [];
  const allowed = JSON.stringify(statements.filter(({ Action }) => [Action].flat().includes('sqs:SendMessage')));
  return Object.entries(properties.Environment?.Variables ?? {})
    .filter(([name, queue]) => name.startsWith('QUEUE_') && allowed.includes(`"${target(queue)}"`))
    .map(([name]) => name)
    .sort();
}

/** The variables of the queues that a handler names in those calls. */
function queues(folder: string, calls = 'queueTo'): string[] {
  const source = readFileSync(join(functions, folder, 'handler.ts'), 'utf8');
  const called = [...source.matchAll(new RegExp(`\\b(?:${calls})\\(([^)]*)\\)`, 'g'))];
  const names = called.flatMap(([, names = '']) => [...names.matchAll(/'(\w+)'/g)].map(([, name = '']) => name));
  return names.map((name) => `QUEUE_${name.toUpperCase()}`).sort();
}

describe.each(functionFolders)('the function %s', (folder) => {
  it('sends exactly to the queues that its role allows', () => {
    expect(queues(folder)).toEqual(mayQueue(folder));
  });

  it('has exactly the variables that its sources read', async () => {
    // A queue that the function only receives from needs no address.
    const unread = folder === 'report-status' ? ['QUEUE_REPORT'] : [];
    const known = given.get(folder)?.filter((name) => !unread.includes(name)) ?? [];
    // Only the function that starts applications tells their logs whom to notify.
    const optional = folder === 'stage-start' ? [] : ['PLATFORM_WATCHER'];
    const read = await variablesRead(folder);
    expect(known.sort()).toEqual(read.filter((name) => !optional.includes(name)));
  });
});
