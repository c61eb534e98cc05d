import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Platform } from '../../../../functions/adapters/platform/platform.ts';
import { systemClock } from '../../../../functions/adapters/system/clock.ts';
import { type StageName, stageAfter, stageNames } from '../../../../functions/core/pipeline/pipeline.ts';
import { functionNames } from '../../../../lib/stack/bundles.ts';
import { functionFolders, policiesOf, serviceTemplate, target } from '../../../support/template/service-template.ts';

const project = fileURLToPath(new URL('../../../..', import.meta.url));
const functions = join(project, 'functions');

/** The names of the variables that are asked for. */
const asked = vi.hoisted(() => new Set<string>());
vi.mock('../../../../functions/adapters/aws/environment.ts', async () => {
  const { functionEnvironment } = await import('../../../support/template/function-environment.ts');
  const variable = (name: string) => {
    asked.add(name);
    return name === 'PLATFORM_PARTS' ? functionEnvironment.PLATFORM_PARTS : 'http://127.0.0.1:1';
  };
  return { variable, optionalVariable: variable };
});

// Files of one worker share their modules, and another one may have loaded these without the mocks.
let platforms: typeof import('../../../../functions/adapters/platform/platforms.ts');
beforeAll(async () => {
  vi.resetModules();
  platforms = await import('../../../../functions/adapters/platform/platforms.ts');
});
afterAll(() => {
  vi.resetModules();
});

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
  const own = named.flatMap(([, name = '']) => (name.startsWith('PLATFORM_') ? [] : [name]));
  return [...new Set([...own, ...queues(folder, true), ...(await platformVariables(folder))])].sort();
}

/** The code of all ports of a platform is in each bundle that has one; each reads its variables when it is asked for. */
async function platformVariables(folder: string): Promise<readonly string[]> {
  const source = handlerOf(folder);
  asked.clear();
  const platform = await platforms.configuredPlatform(systemClock);
  for (const [, port] of source.matchAll(/\bplatform\.(\w+)\(\)/g)) await platform[port as keyof Platform]();
  const itself = [...source.matchAll(/ariable\('(PLATFORM_\w+)'/g)].map(([, name = '']) => name);
  return [...[...asked].filter((name) => name.startsWith('PLATFORM_')), ...itself];
}

function handlerOf(folder: string): string {
  return readFileSync(join(functions, folder, 'handler.ts'), 'utf8');
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

/** The variables of the queues that a handler sends to; `own` adds the one that a stage receives from. */
function queues(folder: string, own = false): string[] {
  const calls = [...handlerOf(folder).matchAll(/\b(queueTo|receive)\(([^)]*)\)/g)];
  const names = calls.flatMap(([, call, text = '']) => {
    const named = [...text.matchAll(/'(\w+)'/g)].map(([, name = '']) => name as StageName);
    if (call === 'queueTo') return text.includes('...stageNames') ? [...stageNames, ...named] : named;
    const [stage = 'check', ...others] = named;
    return [stageAfter(stage) ?? [], 'report', others, own ? stage : []].flat();
  });
  return [...new Set(names)].map((name) => `QUEUE_${name.toUpperCase()}`).sort();
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
    const optional = folder === 'stage-start' ? [] : ['PLATFORM_WATCHER', 'PLATFORM_ROLE_BOUNDARY'];
    const read = await variablesRead(folder);
    expect(known.sort()).toEqual(read.filter((name) => !optional.includes(name)));
  });
});
