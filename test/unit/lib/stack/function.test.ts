import { describe, expect, it } from 'vitest';
import { stageNames } from '../../../../functions/core/pipeline/pipeline.ts';
import {
  functionFolders,
  isOnApps,
  perResource,
  policiesOf,
  type Resource,
  serviceTemplate,
  target,
} from '../../../support/template/service-template.ts';

const { ofType } = serviceTemplate();
const functions = ofType('AWS::Lambda::Function');
const roles = new Map(ofType('AWS::IAM::Role').map((role) => [role.id, role]));
const stages = stageNames.map((name) => `stage-${name}`).sort();
const logGroups = new Map(ofType('AWS::Logs::LogGroup').map((group) => [group.id, group.properties]));

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** What a function may do, without what it may do with applications: apps/apps.test.ts. */
function statementsOf(one: Resource): Statement[] {
  const role = roles.get(target(one.properties.Role));
  const policies = role ? policiesOf(role) : [];
  const statements: Statement[] = policies.flatMap(({ document }) => document.Statement);
  return statements.flatMap(perResource).filter((statement) => !isOnApps(statement));
}

function actionsOf(one: Resource): string[] {
  return statementsOf(one).flatMap((statement) => statement.Action);
}

function named(folder: string): Resource {
  const found = functions.find((one) => one.properties.Description === folder);
  if (!found) throw new Error(`There is no function ${folder}.`);
  return found;
}

function foldersThatMay(action: string): string[] {
  return functions.filter((one) => actionsOf(one).includes(action)).map((one) => one.properties.Description);
}

function readersOfSecret(id: RegExp): string[] {
  const reads = (one: Resource) =>
    statementsOf(one).some(
      ({ Action, Resource }) => Action === 'secretsmanager:GetSecretValue' && id.test(target(Resource)),
    );
  return functions.flatMap((one) => (reads(one) ? [one.properties.Description] : [])).sort();
}

it('The stack has one function per folder with a handler', () => {
  expect(functions.map((one) => one.properties.Description).sort()).toEqual(functionFolders);
});

describe('every function', () => {
  it('runs its bundle’s handler on arm64 and the newest Node', () => {
    for (const { properties } of functions) {
      expect(properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
      });
    }
  });

  it('writes JSON into the log group of all functions, kept for a month', () => {
    const groups = new Set(functions.map((one) => target(one.properties.LoggingConfig.LogGroup)));
    expect(groups.size).toBe(1);
    for (const group of groups) expect(logGroups.get(group)).toMatchObject({ RetentionInDays: 30 });
    for (const one of functions) expect(one.properties.LoggingConfig.LogFormat).toBe('JSON');
  });

  it('has its own role with one policy', () => {
    const own = functions.map((one) => target(one.properties.Role));
    expect(new Set(own).size).toBe(functions.length);
    for (const id of own) {
      const role = roles.get(id);
      expect(role?.properties.ManagedPolicyArns).toBeUndefined();
      expect(role ? policiesOf(role) : []).toMatchObject([{ condition: null }]);
    }
    expect(ofType('AWS::IAM::Policy')).toEqual([]);
  });

  it('reserves concurrency where the operator has said so: for what users wait for, and for what few call', () => {
    const reserving = functions.filter((one) => one.properties.ReservedConcurrentExecutions !== undefined);
    const names = reserving.map(({ properties }) => properties.Description).sort();
    const calledByFew = ['build-ended', 'manage-users', 'reconcile', 'sweep', 'watch-apps'];
    expect(names).toEqual(['api-changes', 'api-deploy', 'authorize', ...calledByFew, ...stages].toSorted());
    const none = { Ref: 'AWS::NoValue' };
    const reserved = { Ref: 'ReservedConcurrency' };
    for (const name of ['authorize', 'api-deploy']) {
      const given = { 'Fn::If': ['ReservationGiven', reserved, none] };
      expect(named(name).properties.ReservedConcurrentExecutions).toEqual(given);
    }
    const two = { 'Fn::If': ['ReservationGiven', 2, none] };
    for (const name of calledByFew) expect(named(name).properties.ReservedConcurrentExecutions).toEqual(two);
    // No less than the queue hands out.
    const runs = { 'Fn::If': ['LimitGiven', { Ref: 'StageConcurrency' }, reserved] };
    const given = { 'Fn::If': ['ReservationGiven', runs, none] };
    for (const name of stages) expect(named(name).properties.ReservedConcurrentExecutions).toEqual(given);
    expect(named('api-changes').properties.ReservedConcurrentExecutions).toEqual({
      'Fn::If': [expect.any(String), { Ref: 'ChangesConcurrency' }, { Ref: 'AWS::NoValue' }],
    });
  });
});

