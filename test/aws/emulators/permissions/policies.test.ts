import { describe, expect, it } from 'vitest';
import { matches } from '../../../aws-local/permissions/guard.ts';
import { checkRoles, permissionsOf } from '../../../aws-local/permissions/permissions.ts';
import { templateOf } from '../../../support/aws-local/template-fixture.ts';

const TABLE = 'arn:aws:dynamodb:us-east-1:000000000000:table/Log';
const QUEUE = 'arn:aws:sqs:us-east-1:000000000000:Jobs';
const KEY = 'arn:aws:kms:us-east-1:000000000000:key/Key';
const roleArn = (name: string) => `arn:aws:iam::000000000000:role/${name}`;
const allow = (Action: string | string[], Resource: string | string[], more: object = {}) => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...more,
});
const policy = (...Statement: object[]) => ({ PolicyDocument: { Version: '2012-10-17', Statement } });

type Declared = Parameters<typeof templateOf>[0];

/** A function `Work` with the role `Worker`, whose inline policy has these statements. */
function worker(statements: readonly object[], resources: Declared = {}, role: object = {}) {
  const template = templateOf({
    Work: ['AWS::Lambda::Function', { Role: roleArn('Worker') }],
    Worker: ['AWS::IAM::Role', { Policies: [policy(...statements)], ...role }],
    ...resources,
  });
  const warnings: string[] = [];
  const permissions = permissionsOf(template, (sentence) => warnings.push(sentence));
  const { accessKeyId } = permissions.credentialsOf('Work');
  const denial = (action: string, resource: string, context?: Record<string, string>) =>
    permissions.guard.denial(accessKeyId, [{ action, resource, ...(context && { context }) }]);
  return { template, permissions, denial, warnings };
}

describe('What the policies of a role allow', () => {
  it('is allowed, and anything else is denied with action and resource, and warned of once', () => {
    const { denial, warnings } = worker([allow(['dynamodb:GetItem', 'dynamodb:Query'], TABLE)]);
    expect(denial('dynamodb:GetItem', TABLE)).toBeUndefined();
    const sentence =
      'User: arn:aws:sts::000000000000:assumed-role/Worker/Work is not authorized to perform: dynamodb:PutItem on ' +
      `resource: ${TABLE} because no identity-based policy allows the dynamodb:PutItem action`;
    expect(denial('dynamodb:PutItem', TABLE)).toBe(sentence);
    expect(denial('dynamodb:Query', `${TABLE}/index/byApp`)).toContain('dynamodb:Query on resource');
    denial('dynamodb:PutItem', TABLE);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toBe(`On AWS, this would be refused: ${sentence}.`);
  });

  it('each of several permissions is needed, and what needs unknown ones is for the operator', () => {
    const { permissions } = worker([allow('dynamodb:PutItem', TABLE)]);
    const { accessKeyId } = permissions.credentialsOf('Work');
    const calls = ['PutItem', 'DeleteItem'].map((name) => ({ action: `dynamodb:${name}`, resource: TABLE }));
    expect(permissions.guard.denial(accessKeyId, calls)).toContain('dynamodb:DeleteItem');
    expect(permissions.guard.denial(accessKeyId, undefined)).toContain('is not known on this machine');
    expect(permissions.guard.denial('local', undefined)).toBeUndefined();
    expect(permissions.guard.principal('ASIA')).toBeUndefined();
  });

  it('an explicit deny wins, in whichever policy it is', () => {
    const deny = { ...allow('sqs:Send*', '*'), Effect: 'Deny' };
    const { denial } = worker([deny, allow('sqs:*', QUEUE)]);
    expect(denial('sqs:SendMessage', QUEUE)).toContain('with an explicit deny');
    expect(denial('sqs:ReceiveMessage', QUEUE)).toBeUndefined();
  });

  it.each([
    [{ StringEquals: { 'kms:EncryptionContext:purpose': ['a', 'b'] } }, { purpose: 'b' }, { purpose: 'c' }],
    [{ StringLike: { 'kms:EncryptionContext:purpose': 'repo-*' } }, { purpose: 'repo-token' }, { purpose: 'token' }],
    [{ Null: { 'kms:EncryptionContext:purpose': false } }, { purpose: '' }, {}],
    [{ Null: { 'kms:EncryptionContext:purpose': 'true' } }, {}, { purpose: 'b' }],
    [{ Bool: { 'aws:SecureTransport': 'true' }, StringEquals: { 'kms:EncryptionContext:a': 'b' } }, { a: 'b' }, {}],
  ])('the condition %j holds with the encryption context %j, and not with %j', (Condition, holds, fails) => {
    const { denial } = worker([allow('kms:Decrypt', KEY, { Condition })]);
    const context = (pairs: object) =>
      Object.fromEntries(Object.entries(pairs).map(([name, value]) => [`kms:EncryptionContext:${name}`, value]));
    expect(denial('kms:Decrypt', KEY, context(holds))).toBeUndefined();
    expect(denial('kms:Decrypt', KEY, context(fails))).toBeDefined();
  });

  it.each([
    ['dynamodb:*Item', 'dynamodb:getitem', true],
    ['s3:GetObject?', 's3:GetObject', false],
    ['arn:aws:s3:::b.c/*', 'arn:aws:s3:::bxc/d', false],
    ['arn:aws:s3:::b/*', 'arn:aws:s3:::b/d/e\nf', true],
  ])('the pattern %s, the text %s: %s', (pattern, text, expected) => {
    expect(matches(pattern, text, true)).toBe(expected);
  });
});

