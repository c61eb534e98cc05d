import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Project } from 'aws-cdk-lib/aws-codebuild';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { canRunApps, LAMBDA_COMPUTE, lacks } from '../../../../functions/adapters/aws/regions.ts';
import { COMPUTE } from '../../../../lib/stack/apps/build-project.ts';
import { serviceTemplate } from '../../../support/template/service-template.ts';

const { template } = serviceTemplate();
const { Conditions } = template.toJSON();

/** Returns a part of the template as it is in a region. */
function inRegion(part: unknown, region: string): unknown {
  if (Array.isArray(part)) return part.map((one) => inRegion(one, region)).filter((one) => one !== undefined);
  if (typeof part !== 'object' || part === null) return part;
  const [[key, value] = ['', null]] = Object.entries(part);
  if (key === 'Fn::If' && /OnLambdaCompute/.test(value[0])) {
    return inRegion(value[isLambdaCompute(value[0], region) ? 1 : 2], region);
  }
  if (key === 'Ref' && value === 'AWS::NoValue') return undefined;
  const entries = Object.entries(part).map(([name, one]) => [name, inRegion(one, region)] as const);
  return Object.fromEntries(entries.filter(([, one]) => one !== undefined));
}

const isLambdaCompute = (name: string, region: string): boolean =>
  Conditions[name]['Fn::Or'].some((one: { 'Fn::Equals': unknown[] }) => one['Fn::Equals'][1] === region);

/** What is compared of a project; the rest of its properties is left out. */
const Made = v.pipe(
  v.object({
    Environment: v.object({ Type: v.string(), Image: v.string(), ComputeType: v.string() }),
    TimeoutInMinutes: v.optional(v.number()),
    QueuedTimeoutInMinutes: v.optional(v.number()),
    Source: v.object({ BuildSpec: v.string() }),
  }),
  v.transform(({ Source, ...made }) => ({ ...made, spec: Source.BuildSpec })),
);

/** What the CDK, which knows CodeBuild's rules, makes of a project with these properties. */
function project(props: (typeof COMPUTE)['lambda' | 'container']) {
  const stack = new Stack(new App(), 'Rules');
  new Project(stack, 'Project', props);
  const [made] = Object.values(Template.fromStack(stack).findResources('AWS::CodeBuild::Project'));
  return v.parse(Made, made?.Properties);
}

function projectIn(region: string) {
  const [made] = Object.values(template.findResources('AWS::CodeBuild::Project'));
  return v.parse(Made, inRegion(made?.Properties, region));
}

describe('builds of applications', () => {
  it.each(LAMBDA_COMPUTE)('run on Lambda, on Arm and without limits of the project, in %s', (region) => {
    expect(projectIn(region)).toEqual(project(COMPUTE.lambda));
    expect(projectIn(region)).toMatchObject({ Environment: { Type: 'ARM_LAMBDA_CONTAINER' } });
  });

  it.each(['eu-west-2', 'eu-north-1', 'a-region-to-come'])(
    'run in a container in %s, with the limits of Lambda and its version of Node',
    (region) => {
      const made = projectIn(region);
      expect(made).toEqual(project(COMPUTE.container));
      expect(made).toMatchObject({ TimeoutInMinutes: 15, Environment: { Type: 'LINUX_CONTAINER' } });
      expect(JSON.parse(made.spec).phases.install).toEqual({ 'runtime-versions': { nodejs: 24 } });
    },
  );

  it('run with the programs of the image before those that builds have left', () => {
    for (const region of ['us-east-1', 'eu-west-2']) {
      const { phases } = JSON.parse(projectIn(region).spec);
      const path = expect.stringMatching(/PATH="\/var\/lang\/bin:/);
      expect(phases.build.commands).toEqual([path, 'node build-program.mjs']);
    }
  });

  it.each([
    ['us-east-1', 'arm64', 'Arm64'],
    ['eu-west-2', 'x86_64', 'X86'],
  ])('make releases in %s that run on %s, with the adapter for it', (region, architecture, layer) => {
    const start = Object.values(template.findResources('AWS::Lambda::Function')).find(
      ({ Properties }) => Properties.Description === 'stage-start',
    );
    const parts = JSON.stringify(inRegion(start?.Properties.Environment.Variables.PLATFORM_PARTS, region));
    expect(parts).toContain(`LambdaAdapterLayer","${layer}",":27`);
    expect(parts).toContain(`"${architecture}"`);
  });
});

describe('the template for a region', () => {
  const types = (region: string) => {
    const { Resources } = serviceTemplate(region).template.toJSON();
    return new Set(Object.values<{ Type: string }>(Resources).map(({ Type }) => Type));
  };

  it('has no type of resource that CloudFormation does not have there', () => {
    expect(types('us-east-1')).toContain('AWS::Budgets::Budget');
    expect(types('eu-north-1')).not.toContain('AWS::Budgets::Budget');
  });

  it('leads applications to Lambda where builds and the adapter are', () => {
    expect(LAMBDA_COMPUTE.filter((region) => !canRunApps(region) || lacks(region, 'AWS::ApiGatewayV2::Api'))).toEqual(
      [],
    );
    expect(['eu-west-1', 'ca-west-1', 'cn-north-1', 'us-gov-west-1', 'eu-west-9'].map(canRunApps)).toEqual([
      true,
      ...[false, false, false, null],
    ]);
    expect(lacks(undefined, 'AWS::Budgets::Budget')).toBe(false);
  });
});

it('Two stacks share no name and no metric: the template gives no fixed name but to parts of an API', () => {
  const { Resources } = template.toJSON();
  const given = Object.values<{ Type: string; Properties?: Record<string, unknown> }>(Resources)
    .filter(({ Type }) => !/^AWS::ApiGateway\w*::(?:Stage|Authorizer)$/.test(Type))
    .flatMap(({ Type, Properties = {} }) => Object.entries(Properties).map(([key, value]) => ({ Type, key, value })))
    .filter(({ key, value }) => /^(?!Metric)\w*Name$|^MetricNamespace$/.test(key) && typeof value === 'string');
  expect(given).toEqual([]);
});
