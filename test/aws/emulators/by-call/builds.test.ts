import type { Build } from '@aws-sdk/client-codebuild';
import { afterEach, describe, expect, it } from 'vitest';
import { type BuildRecord, buildEvent } from '../../../aws-local/codebuild/build-record.ts';
import { type Builder, openBuilder } from '../../../aws-local/codebuild/builder.ts';
import { codeBuildService } from '../../../aws-local/codebuild/codebuild-service.ts';
import { projectsOf } from '../../../aws-local/codebuild/project.ts';
import { openLogStore } from '../../../aws-local/logs/log-store.ts';
import { templateOf } from '../../../support/aws-local/template-fixture.ts';
import { newFolder } from '../../../support/new-folder.ts';

const LAMBDA = {
  Type: 'ARM_LAMBDA_CONTAINER',
  Image: 'aws/codebuild/amazonlinux-aarch64-lambda-standard:nodejs24',
  ComputeType: 'BUILD_LAMBDA_4GB',
};
const CONTAINER = {
  Type: 'LINUX_CONTAINER',
  Image: 'aws/codebuild/amazonlinux-x86_64-standard:6.0',
  ComputeType: 'BUILD_GENERAL1_SMALL',
};

interface Declared {
  readonly properties?: object;
  readonly environment?: object;
  readonly phases?: object;
  readonly source?: object;
}

/** The project of a template, on Lambda compute unless its environment is another. */
function projects({ properties, environment, source, phases = { build: { commands: ['eval "$SOURCE"'] } } }: Declared) {
  const BuildSpec = JSON.stringify({ version: '0.2', phases });
  const project = {
    Source: { Type: 'NO_SOURCE', BuildSpec, ...source },
    Artifacts: { Type: 'NO_ARTIFACTS' },
    Environment: { ...LAMBDA, ...environment },
    ServiceRole: 'role',
    ...properties,
  };
  return projectsOf(templateOf({ Press: ['AWS::CodeBuild::Project', project] }));
}

describe('A project', () => {
  it.each([
    ['timeoutInMinutes', { properties: { TimeoutInMinutes: 15 } }],
    ['queuedTimeoutInMinutes', { properties: { QueuedTimeoutInMinutes: 30 } }],
    ['cache', { properties: { Cache: { Type: 'LOCAL' } } }],
    ['badgeEnabled', { properties: { BadgeEnabled: true } }],
    ['privilegedMode', { environment: { PrivilegedMode: true } }],
    ['vpcConfig', { properties: { VpcConfig: { VpcId: 'vpc-1' } } }],
  ])('on Lambda compute with %s is refused, as CodeBuild refuses it', (name, declared: Declared) => {
    const refusal = `Press is refused by CodeBuild: Cannot specify ${name} for lambda compute.`;
    expect(() => projects(declared)).toThrow(refusal);
    expect(() => projects({ ...declared, environment: { ...declared.environment, ...CONTAINER } })).not.toThrow();
  });

  it.each([
    ['environment type ARM_CONTAINER', { Type: 'ARM_CONTAINER' }],
    ['image aws/codebuild/amazonlinux-aarch64-lambda-standard:nodejs23', { Image: `${LAMBDA.Image.slice(0, -2)}23` }],
    ['image aws/codebuild/amazonlinux-x86_64-standard:6.0 for ARM', { Image: CONTAINER.Image }],
    ['compute type BUILD_GENERAL1_SMALL for ARM_LAMBDA_CONTAINER', { ComputeType: CONTAINER.ComputeType }],
  ])('with the %s is refused', (missing, environment) => {
    expect(() => projects({ environment })).toThrow(`Press is refused: CodeBuild does not offer the ${missing}`);
  });

  it('gets its source from an asset of the stack, and from no other object', () => {
    const source = { Type: 'S3', Location: 'elsewhere/source.zip' };
    expect(() => projects({ source })).toThrow('Press does not run here: its source must be an asset of the stack.');
  });

  it('selects a version of Node where its image has several, and no other', () => {
    const select = (nodejs: number, environment: object) => () =>
      projects({ environment, phases: { install: { 'runtime-versions': { nodejs } }, build: { commands: [] } } });
    expect(select(24, CONTAINER)).not.toThrow();
    expect(select(21, CONTAINER)).toThrow(`${CONTAINER.Image} has no nodejs 21.`);
    expect(select(24, LAMBDA)).toThrow(`${LAMBDA.Image} does not support selecting runtime versions.`);
  });
});

