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
import { conflict, type FunctionRecord, functionArn, versionOf } from './function-store.ts';

/** The operations on how functions are reached: aliases, function URLs and permissions. */
export function accessOperations(parts: FunctionParts) {
  const { store, runner } = parts;
  return {
    CreateAlias: operation<CreateAliasRequest>(['FunctionName', 'Name', 'FunctionVersion'], (input) => {
      const record = store.get(input.FunctionName);
      const { Name: name = '', FunctionVersion } = input;
      if (Object.hasOwn(record.aliases, name))
        throw conflict(`Alias already exists: ${functionArn(record.name, name)}`);
      return putAlias(parts, record, { name, version: versionOf(record, FunctionVersion) });
    }),
    UpdateAlias: operation<UpdateAliasRequest>(['FunctionName', 'Name', 'FunctionVersion'], (input) => {
      const record = store.get(input.FunctionName);
      const { Name: name = '', FunctionVersion } = input;
      const known = aliasOf(record, name);
      const version = versionOf(record, FunctionVersion);
      // Requests that have begun end in the version that they began in.
      if (version !== known) void runner.retire(record.name, known);
      return putAlias(parts, record, { name, version });
    }),
    CreateFunctionUrlConfig: operation<CreateFunctionUrlConfigRequest>(
      ['FunctionName', 'Qualifier', 'AuthType', 'InvokeMode'],
      (input) => createUrl(parts, input),
    ),
    GetFunctionUrlConfig: operation<GetFunctionUrlConfigRequest>(['FunctionName', 'Qualifier'], (input) => {
      const record = store.get(input.FunctionName);
      const { Qualifier: qualifier = '$LATEST' } = input;
      const url = Object.hasOwn(record.urls, qualifier) ? record.urls[qualifier] : undefined;
      if (url) return { ...describeUrl(record, qualifier), LastModifiedTime: url.createdAt };
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
  { name, version }: { readonly name: string; readonly version: string },
) {
  store.put({ ...record, aliases: { ...record.aliases, [name]: version } });
  return { AliasArn: functionArn(record.name, name), Name: name, FunctionVersion: version };
}

/** Returns the version that an alias names. */
function aliasOf(record: FunctionRecord, name: string): string {
  const found = Object.hasOwn(record.aliases, name) ? record.aliases[name] : undefined;
  if (found !== undefined) return found;
  throw new ServiceError('ResourceNotFoundException', `Cannot find alias arn: ${functionArn(record.name, name)}`);
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
  const { StatementId: id, Qualifier: qualifier } = input;
  if (record.statements.some((one) => one.StatementId === id && one.Qualifier === qualifier)) {
    throw conflict(
      `The statement id (${id}) provided already exists. Please provide a new statement id, or remove the existing statement.`,
    );
  }
  store.put({ ...record, statements: [...record.statements, input] });
  return {};
}
