import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { openBuilder } from '../../../aws-local/codebuild/builder.ts';
import { projectOf } from '../../../aws-local/codebuild/project.ts';
import { ownLogs } from '../../../aws-local/lambda/own-logs.ts';
import type { RunnableVersion } from '../../../aws-local/lambda/version-process.ts';
import { openLogStore } from '../../../aws-local/logs/log-store.ts';
import { permissionsOf } from '../../../aws-local/permissions/permissions.ts';
import { rolesFor } from '../../../aws-local/permissions/principals.ts';
import { templateOf } from '../../../support/aws-local/template-fixture.ts';
import { newFolder } from '../../../support/new-folder.ts';

const ROLE = 'arn:aws:iam::000000000000:role/Shared';
const inRegion = (service: string, what: string) => `arn:aws:${service}:us-east-1:000000000000:${what}`;
const allow = (Action: string | string[], Resource: string | string[], more: object = {}) => ({
  ...{ Effect: 'Allow', Action, Resource },
  ...more,
});

/** A role that a service may assume, with these statements. */
function shared(service: string, Statement: object[], trust: object = {}) {
  const statement = { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: service }, ...trust };
  const AssumeRolePolicyDocument = { Statement: [statement] };
  const Policies = [{ PolicyDocument: { Statement } }];
  const template = templateOf({ Shared: ['AWS::IAM::Role', { AssumeRolePolicyDocument, Policies }] });
  const warnings: string[] = [];
  return { template, warnings, ...permissionsOf(template, (sentence) => warnings.push(sentence)) };
}

describe('The role of functions that calls have created', () => {
  const logs = inRegion('logs', 'log-group:/aws/lambda/app-*:*');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM
  const own = inRegion('lambda', 'function:${aws:ResourceTag/function}');
  const Condition = { StringLike: { 'lambda:SourceFunctionArn': [own, `${own}:*`] } };
  const ofOwnLog = [allow('logs:CreateLogStream', logs, { Condition }), allow('logs:PutLogEvents', logs)];

  /** Writes a line as a function into a log with these tags; returns the lines and the warnings. */
  function written(name: string, statements: object[], tags: Record<string, string> | undefined) {
    const { denialOf, warnings } = shared('lambda.amazonaws.com', statements);
    const store = openLogStore();
    const logGroup = '/aws/lambda/app-a';
    if (tags) store.createGroup(logGroup, tags);
    const version = { name, version: '1', folder: '', settings: { logGroup, role: ROLE } };
    ownLogs(store, denialOf)(version as RunnableVersion, 'stream', 'a line');
    const lines = store.events(logGroup, 'stream')?.map(({ message }) => message) ?? [];
    return { lines, warnings };
  }

  it.each([
    ['of another function', 'app-b', { function: 'app-a' }],
    ['without the tag', 'app-a', {}],
  ])('opens none in a log %s, where its lines are lost with a warning', (_, name, tags) => {
    const { lines, warnings } = written(name, ofOwnLog, tags);
    expect(lines).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('is not authorized to perform: logs:CreateLogStream')]);
  });

  it('makes no log where it may make none, as after the removal of a function that still prints', () => {
    expect(written('app-a', ofOwnLog, undefined)).toEqual({ lines: [], warnings: [] });
    const makes = [...ofOwnLog, allow('logs:*', '*')];
    expect(written('app-a', makes, undefined).lines).toEqual(['a line']);
  });

  it('a statement that denies by a tag is not understood', () => {
    const deny = { ...allow('logs:PutLogEvents', logs, { Condition }), Effect: 'Deny' };
    expect(() => shared('lambda.amazonaws.com', [deny])).toThrow('cannot evaluate a Deny by tags');
  });
});