describe('Builds', () => {
  let builder: Builder;
  afterEach(() => builder.close());

  function codeBuild() {
    const events: object[] = [];
    const changed = (build: BuildRecord) => void events.push(buildEvent(build));
    builder = openBuilder({ folder: newFolder('builds'), logs: openLogStore(), denialOf: () => undefined, changed });
    const { operations } = codeBuildService(projects({}), builder, new Set());
    const call = async (name: string, input: object): Promise<Record<string, unknown>> => ({
      ...(await operations[name]?.run(input)),
    });
    const build = async (name: string, input: object) => (await call(name, input)).build as Build;
    return {
      events,
      start: (SOURCE: string, more: object = {}) =>
        build('StartBuild', {
          projectName: 'Press',
          environmentVariablesOverride: [{ name: 'SOURCE', value: SOURCE }],
          ...more,
        }),
      stop: (id: string | undefined) => build('StopBuild', { id }),
      find: async (id: string | undefined) => ((await call('BatchGetBuilds', { ids: [id] })).builds as Build[])[0],
    };
  }

  it('of which a command fails say which it was, and send the event of their end', async () => {
    const { start, find, events } = codeBuild();
    const { id } = await start('exit 3');
    await expect.poll(() => find(id)).toMatchObject({ buildStatus: 'FAILED', currentPhase: 'COMPLETED' });
    const failed = (await find(id))?.phases?.find(({ phaseStatus }) => phaseStatus === 'FAILED');
    const message = 'Error while executing command: eval "$SOURCE". Reason: exit status 3';
    expect(failed).toMatchObject({
      phaseType: 'BUILD',
      contexts: [{ statusCode: 'COMMAND_EXECUTION_ERROR', message }],
    });
    const environment = { 'environment-variables': [{ name: 'SOURCE', value: 'exit 3', type: 'PLAINTEXT' }] };
    const detail = { 'project-name': 'Press', 'additional-information': { environment } };
    expect(events).toMatchObject([
      { source: 'aws.codebuild', detail: { ...detail, 'build-status': 'IN_PROGRESS' } },
      { source: 'aws.codebuild', detail: { ...detail, 'build-status': 'FAILED' } },
    ]);
  });

  it('that are stopped end with everything that they started', async () => {
    const { start, stop, find } = codeBuild();
    const { id } = await start('sleep 1000 & sleep 1000');
    await expect.poll(async () => (await find(id))?.currentPhase).toBe('BUILD');
    expect(await stop(id)).toMatchObject({ buildStatus: 'STOPPED', buildComplete: true });
  });

  it('that are started again with a token are the same, and are refused with other parameters', async () => {
    const { start } = codeBuild();
    const again = { idempotencyToken: 'once' };
    const { id } = await start('true', again);
    expect((await start('true', again)).id).toBe(id);
    await expect(start('false', again)).rejects.toMatchObject({ type: 'InvalidInputException' });
  });

  it('with more than 5500 characters of variables, or of an unknown project, are refused', async () => {
    const { start } = codeBuild();
    await expect(start('x'.repeat(5500))).rejects.toMatchObject({ type: 'InvalidInputException' });
    const other = start('true', { projectName: 'other' });
    await expect(other).rejects.toMatchObject({ type: 'ResourceNotFoundException' });
  });
});
