import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type StageName, stageNames } from '../../../../functions/core/pipeline/pipeline.ts';
import { functionEnvironment } from '../../../support/template/function-environment.ts';
import { madeFunctions } from '../../../support/template/made-functions.ts';
import { functionFolders, policiesOf, serviceTemplate, target } from '../../../support/template/service-template.ts';

/** The names of the variables that are asked for. */
const asked = vi.hoisted(() => new Set<string>());
vi.mock('../../../../functions/adapters/aws/environment.ts', async (original) => {
  const read = await original<typeof import('../../../../functions/adapters/aws/environment.ts')>();
  const noting =
    <T>(of: (name: string) => T) =>
    (name: string) => {
      asked.add(name);
      return of(name);
    };
  return {
    variable: noting(read.variable),
    numberVariable: noting(read.numberVariable),
    optionalVariable: noting(read.optionalVariable),
    publicUrl: () => noting(read.optionalVariable)('PUBLIC_URL') ?? null,
  };
});

// Files of one worker share their modules, and another one may have loaded these without the mocks.
let made: Awaited<ReturnType<typeof madeFunctions>>;
beforeAll(async () => {
  for (const [name, value] of Object.entries(functionEnvironment)) vi.stubEnv(name, value);
  // Lambda defines it where middy expects it.
  vi.stubGlobal('awslambda', { streamifyResponse: (handler: unknown) => handler });
  vi.resetModules();
  made = await madeFunctions();
});
afterAll(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.resetModules();
});

const template = serviceTemplate();
const roles = template.ofType('AWS::IAM::Role');
const functionsOf = template.ofType('AWS::Lambda::Function');
const given = new Map(
  functionsOf.map(({ properties }) => [properties.Description, Object.keys(properties.Environment?.Variables ?? {})]),
);

/** The names of the variables that a function reads when it is made. */
async function variablesRead(folder: string): Promise<string[]> {
  asked.clear();
  await made.get(folder)?.();
  return [...asked].sort();
}

it('Every folder with the work of a function is one of the stack', () => {
  expect([...made.keys()].sort()).toEqual(functionFolders);
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

const SENDS_TO_ITSELF: readonly StageName[] = ['check'];

describe.each(functionFolders)('the function %s', (folder) => {
  it('sends exactly to the queues that its role allows', async () => {
    const queues = (await variablesRead(folder)).filter((name) => name.startsWith('QUEUE_'));
    // Of its own queue a stage changes how long messages are hidden.
    const own = stageNames.find((stage) => folder === `stage-${stage}` && !SENDS_TO_ITSELF.includes(stage));
    expect(queues.filter((name) => name !== `QUEUE_${own?.toUpperCase()}`)).toEqual(mayQueue(folder));
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
