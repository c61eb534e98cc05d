import { expect, it } from 'vitest';
import { projectsOf } from '../../aws-local/codebuild/project.ts';
import { templateOf } from '../../support/aws-local/template-fixture.ts';

function projects(properties: object, environment: object = {}) {
  const Environment = { Type: 'ARM_LAMBDA_CONTAINER', Image: 'image', ComputeType: 'BUILD_LAMBDA_4GB', ...environment };
  const BuildSpec = JSON.stringify({ version: '0.2', phases: { build: { commands: ['true'] } } });
  const project = { Source: { Type: 'NO_SOURCE', BuildSpec }, Artifacts: { Type: 'NO_ARTIFACTS' }, Environment };
  return projectsOf(templateOf({ Press: ['AWS::CodeBuild::Project', { ...project, ...properties }] }));
}

it.each([
  ['timeoutInMinutes', { TimeoutInMinutes: 15 }, {}],
  ['queuedTimeoutInMinutes', { QueuedTimeoutInMinutes: 30 }, {}],
  ['cache', { Cache: { Type: 'LOCAL' } }, {}],
  ['badgeEnabled', { BadgeEnabled: true }, {}],
  ['privilegedMode', {}, { PrivilegedMode: true }],
  ['vpcConfig', { VpcConfig: { VpcId: 'vpc-1' } }, {}],
])('A project on Lambda compute with %s is refused, as CodeBuild refuses it', (name, properties, environment) => {
  const refusal = `Press is refused by CodeBuild: Cannot specify ${name} for lambda compute.`;
  expect(() => projects(properties, environment)).toThrow(refusal);
  expect(() => projects(properties, { ...environment, Type: 'ARM_CONTAINER' })).not.toThrow();
});

it('A project on Lambda compute runs without them', () => {
  const given = { Cache: { Type: 'NO_CACHE' }, BadgeEnabled: false };
  expect([...projects(given, { PrivilegedMode: false }).values()]).toEqual([
    expect.objectContaining({ timeoutMinutes: 15, isLambdaCompute: true }),
  ]);
});

it('A project gets its source from an asset of the stack, and from no other object', () => {
  const BuildSpec = JSON.stringify({ version: '0.2', phases: { build: { commands: ['true'] } } });
  const given = { Source: { Type: 'S3', Location: 'elsewhere/source.zip', BuildSpec } };
  expect(() => projects(given)).toThrow('Press does not run here: its source must be an asset of the stack.');
});

it('A build selects a version of Node where its image has several, and no other', () => {
  const select = (nodejs: number, Image: string, Type = 'LINUX_CONTAINER') => {
    const phases = { install: { 'runtime-versions': { nodejs } }, build: { commands: ['true'] } };
    const BuildSpec = JSON.stringify({ version: '0.2', phases });
    return () => projects({ Source: { Type: 'NO_SOURCE', BuildSpec } }, { Type, Image });
  };
  const [polyglot, ofLambda] = ['amazonlinux-x86_64-standard:6.0', 'amazonlinux-aarch64-lambda-standard:nodejs24'].map(
    (name) => `aws/codebuild/${name}`,
  ) as [string, string];
  expect([...select(24, polyglot)().values()]).toMatchObject([{ commands: ['true'], isLambdaCompute: false }]);
  expect(select(21, polyglot)).toThrow(`${polyglot} has no nodejs 21.`);
  const refusal = `${ofLambda} does not support selecting runtime versions.`;
  expect(select(24, ofLambda, 'ARM_LAMBDA_CONTAINER')).toThrow(refusal);
});