describe('access to keys, secrets and data', () => {
  it('lets only functions that call repository hosts decrypt, and only repository tokens', () => {
    expect(foldersThatMay('kms:Decrypt').sort()).toEqual([
      'api-app-source',
      'reconcile',
      'report-status',
      'stage-check',
      'stage-fetch',
    ]);
    for (const folder of foldersThatMay('kms:Decrypt')) {
      const decrypt = statementsOf(named(folder)).find((statement) => statement.Action === 'kms:Decrypt');
      expect(decrypt?.Condition).toEqual({ StringEquals: { 'kms:EncryptionContext:purpose': 'repo-token' } });
    }
  });

  it('lets only pairing encrypt, only repository tokens, and not decrypt', () => {
    expect(foldersThatMay('kms:Encrypt')).toEqual(['api-pair']);
    const encrypt = statementsOf(named('api-pair')).find((statement) => statement.Action === 'kms:Encrypt');
    expect(encrypt?.Condition).toEqual({ StringEquals: { 'kms:EncryptionContext:purpose': 'repo-token' } });
    expect(actionsOf(named('api-pair'))).not.toContain('kms:Decrypt');
  });

  it('lets only the deploy endpoint read the secrets of webhooks', () => {
    expect(readersOfSecret(/^StoresHookSecrets/)).toEqual(['api-deploy']);
  });

  it('lets readers of the log write nothing', () => {
    const onTheLog = (folder: string) =>
      statementsOf(named(folder)).filter(({ Resource }) => !JSON.stringify(Resource).includes('ChangesConnections'));
    const actions = (folder: string) => [
      ...new Set(
        onTheLog(folder)
          .flatMap(({ Action }) => Action)
          .filter((action) => action.startsWith('dynamodb:')),
      ),
    ];
    for (const folder of ['api-build-log', 'api-badge']) {
      expect(actions(folder), folder).toEqual(['dynamodb:GetItem']);
    }
    for (const folder of ['api-status', 'api-changes', 'api-apps']) {
      const reads = ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query'];
      expect(reads, folder).toEqual(expect.arrayContaining(actions(folder)));
    }
    // It takes entries that have ended from the list of the sweeper.
    expect(actions('report-status')).toEqual(['dynamodb:GetItem', 'dynamodb:UpdateItem']);
  });

  it('lets nobody delete entries of the log', () => {
    // Tokens of repository hosts, and users, are items of the same table.
    const ofTheLog = functions.filter((one) =>
      statementsOf(one).some(
        ({ Action, Resource }) => Action.includes('dynamodb:DeleteItem') && target(Resource).startsWith('StoresLog'),
      ),
    );
    expect(ofTheLog.map(({ properties }) => properties.Description).sort()).toEqual(['api-pair', 'manage-users']);
    expect(foldersThatMay('dynamodb:ConditionCheckItem')).toEqual([]);
  });

  it('lets readers of tarballs list the bucket, so that an expired tarball is 404 instead of 403', () => {
    expect(foldersThatMay('s3:ListBucket')).toEqual(foldersThatMay('s3:GetObject'));
  });
});
