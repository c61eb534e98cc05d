import { describe, expect, it } from 'vitest';
import { jobFunctionOf, PLATFORM_STREAM } from '../../../../../functions/adapters/platform/aws-lambda/names.ts';
import {
  isOnApps,
  perResource,
  policiesOf,
  type RolePolicy,
  serviceTemplate,
  target,
} from '../../../../support/template/service-template.ts';
import { spelledOut } from '../../../../support/template/spelled-out.ts';

const { ofType } = serviceTemplate();

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** The statements by which a function may work with applications. */
function statementsOf(folder: string): readonly Statement[] {
  const one = ofType('AWS::Lambda::Function').find(({ properties }) => properties.Description === folder);
  const roles = ofType('AWS::IAM::Role').filter(({ id }) => id === target(one?.properties.Role));
  return roles.flatMap(policiesOf).flatMap(onApps);
}

function onApps({ condition, document }: RolePolicy): readonly Statement[] {
  const statements: Statement[] = condition === null ? document.Statement : [];
  return statements.flatMap(perResource).filter(isOnApps);
}

/** The statements of all functions by which they may work with them. */
const functionRoles = new Set(ofType('AWS::Lambda::Function').map(({ properties }) => target(properties.Role)));
const statements = ofType('AWS::IAM::Role')
  .filter(({ id }) => functionRoles.has(id))
  .flatMap(policiesOf)
  .flatMap(onApps);

const actionsOf = (folder: string) => statementsOf(folder).flatMap(({ Action }) => Action);

describe('the platform on AWS Lambda', () => {
  it('builds with a role that may write its log, read the program that builds, open variables, and nothing else', () => {
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
      {
        Effect: 'Allow',
        Action: 'kms:Decrypt',
        Resource: { 'Fn::GetAtt': [expect.stringMatching(/^StoresTokenKey/), 'Arn'] },
        Condition: { StringEquals: { 'kms:EncryptionContext:purpose': 'app-variables' } },
      },
    ]);
  });

  it('lets CodeBuild have the role of builds for projects of this account only', () => {
    const role = ofType('AWS::IAM::Role').find(({ properties }) => properties.Description?.startsWith('Builds of app'));
    expect(role?.properties.AssumeRolePolicyDocument.Statement).toEqual([
      expect.objectContaining({
        Principal: { Service: 'codebuild.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    ]);
  });

  it('runs applications with a role that opens streams in the own log only, and never writes what the platform says', () => {
    const role = ofType('AWS::IAM::Role').find(({ id }) => id.startsWith('AppsAppRole'));
    const [open, write, ofPlatform] = role?.properties.Policies[0].PolicyDocument.Statement ?? [];
    const own = expect.stringMatching(/:function:\$\{aws:ResourceTag\/function\}$/);
    const text = (value: unknown) => String(spelledOut(value, {}));
    expect(open).toMatchObject({ Effect: 'Allow', Action: 'logs:CreateLogStream' });
    const [exact, version, ...jobs] = open.Condition.StringLike['lambda:SourceFunctionArn'].map(text);
    expect(exact).toEqual(own);
    expect([version, ...jobs]).toEqual([`${exact}:*`, `${exact}-do`, `${exact}-do:*`]);
    expect(`${exact}-do`).toBe(jobFunctionOf(exact));
    expect(write).toMatchObject({ Effect: 'Allow', Action: 'logs:PutLogEvents' });
    expect(ofPlatform).toMatchObject({ Effect: 'Deny', Action: 'logs:PutLogEvents' });
    expect(text(ofPlatform.Resource)).toMatch(/-app-\*:log-stream:platform$/);
    expect(PLATFORM_STREAM).toBe('platform');
  });

  it('announces the end of its own builds only', () => {
    const rule = ofType('AWS::Events::Rule').find(({ properties }) => properties.EventPattern);
    expect(rule?.properties.EventPattern).toMatchObject({
      source: ['aws.codebuild'],
      detail: { 'project-name': [{ prefix: { 'Fn::Join': ['', [{ Ref: 'AWS::StackName' }, '-app-']] } }] },
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

  it('lets functions give away one role each: that of applications to Lambda, that of builds to CodeBuild', () => {
    const passing = statements.filter(({ Action }) => [Action].flat().includes('iam:PassRole'));
    const one = (role: RegExp, service: string) => ({
      Effect: 'Allow',
      Action: 'iam:PassRole',
      Resource: { 'Fn::GetAtt': [expect.stringMatching(role), 'Arn'] },
      Condition: { StringEquals: { 'iam:PassedToService': service } },
    });
    expect(passing).toEqual([
      one(/^AppsBuildRole/, 'codebuild.amazonaws.com'),
      one(/^AppsAppRole/, 'lambda.amazonaws.com'),
      one(/^AppsAppRole/, 'lambda.amazonaws.com'),
    ]);
    expect(actionsOf('api-apps')).toContain('iam:PassRole');
    expect(actionsOf('stage-extract')).toContain('iam:PassRole');
    expect(actionsOf('stage-start')).toContain('iam:PassRole');
  });

  it('lets no function make or change a role', () => {
    const statements = ofType('AWS::IAM::Role')
      .flatMap(policiesOf)
      .flatMap(({ document }) => document.Statement);
    const actions = statements.flatMap(({ Action }) => Action).filter((action) => action.startsWith('iam:'));
    expect(new Set(actions)).toEqual(new Set(['iam:PassRole']));
  });

  it('opens variables with the key and never tokens of repository hosts', () => {
    for (const folder of ['api-app-env', 'api-apps', 'stage-start', 'watch-apps']) {
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
      'runs/',
      'caches/',
    ]);
  });
});