describe('Policies of resources', () => {
  const secure = { Condition: { Bool: { 'aws:SecureTransport': 'false' } } };

  it('those that ask for TLS refuse nothing here', () => {
    const deny = { ...allow('sqs:*', QUEUE, secure), Effect: 'Deny', Principal: { AWS: '*' } };
    const { denial } = worker([allow('sqs:*', '*')], { Policy: ['AWS::SQS::QueuePolicy', policy(deny)] });
    expect(denial('sqs:SendMessage', QUEUE)).toBeUndefined();
  });

  it('a key leaves the decision to roles, as its statement for the account says', () => {
    const account = { ...allow('kms:*', '*'), Principal: { AWS: 'arn:aws:iam::000000000000:root' } };
    const alarms = { ...allow('kms:Decrypt', '*'), Principal: { Service: 'cloudwatch.amazonaws.com' } };
    const key = (...Statement: object[]): Declared => ({ Key: ['AWS::KMS::Key', { KeyPolicy: { Statement } }] });
    const { denial } = worker([allow('kms:Encrypt', KEY)], key(account, alarms));
    expect(denial('kms:Encrypt', KEY)).toBeUndefined();
    expect(denial('kms:Decrypt', KEY)).toBeDefined();
    const everyone = { ...allow('kms:Decrypt', '*'), Principal: '*' };
    for (const statements of [[alarms], [account, everyone]])
      expect(() => worker([], key(...statements))).toThrow(
        'AWS::KMS::Key Key: this machine cannot evaluate a key policy',
      );
  });
});

