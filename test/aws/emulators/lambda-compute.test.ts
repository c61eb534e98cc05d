import { expect, it } from 'vitest';
import { projectsOf } from '../../aws-local/codebuild/project.ts';
import { templateOf } from '../../support/aws-local/template-fixture.ts';

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

function projects(properties: object, environment: object = {}) {
  const Environment = { ...LAMBDA, ...environment };
  const BuildSpec = JSON.stringify({ version: '0.2', phases: { build: { commands: ['true'] } } });
  const Source = { Type: 'NO_SOURCE', BuildSpec };
  const project = { Source, Artifacts: { Type: 'NO_ARTIFACTS' }, Environment, ServiceRole: 'role' };
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
  expect(() => projects(properties, { ...environment, ...CONTAINER })).not.toThrow();
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
  const select = (nodejs: number, environment: object) => {
    const phases = { install: { 'runtime-versions': { nodejs } }, build: { commands: ['true'] } };
    const BuildSpec = JSON.stringify({ version: '0.2', phases });
    return () => projects({ Source: { Type: 'NO_SOURCE', BuildSpec } }, environment);
  };
  expect([...select(24, CONTAINER)().values()]).toMatchObject([{ commands: ['true'], isLambdaCompute: false }]);
  expect(select(21, CONTAINER)).toThrow(`${CONTAINER.Image} has no nodejs 21.`);
  expect(select(24, LAMBDA)).toThrow(`${LAMBDA.Image} does not support selecting runtime versions.`);
});

it.each([
  ['the environment type ARM_CONTAINER', { Type: 'ARM_CONTAINER' }],
  ['the image aws/codebuild/amazonlinux-aarch64-lambda-standard:nodejs23', { Image: `${LAMBDA.Image.slice(0, -2)}23` }],
  ['the image aws/codebuild/amazonlinux-x86_64-standard:6.0 for ARM', { Image: CONTAINER.Image }],
  ['the compute type BUILD_GENERAL1_SMALL for ARM_LAMBDA_CONTAINER', { ComputeType: CONTAINER.ComputeType }],
])('A project with %s is refused', (missing, environment) => {
  expect(() => projects({}, environment)).toThrow(`Press is refused: CodeBuild does not offer ${missing}`);
});
