import type {
  CreateFunctionRequest,
  DeleteFunctionConcurrencyRequest,
  DeleteFunctionRequest,
  GetFunctionRequest,
  ListVersionsByFunctionRequest,
  PutFunctionConcurrencyRequest,
  PutFunctionEventInvokeConfigRequest,
  UpdateFunctionCodeRequest,
  UpdateFunctionConfigurationRequest,
} from '@aws-sdk/client-lambda';
import { operation } from '../wire/service.ts';
import { ShapeError } from '../wire/shapes.ts';
import type { FunctionParts } from './function-parts.ts';
import {
  conflict,
  type FunctionRecord,
  type FunctionSettings,
  type FunctionStore,
  functionArn,
  invalid,
  revisionOf,
  versionOf,
} from './function-store.ts';
import { changedSettings, describe } from './settings-of.ts';
import { changeable, listVersions, published, remove, revision } from './versions.ts';

const NAME = /^[a-zA-Z0-9-_]{1,64}$/;

const DEFAULTS: FunctionSettings = {
  role: '',
  runtime: '',
  handler: '',
  description: '',
  timeoutSeconds: 3,
  memoryMb: 128,
  architecture: 'x86_64',
  layers: [],
  variables: {},
  logGroup: '',
  code: '',
};

/** The operations on functions and their versions. */
export function functionOperations(parts: FunctionParts) {
  const { store } = parts;
  return {
    CreateFunction: operation<CreateFunctionRequest>(
      [
        'FunctionName',
        'Role',
        'Code',
        'Runtime',
        'Handler',
        'Description',
        'Timeout',
        'MemorySize',
        'PackageType',
        'Environment',
        'Tags',
        'Layers',
        'Architectures',
        'LoggingConfig',
        'Publish',
      ],
      (input) => createFunction(parts, input),
    ),
    GetFunction: operation<GetFunctionRequest>(['FunctionName', 'Qualifier'], ({ FunctionName, Qualifier }) => {
      const record = store.get(FunctionName);
      const { reservedConcurrency: reserved } = record;
      return {
        Configuration: described(record, Qualifier),
        Code: { RepositoryType: 'S3' },
        Tags: record.tags,
        ...(reserved !== undefined && { Concurrency: { ReservedConcurrentExecutions: reserved } }),
      };
    }),
    UpdateFunctionConfiguration: operation<UpdateFunctionConfigurationRequest>(
      [
        'FunctionName',
        'Role',
        'Runtime',
        'Handler',
        'Description',
        'Timeout',
        'MemorySize',
        'Environment',
        'Layers',
        'LoggingConfig',
        'RevisionId',
      ],
      (input) => {
        const record = changeable(store.get(input.FunctionName), input.RevisionId);
        return change(store, record, changedSettings(record.latest.settings, input, parts.roles));
      },
    ),
    UpdateFunctionCode: operation<UpdateFunctionCodeRequest>(
      ['FunctionName', 'ZipFile', 'S3Bucket', 'S3Key', 'Architectures', 'RevisionId', 'Publish'],
      (input) => updateCode(parts, input),
    ),
    ListVersionsByFunction: operation<ListVersionsByFunctionRequest>(['FunctionName', 'Marker', 'MaxItems'], (input) =>
      listVersions(store.get(input.FunctionName), input),
    ),
    DeleteFunction: operation<DeleteFunctionRequest>(['FunctionName', 'Qualifier'], (input) => remove(parts, input)),
    PutFunctionConcurrency: operation<PutFunctionConcurrencyRequest>(
      ['FunctionName', 'ReservedConcurrentExecutions'],
      ({ FunctionName, ReservedConcurrentExecutions: reservedConcurrency = 0 }) => {
        const record = store.get(FunctionName);
        const refusal = parts.concurrency.reserve(record.name, reservedConcurrency);
        if (refusal !== undefined) throw invalid(refusal);
        store.put({ ...record, reservedConcurrency });
        return { ReservedConcurrentExecutions: reservedConcurrency };
      },
    ),
    PutFunctionEventInvokeConfig: operation<PutFunctionEventInvokeConfigRequest>(
      ['FunctionName', 'MaximumRetryAttempts', 'MaximumEventAgeInSeconds'],
      ({ FunctionName, MaximumRetryAttempts, MaximumEventAgeInSeconds }) => {
        const record = store.get(FunctionName);
        if (MaximumRetryAttempts !== 0) throw new ShapeError('repeated asynchronous invocations are not emulated');
        store.put({ ...record, runsOnce: true });
        return { FunctionArn: functionArn(record.name, '$LATEST'), MaximumRetryAttempts, MaximumEventAgeInSeconds };
      },
    ),
    DeleteFunctionConcurrency: operation<DeleteFunctionConcurrencyRequest>(['FunctionName'], ({ FunctionName }) => {
      const { reservedConcurrency: _removed, ...record } = store.get(FunctionName);
      parts.concurrency.release(record.name);
      store.put(record);
      return {};
    }),
  };
}

async function createFunction({ store, code, roles }: FunctionParts, input: CreateFunctionRequest) {
  const { FunctionName: name = '', Architectures, Code = {}, Tags = {}, PackageType = 'Zip' } = input;
  if (!NAME.test(name)) throw invalid(`The function name ${name} must match ${NAME.source}`);
  if (PackageType !== 'Zip') throw invalid('Only functions of the package type Zip are emulated.');
  if (store.find(name)) throw conflict(`Function already exist: ${name}`);
  const wanted = {
    ...DEFAULTS,
    architecture: Architectures?.[0] ?? DEFAULTS.architecture,
    logGroup: `/aws/lambda/${name}`,
  };
  const checked = changedSettings(wanted, input, roles);
  const settings = { ...checked, code: await code.add(Code) };
  // Another creation may have been faster meanwhile.
  if (store.find(name)) throw conflict(`Function already exist: ${name}`);
  const record: FunctionRecord = {
    name,
    tags: Tags,
    latest: revision(settings, true),
    versions: {},
    lastVersion: 0,
    aliases: {},
    urls: {},
    statements: [],
  };
  store.put(record);
  return input.Publish ? published(store, name) : described(record);
}

async function updateCode({ store, code, roles }: FunctionParts, input: UpdateFunctionCodeRequest) {
  changeable(store.get(input.FunctionName), input.RevisionId);
  const fetched = await code.add(input);
  const record = changeable(store.get(input.FunctionName), input.RevisionId);
  const { settings } = record.latest;
  const architecture = input.Architectures?.[0] ?? settings.architecture;
  const changed = change(store, record, changedSettings({ ...settings, code: fetched, architecture }, {}, roles));
  return input.Publish ? published(store, record.name) : changed;
}

function change(store: FunctionStore, record: FunctionRecord, settings: FunctionSettings) {
  const changed = { ...record, latest: revision(settings, false) };
  store.put(changed);
  return described(changed);
}

function described(record: FunctionRecord, qualifier?: string) {
  return describe(record, revisionOf(record, qualifier), versionOf(record, qualifier), qualifier !== undefined);
}