describe('A form that is not understood ends the start, and is named', () => {
  it.each([
    [{ Effect: 'Allow', NotAction: 'iam:*', Resource: '*' }, 'NotAction'],
    [{ Effect: 'Allow', Action: 's3:*', NotResource: '*' }, 'NotResource'],
    [allow('s3:*', '*', { Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } }), 'operator IpAddress'],
    [allow('s3:*', '*', { Condition: { StringEquals: { 'aws:SourceVpc': 'v' } } }), 'the condition key aws:SourceVpc'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM
    [allow('s3:*', 'arn:aws:s3:::b/${aws:username}'), 'the policy variable in arn:aws:s3:::b/${aws:username}'],
    [{ Effect: 'Allow', Action: 's3:*' }, 'a value of Resource that is not a string'],
    [allow('s3:*', '*', { Condition: { ArnLike: { 'lambda:SourceFunctionArn': 'a' } } }), 'operator ArnLike'],
    [{ Effect: 'Maybe', Action: 's3:*', Resource: '*' }, 'the effect "Maybe"'],
  ])('%j', (statement, named) => {
    expect(() => worker([statement])).toThrow(named);
    expect(() => worker([statement])).toThrow('role Worker');
  });

  it.each([
    [{ ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'] }, 'AdministratorAccess'],
    [{ PermissionsBoundary: 'arn:aws:iam::aws:policy/ReadOnly' }, 'a PermissionsBoundary'],
  ])('the role %j', (role, named) => {
    expect(() => worker([], {}, role)).toThrow(named);
  });

  it('a policy of a resource for a role', () => {
    const Principal = { AWS: roleArn('Worker') };
    const bucket = policy({ ...allow('s3:GetObject', 'arn:aws:s3:::things/a'), Principal });
    expect(() => worker([], { Policy: ['AWS::S3::BucketPolicy', bucket] })).toThrow(
      `the principal ${roleArn('Worker')}`,
    );
  });

  it('a role that is not in the template', () => {
    const template = templateOf({ Work: ['AWS::Lambda::Function', { Role: roleArn('Elsewhere') }] });
    expect(() => permissionsOf(template, () => {})).toThrow(
      'function Work: its role "arn:aws:iam::000000000000:role/Elsewhere" is not in the template.',
    );
  });
});

describe('The keys of functions', () => {
  it('each has one of its own with a secret and a token, new at each start, and the id stays', () => {
    const declared: Declared = {
      Work: ['AWS::Lambda::Function', { Role: roleArn('Worker') }],
      Rest: ['AWS::Lambda::Function', { Role: roleArn('Worker') }],
      Worker: ['AWS::IAM::Role', {}],
    };
    const keys = (name: string) => permissionsOf(templateOf(declared), () => {}).credentialsOf(name);
    expect(keys('Work')).toMatchObject({ accessKeyId: expect.stringMatching(/^ASIA[0-9A-F]{16}$/), role: 'Worker' });
    expect(keys('Work').accessKeyId).toBe(keys('Work').accessKeyId);
    expect(keys('Work').accessKeyId).not.toBe(keys('Rest').accessKeyId);
    expect(keys('Work').secretAccessKey).not.toBe(keys('Work').secretAccessKey);
    expect(keys('Work').sessionToken).not.toBe(keys('Work').sessionToken);
  });
});

describe('What Lambda does with a role', () => {
  const ownLog = allow(['logs:CreateLogStream', 'logs:PutLogEvents'], 'arn:aws:logs:*:*:log-group:/aws/lambda/Work:*');
  const mapping = (more: object = {}): Declared => ({
    Source: ['AWS::Lambda::EventSourceMapping', { FunctionName: 'Work', EventSourceArn: QUEUE, ...more }],
  });
  const poll = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

  it('a mapping whose function may not poll its queue ends the start', () => {
    const { template, permissions } = worker([allow(poll.slice(0, 2), QUEUE)], mapping());
    expect(() => checkRoles(template, permissions)).toThrow(
      /^event source mapping Source: User: .*Worker\/Work is not authorized to perform: sqs:GetQueueAttributes/,
    );
  });

  it('a function that may not write its log is warned of', () => {
    const silent = worker([]);
    checkRoles(silent.template, silent.permissions);
    expect(silent.warnings).toEqual([expect.stringContaining('logs:CreateLogStream on resource')]);
    const { template, permissions, warnings } = worker([ownLog]);
    checkRoles(template, permissions);
    expect(warnings).toEqual([]);
  });

  it('a stream needs the permissions of its reader and of its failure queue', () => {
    const stream = `${TABLE}/stream/local`;
    const read = ['DescribeStream', 'GetRecords', 'GetShardIterator'].map((name) => `dynamodb:${name}`);
    const statements = [ownLog, allow(read, stream), allow('dynamodb:ListStreams', '*')];
    const source = { EventSourceArn: stream, DestinationConfig: { OnFailure: { Destination: QUEUE } } };
    const { template, permissions } = worker(statements, mapping(source));
    expect(() => checkRoles(template, permissions)).toThrow('sqs:SendMessage');
    const both = worker([...statements, allow('sqs:SendMessage', QUEUE)], mapping(source));
    checkRoles(both.template, both.permissions);
    expect(both.permissions.unused()).toEqual([]);
  });
});

describe('The grants that nobody used', () => {
  it('are those of the role that no request needed', () => {
    const condition = { Condition: { StringEquals: { 'kms:EncryptionContext:a': 'b' } } };
    const { permissions, denial } = worker([
      allow(['dynamodb:GetItem', 'dynamodb:Query'], [TABLE, `${TABLE}/index/*`]),
      allow('kms:Decrypt', KEY, condition),
      { ...allow('sqs:*', '*'), Effect: 'Deny' },
    ]);
    denial('dynamodb:GetItem', TABLE);
    denial('dynamodb:Query', `${TABLE}/index/byApp`);
    denial('kms:Decrypt', KEY, {});
    const rest = (action: string, resource: string) => ({ role: 'Worker', action, resource, conditions: '' });
    expect(permissions.unused()).toEqual([
      rest('dynamodb:GetItem', `${TABLE}/index/*`),
      rest('dynamodb:Query', TABLE),
      { ...rest('kms:Decrypt', KEY), conditions: '[["StringEquals","kms:EncryptionContext:a",["b"]]]' },
    ]);
    denial('kms:Decrypt', KEY, { 'kms:EncryptionContext:a': 'b' });
    expect(permissions.unused()).toHaveLength(2);
    expect(permissions.used()).toContainEqual(rest('dynamodb:GetItem', TABLE));
  });
});
