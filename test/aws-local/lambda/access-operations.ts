import { randomUUID } from 'node:crypto';
import type {
  AddPermissionRequest,
  CreateAliasRequest,
  CreateFunctionUrlConfigRequest,
  GetFunctionUrlConfigRequest,
  UpdateAliasRequest,
} from '@aws-sdk/client-lambda';
import { operation, ServiceError } from '../wire/service.ts';
import { ShapeError } from '../wire/shapes.ts';
import type { FunctionParts } from './function-parts.ts';
import { conflict, type FunctionRecord, functionArn, type Statement, versionOf } from './function-store.ts';

/** The operations on how functions are reached: aliases, function URLs and permissions. */
export function accessOperations(parts: FunctionParts) {
  const { store, runner } = parts;
  return {
    CreateAlias: operation<CreateAliasRequest>(['FunctionName', 'Name', 'FunctionVersion', 'Description'], (input) => {
      const record = store.get(input.FunctionName);
      const { Name: name = '', FunctionVersion, Description: description = '' } = input;
      if (Object.hasOwn(record.aliases, name))
        throw conflict(`Alias already exists: ${functionArn(record.name, name)}`);
      return putAlias(parts, record, { name, version: versionOf(record, FunctionVersion), description });
    }),
    UpdateAlias: operation<UpdateAliasRequest>(
      ['FunctionName', 'Name', 'FunctionVersion', 'Description', 'RevisionId'],
      async (input) => {
        const record = store.get(input.FunctionName);
        const { Name: name = '', FunctionVersion, Description } = input;
        const known = aliasOf(record, name);
        if (input.RevisionId !== undefined && input.RevisionId !== known.revisionId) {
          throw new ServiceError(
            'PreconditionFailedException',
            'The RevisionId provided does not match the latest RevisionId.',
          );
        }
        const version = FunctionVersion === undefined ? known.version : versionOf(record, FunctionVersion);
        const answer = putAlias(parts, record, { name, version, description: Description ?? known.description });
        // Requests that have begun end in the version that they began in.
        if (version !== known.version) void runner.retire(record.name, known.version);
        return answer;
      },
    ),
    CreateFunctionUrlConfig: operation<CreateFunctionUrlConfigRequest>(
      ['FunctionName', 'Qualifier', 'AuthType', 'InvokeMode'],
      (input) => createUrl(parts, input),
    ),
    GetFunctionUrlConfig: operation<GetFunctionUrlConfigRequest>(['FunctionName', 'Qualifier'], (input) => {
      const record = store.get(input.FunctionName);
      const qualifier = input.Qualifier ?? '$LATEST';
      if (Object.hasOwn(record.urls, qualifier)) {
        return { ...describeUrl(record, qualifier), LastModifiedTime: record.urls[qualifier]?.createdAt };
      }
      throw new ServiceError('ResourceNotFoundException', 'The resource you requested does not exist.');
    }),
    AddPermission: operation<AddPermissionRequest>(
      [
        'FunctionName',
        'StatementId',
        'Action',
        'Principal',
        'Qualifier',
        'FunctionUrlAuthType',
        'InvokedViaFunctionUrl',
      ],
      (input) => addPermission(parts, input),
    ),
  };
}

function putAlias(
  { store }: FunctionParts,
  record: FunctionRecord,
  { name, version, description }: { name: string; version: string; description: string },
) {
  const alias = { version, description, revisionId: randomUUID() };
  store.put({ ...record, aliases: { ...record.aliases, [name]: alias } });
  return describeAlias(record, name, alias);
}

type Alias = FunctionRecord['aliases'][string];

function aliasOf(record: FunctionRecord, name: string): Alias {
  const found = Object.hasOwn(record.aliases, name) ? record.aliases[name] : undefined;
  if (found) return found;
  throw new ServiceError('ResourceNotFoundException', `Cannot find alias arn: ${functionArn(record.name, name)}`);
}

function describeAlias(record: FunctionRecord, Name: string, { version, description, revisionId }: Alias) {
  return {
    AliasArn: functionArn(record.name, Name),
    Name,
    FunctionVersion: version,
    Description: description,
    RevisionId: revisionId,
  };
}

async function createUrl({ store, urls }: FunctionParts, input: CreateFunctionUrlConfigRequest) {
  const { Qualifier: qualifier = '$LATEST', AuthType, InvokeMode } = input;
  if (AuthType !== 'NONE') throw new ShapeError(`a function URL with the AuthType ${AuthType} is not emulated`);
  if (InvokeMode !== 'RESPONSE_STREAM') throw new ShapeError('a function URL that does not stream is not emulated');
  const record = store.get(input.FunctionName);
  if (qualifier !== '$LATEST') aliasOf(record, qualifier);
  if (Object.hasOwn(record.urls, qualifier)) {
    throw conflict(
      `Failed to create function url config for [functionArn = ${functionArn(record.name, qualifier)}]. Error message:  FunctionUrlConfig exists for this Lambda function`,
    );
  }
  const port = await urls.serve(record.name, qualifier);
  const current = store.get(record.name);
  const createdAt = new Date().toISOString();
  const changed = { ...current, urls: { ...current.urls, [qualifier]: { port, createdAt } } };
  store.put(changed);
  return describeUrl(changed, qualifier);
}

function describeUrl(record: FunctionRecord, qualifier: string) {
  const { port = 0, createdAt = '' } = record.urls[qualifier] ?? {};
  return {
    FunctionUrl: `http://127.0.0.1:${port}/`,
    FunctionArn: functionArn(record.name, qualifier),
    AuthType: 'NONE',
    CreationTime: createdAt,
    InvokeMode: 'RESPONSE_STREAM',
  };
}

function addPermission({ store }: FunctionParts, input: AddPermissionRequest) {
  const record = store.get(input.FunctionName);
  const { StatementId: id = '', Action: action = '', Principal: principal = '', Qualifier: qualifier } = input;
  const { FunctionUrlAuthType: urlAuthType, InvokedViaFunctionUrl: viaUrl } = input;
  if (record.statements.some((one) => one.id === id && one.qualifier === qualifier)) {
    throw conflict(
      `The statement id (${id}) provided already exists. Please provide a new statement id, or remove the existing statement.`,
    );
  }
  const statement: Statement = {
    id,
    action,
    principal,
    ...(qualifier !== undefined && { qualifier }),
    ...(urlAuthType !== undefined && { urlAuthType }),
    ...(viaUrl !== undefined && { viaUrl }),
  };
  store.put({ ...record, statements: [...record.statements, statement] });
  const Statement = {
    Sid: id,
    Effect: 'Allow',
    Principal: principal,
    Action: action,
    Resource: functionArn(record.name, qualifier),
    ...(urlAuthType !== undefined && { Condition: { StringEquals: { 'lambda:FunctionUrlAuthType': urlAuthType } } }),
    ...(viaUrl !== undefined && { Condition: { Bool: { 'lambda:InvokedViaFunctionUrl': String(viaUrl) } } }),
  };
  return { Statement: JSON.stringify(Statement) };
}