describe('The role of builds', () => {
  const source = 'arn:aws:s3:::assets/program.zip';
  const log = allow(['logs:CreateLogStream', 'logs:PutLogEvents'], inRegion('logs', 'log-group:builds:*'));
  const read = allow(['s3:GetObject', 's3:GetObjectVersion'], source);
  const bucket = allow(['s3:GetBucketAcl', 's3:GetBucketLocation'], 'arn:aws:s3:::assets');

  /** Runs a build whose source is an object; returns how it ended, and why. */
  async function built(statements: object[]) {
    const { denialOf } = shared('codebuild.amazonaws.com', statements);
    const folder = newFolder('role-of-builds');
    const builds = new EventEmitter();
    const ended = once(builds, 'end');
    const builder = openBuilder({
      ...{ folder, logs: openLogStore(), denialOf },
      changed: ({ status }) => void (status !== 'IN_PROGRESS' && builds.emit('end')),
    });
    const BuildSpec = JSON.stringify({ version: '0.2', phases: { build: { commands: ['true'] } } });
    const properties = {
      Source: { Type: 'S3', Location: 'assets/program.zip', BuildSpec },
      Artifacts: { Type: 'NO_ARTIFACTS' },
      Environment: {
        Type: 'LINUX_CONTAINER',
        Image: 'aws/codebuild/standard:7.0',
        ComputeType: 'BUILD_GENERAL1_SMALL',
      },
      LogsConfig: { CloudWatchLogs: { GroupName: 'builds' } },
      ServiceRole: ROLE,
    };
    const project = projectOf({ name: 'press', logicalId: 'Press', properties, assetPath: newFolder('source') });
    builder.start(project, { variables: {}, token: undefined });
    await ended;
    const [build] = builder.ofProject('press');
    return [build?.status, build?.phases.find(({ failure }) => failure !== undefined)?.failure];
  }

  it.each([
    ['logs:CreateLogStream', [read, bucket]],
    ['s3:GetObject', [log, bucket]],
    ['s3:GetBucketAcl', [log, read]],
  ])('without %s the build fails', async (action, statements) => {
    expect(await built(statements)).toEqual([
      'FAILED',
      expect.stringContaining(`not authorized to perform: ${action} `),
    ]);
  });
});

describe('The trust of a role', () => {
  const account = (id: string) => ({ Condition: { StringEquals: { 'aws:SourceAccount': id } } });
  const trusted = (trust: object, service = 'codebuild.amazonaws.com') =>
    rolesFor(shared('codebuild.amazonaws.com', [], trust).template, service).length;

  it('lets the services that it names assume it, for this account', () => {
    expect([trusted({}), trusted(account('000000000000')), trusted({}, 'lambda.amazonaws.com')]).toEqual([1, 1, 0]);
  });

  it('with any other condition is not understood', () => {
    expect(() => trusted(account('111111111111'))).toThrow('trust of role Shared: this machine cannot evaluate');
  });
});

describe('A principal whose permissions are not evaluated', () => {
  const policy = (type: string, Principal: object | string): Parameters<typeof templateOf>[0] => ({
    Thing: [type, { PolicyDocument: { Statement: [{ ...allow('sns:Publish', '*'), Principal }] } }],
  });
  const of = (declared: Parameters<typeof templateOf>[0]) => permissionsOf(templateOf(declared), () => {}).notEvaluated;

  it('is listed with the reason', () => {
    expect(of(policy('AWS::SNS::TopicPolicy', { Service: 'cloudwatch.amazonaws.com' }))).toEqual([
      'cloudwatch.amazonaws.com in Thing (AWS::SNS::TopicPolicy): alarms do not run here',
    ]);
    expect(of(policy('AWS::SQS::QueuePolicy', '*'))).toEqual([]);
  });

  it.each([
    ['AWS::SQS::QueuePolicy', policy('AWS::SQS::QueuePolicy', { Service: 'sns.amazonaws.com' }), 'sns.amazonaws.com'],
    ['AWS::SecretsManager::ResourcePolicy', policy('AWS::SecretsManager::ResourcePolicy', '*'), '*'],
    [
      'AWS::Lambda::Permission',
      { Thing: ['AWS::Lambda::Permission', { Principal: 's3.amazonaws.com' }] as const },
      's3.amazonaws.com',
    ],
  ])('and is in no list ends the start: %s', (type, declared, principal) => {
    const sentence = `${type} Thing: it is not known on this machine what ${principal} does with it.`;
    expect(() => of(declared)).toThrow(sentence);
  });
});
