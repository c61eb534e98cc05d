import { describe, expect, it } from 'vitest';
import { policiesOf, type RolePolicy, serviceTemplate, target } from '../../../../support/template/service-template.ts';

const { template, ofType } = serviceTemplate();
const all: Readonly<Record<string, { Type: string; Condition?: string }>> = template.toJSON().Resources;

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** The statements by which a function may work with the platform on AWS Lambda. */
function statementsOf(folder: string): readonly Statement[] {
  const one = ofType('AWS::Lambda::Function').find(({ properties }) => properties.Description === folder);
  const roles = ofType('AWS::IAM::Role').filter(({ id }) => id === target(one?.properties.Role));
  return roles.flatMap(policiesOf).flatMap(onLambda);
}

function onLambda({ condition, document }: RolePolicy): readonly Statement[] {
  return condition === 'OnLambda' ? document.Statement : [];
}

/** The statements of all functions by which they may work with it. */
const statements = ofType('AWS::IAM::Role').flatMap(policiesOf).flatMap(onLambda);

const actionsOf = (folder: string) => statementsOf(folder).flatMap(({ Action }) => Action);

describe('the platform on AWS Lambda', () => {
  it('is in no stack with another platform: all its resources have the condition, and so has what refers to them', () => {
    const own = Object.entries(all).filter(([id]) => id.startsWith('Apps'));
    expect(own.map(([, { Type }]) => Type).sort()).toEqual([
      'AWS::CodeBuild::Project',
      'AWS::DynamoDB::GlobalTable',
      'AWS::Events::Rule',
      'AWS::IAM::Role',
      'AWS::IAM::Role',
      'AWS::Lambda::Permission',
      'AWS::Lambda::Permission',
      'AWS::Logs::LogGroup',
      'AWS::S3::Bucket',
      'AWS::S3::BucketPolicy',
    ]);
    for (const [id, { Condition }] of own) expect([id, Condition]).toEqual([id, 'OnLambda']);
    // In functions only within `Fn::If`, in policies only within those of the condition.
    const ids = own.map(([id]) => id);
    for (const [id, resource] of Object.entries(all)) {
      if (resource.Condition !== undefined) continue;
      const ends = /\{"Fn::If":\["OnLambda",.*?,(?:""|\{"Ref":"AWS::NoValue"\})\]\}/g;
      const text = JSON.stringify(resource).replaceAll(ends, '');
      expect([id, ids.filter((one) => text.includes(`"${one}"`))]).toEqual([id, []]);
    }
  });

  it('makes one stack fit into what CloudFormation allows', () => {
    expect(Object.keys(all).length).toBeLessThan(500);
  });

  it('builds with a role that may write its log, read the program that builds, and nothing else', () => {
    const [build] = ofType('AWS::CodeBuild::Project');
    const role = ofType('AWS::IAM::Role').find(({ id }) => id === target(build?.properties.ServiceRole));
    const statements = role?.properties.Policies.flatMap(
      (policy: { PolicyDocument: { Statement: unknown[] } }) => policy.PolicyDocument.Statement,
    );
    const logGroup = { 'Fn::GetAtt': [target(build?.properties.LogsConfig.CloudWatchLogs.GroupName), 'Arn'] };
    const key = build?.properties.Source.Location['Fn::Join']?.[1]?.at(-1);
    const program = { 'Fn::Join': ['', expect.arrayContaining([expect.stringContaining(key)])] };
    expect(statements).toEqual([
      { Effect: 'Allow', Action: ['logs:CreateLogStream', 'logs:PutLogEvents'], Resource: logGroup },
      { Effect: 'Allow', Action: ['s3:GetObject', 's3:GetObjectVersion'], Resource: program },
      { Effect: 'Allow', Action: ['s3:GetBucketAcl', 's3:GetBucketLocation'], Resource: expect.anything() },
    ]);
  });

  it('builds on Arm, with the programs of the image before those that builds have left', () => {
    const [build] = ofType('AWS::CodeBuild::Project');
    expect(build?.properties).toMatchObject({
      Source: { Type: 'S3' },
      Environment: {
        Type: 'ARM_LAMBDA_CONTAINER',
        Image: 'aws/codebuild/amazonlinux-aarch64-lambda-standard:nodejs24',
      },
    });
    const { phases } = JSON.parse(build?.properties.Source.BuildSpec);
    expect(phases.build.commands).toEqual([expect.stringMatching(/PATH="\/var\/lang\/bin:/), 'node build-program.mjs']);
  });

  it('sets no timeout, which CodeBuild refuses for Lambda compute', () => {
    const [build] = ofType('AWS::CodeBuild::Project');
    expect(Object.keys(build?.properties).filter((name) => name.includes('Timeout'))).toEqual([]);
  });

  it('announces the end of its own builds only', () => {
    const rule = ofType('AWS::Events::Rule').find(({ properties }) => properties.EventPattern);
    expect(rule?.properties.EventPattern).toMatchObject({
      source: ['aws.codebuild'],
      detail: { 'project-name': [{ Ref: expect.stringMatching(/^AppsBuildProject/) }] },
    });
  });

  it('is told by the logs of its own applications, and by no others, that one of their instances has ended', () => {
    const watch = ofType('AWS::Lambda::Function').find(({ properties }) => properties.Description === 'watch-apps');
    const permission = ofType('AWS::Lambda::Permission').find(
      ({ properties }) => properties.Principal === 'logs.amazonaws.com',
    );
    expect(target(permission?.properties.FunctionName)).toBe(watch?.id);
    expect(permission?.properties.SourceAccount).toEqual({ Ref: 'AWS::AccountId' });
    expect(JSON.stringify(permission?.properties.SourceArn)).toContain('-app-*:*');
  });

  it('lets the functions that start applications give away one role, and that only to Lambda', () => {
    const passing = statements.filter(({ Action }) => [Action].flat().includes('iam:PassRole'));
    expect(passing).toEqual([
      {
        Effect: 'Allow',
        Action: 'iam:PassRole',
        Resource: { 'Fn::GetAtt': [expect.stringMatching(/^AppsAppRole/), 'Arn'] },
        Condition: { StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } },
      },
    ]);
    expect(actionsOf('stage-start')).toContain('iam:PassRole');
  });

  it('lets functions do what they do with applications, and no other', () => {
    const uses = (prefix: string) => (folder: string) =>
      actionsOf(folder).some((action) => action.startsWith(`${prefix}:`));
    const folders = ofType('AWS::Lambda::Function').map(({ properties }) => properties.Description);
    expect(folders.filter(uses('lambda')).sort()).toEqual(['stage-start', 'watch-apps']);
    expect(folders.filter(uses('codebuild')).sort()).toEqual(['api-build-log', 'report-status', 'stage-extract']);
    const storing = ['report-status', 'stage-extract', 'stage-start', 'stage-upload'];
    expect(folders.filter(uses('s3')).sort()).toEqual(storing);
    expect(folders.filter(uses('kms')).sort()).toEqual(['api-apps', 'stage-start', 'watch-apps']);
    expect(actionsOf('watch-apps').filter((action) => action.startsWith('lambda:'))).toEqual(['lambda:InvokeFunction']);
    expect(actionsOf('authorize')).toEqual(['dynamodb:Query']);
  });

  it('names what it allows: no action has a wildcard, and resources only after the prefix of the stack', () => {
    for (const { Action, Resource } of statements) {
      for (const action of [Action].flat()) expect(action).toMatch(/^[a-z0-9-]+:[A-Za-z]+$/);
      for (const resource of [Resource].flat()) {
        const text = JSON.stringify(resource);
        if (text.includes('*')) expect(text).toMatch(/-app-\*(?::\*)?"|"\/(?:[a-z]+\/)?\*"/);
      }
    }
  });

  it('opens variables with the key and never tokens of repository hosts', () => {
    for (const folder of ['api-apps', 'stage-start', 'watch-apps']) {
      const opens = statementsOf(folder).filter(({ Action }) => [Action].flat().includes('kms:Decrypt'));
      expect(opens.map(({ Condition }) => Condition)).toEqual([
        { StringEquals: { 'kms:EncryptionContext:purpose': 'app-variables' } },
      ]);
    }
  });

  it('keeps releases and archives until they are removed, and what builds need for days', () => {
    const bucket = ofType('AWS::S3::Bucket').find(({ id }) => id.startsWith('Apps'));
    const rules = bucket?.properties.LifecycleConfiguration.Rules;
    expect(rules.flatMap(({ Prefix }: { Prefix?: string }) => Prefix ?? [])).toEqual([
      'snapshots/',
      'jobs/',
      'caches/',
    ]);
  });
});
