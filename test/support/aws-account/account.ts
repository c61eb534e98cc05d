import type { DeleteLogGroupRequest, DescribeLogGroupsRequest } from '@aws-sdk/client-cloudwatch-logs';
import type { DeleteProjectInput, ListProjectsInput } from '@aws-sdk/client-codebuild';
import type {
  DeleteFunctionRequest,
  GetLayerVersionByArnRequest,
  InvocationRequest,
  ListFunctionsRequest,
} from '@aws-sdk/client-lambda';
import { DeployError } from '../../../functions/core/errors.ts';
import type { Users } from '../../../functions/core/ports/accounts.ts';
import { manage } from '../../../functions/manage-users/manage.ts';
import { operatorTrigger } from '../../../functions/triggers/operator.ts';
import { ACCOUNT, CREDENTIALS, REGION } from '../../aws-local/clients.ts';
import { startWireEndpoint } from '../../aws-local/wire/endpoint.ts';
import { type QueryError, type QueryServer, startQueryServer } from '../../aws-local/wire/query-server.ts';
import { operation, type Service, ServiceError } from '../../aws-local/wire/service.ts';
import { type FakeCloudFormation, fakeCloudFormation } from './cloudformation.ts';

/** An account of AWS in memory, behind the addresses that the SDK and the CDK are given by the environment. */
export interface FakeAccount {
  readonly id: string;
  readonly cloudFormation: FakeCloudFormation;
  /** The environment with which everything calls this account. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of functions and log groups. */
  readonly functions: Set<string>;
  readonly logGroups: Set<string>;
  /** Names of projects of CodeBuild. */
  readonly projects: Set<string>;
  /** The users of the function `manage`, with the names of their tokens. */
  readonly users: Map<string, Set<string>>;
  readonly sts: QueryServer;
  readonly stacks: QueryServer;
  /** How many functions may run at a time. */
  concurrency: number;
  /** The error with which STS refuses the credentials. */
  refusal: QueryError | null;
  /** The error with which Lambda refuses a layer. */
  layerRefusal: Error | null;
  /** The ARNs of the layers that were asked for. */
  readonly layers: string[];
  /** What no service of AWS would have understood. */
  mistakes(): readonly string[];
  /** Empties the account and forgets what was called. */
  reset(): void;
  close(): Promise<void>;
}

/** The name of the function that adds users. */
export const MANAGE_USERS = 'DeploymentWebhooks-manageusers';

/** Starts an empty account. Lambda and CloudWatch Logs are held to the models of their clients. */
export async function startAccount(): Promise<FakeAccount> {
  const cloudFormation = fakeCloudFormation();
  const warnings: string[] = [];
  const state = {
    functions: new Set<string>(),
    logGroups: new Set<string>(),
    projects: new Set<string>(),
    users: new Map<string, Set<string>>(),
    concurrency: 1000,
    refusal: null as QueryError | null,
    layerRefusal: null as Error | null,
    layers: [] as string[],
  };
  const identity = { UserId: 'AIDA', Account: ACCOUNT, Arn: `arn:aws:iam::${ACCOUNT}:user/ann` };
  const sts = await startQueryServer({
    version: '2011-06-15',
    namespace: 'https://sts.amazonaws.com/doc/2011-06-15/',
    actions: {
      GetCallerIdentity: {
        takes: [],
        run: () => {
          if (account.refusal) throw account.refusal;
          return identity;
        },
      },
    },
  });
  const stacks = await startQueryServer(cloudFormation.service);
  const wire = await startWireEndpoint([lambda(() => account), builds(state), logs(state)], (warning) =>
    warnings.push(warning),
  );
  const account: FakeAccount = {
    ...state,
    id: ACCOUNT,
    cloudFormation,
    sts,
    stacks,
    env: {
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      AWS_REGION: REGION,
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      AWS_ENDPOINT_URL_STS: sts.endpoint,
      AWS_ENDPOINT_URL_CLOUDFORMATION: stacks.endpoint,
      AWS_ENDPOINT_URL_LAMBDA: wire.endpoint,
      AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: wire.endpoint,
      AWS_ENDPOINT_URL_CODEBUILD: wire.endpoint,
      // What is not here must not be looked for at AWS.
      AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
    },
    mistakes: () => [...sts.mistakes, ...stacks.mistakes, ...warnings],
    reset: () => {
      cloudFormation.reset();
      for (const one of [state.projects, state.functions, state.logGroups, state.users]) one.clear();
      for (const list of [state.layers, sts.calls, stacks.calls, sts.mistakes, stacks.mistakes, warnings])
        list.length = 0;
      Object.assign(account, { concurrency: 1000, refusal: null, layerRefusal: null });
    },
    close: async () => {
      await Promise.all([sts.close(), stacks.close(), wire.close()]);
    },
  };
  return account;
}

function lambda(account: () => FakeAccount): Service {
  const handler = operatorTrigger((request) => manage(request, memoryUsers(account().users)));
  return {
    name: 'Lambda',
    load: () => import('@aws-sdk/client-lambda'),
    operations: {
      GetAccountSettings: operation<object>([], () => ({
        AccountLimit: {
          ConcurrentExecutions: account().concurrency,
          UnreservedConcurrentExecutions: account().concurrency,
        },
      })),
      GetLayerVersionByArn: operation<GetLayerVersionByArnRequest>(['Arn'], ({ Arn = '' }) => {
        const { layers, layerRefusal } = account();
        layers.push(Arn);
        if (layerRefusal) throw layerRefusal;
        return { LayerVersionArn: Arn };
      }),
      ListFunctions: operation<ListFunctionsRequest>(['Marker', 'MaxItems'], ({ Marker = '0' }) => {
        const names = [...account().functions];
        const next = Number(Marker) + 1;
        const Functions = names.slice(Number(Marker), next).map((FunctionName) => ({ FunctionName }));
        return { Functions, ...(next < names.length && { NextMarker: String(next) }) };
      }),
      DeleteFunction: operation<DeleteFunctionRequest>(['FunctionName'], ({ FunctionName = '' }) => {
        if (account().functions.delete(FunctionName)) return {};
        throw new ServiceError('ResourceNotFoundException', `Function not found: ${FunctionName}`);
      }),
      Invoke: operation<InvocationRequest>(['FunctionName', 'Payload'], async ({ FunctionName, Payload }) => {
        if (FunctionName !== MANAGE_USERS) throw new ServiceError('ResourceNotFoundException', 'Function not found');
        const answer = await handler(JSON.parse(Buffer.from(Payload ?? []).toString()));
        return { StatusCode: 200, Payload: Buffer.from(JSON.stringify(answer)) };
      }),
    },
  };
}

function builds({ projects }: Pick<FakeAccount, 'projects'>): Service {
  return {
    name: 'CodeBuild',
    target: 'CodeBuild_20161006',
    load: () => import('@aws-sdk/client-codebuild'),
    operations: {
      ListProjects: operation<ListProjectsInput>(['nextToken'], ({ nextToken = '0' }) => {
        const names = [...projects];
        const next = Number(nextToken) + 1;
        return {
          projects: names.slice(Number(nextToken), next),
          ...(next < names.length && { nextToken: String(next) }),
        };
      }),
      DeleteProject: operation<DeleteProjectInput>(['name'], ({ name = '' }) => {
        projects.delete(name);
        return {};
      }),
    },
  };
}

function logs({ logGroups }: Pick<FakeAccount, 'logGroups'>): Service {
  return {
    name: 'CloudWatch Logs',
    target: 'Logs_20140328',
    load: () => import('@aws-sdk/client-cloudwatch-logs'),
    operations: {
      DescribeLogGroups: operation<DescribeLogGroupsRequest>(
        ['logGroupNamePrefix', 'nextToken'],
        ({ logGroupNamePrefix = '' }) => ({
          logGroups: [...logGroups]
            .filter((name) => name.startsWith(logGroupNamePrefix))
            .map((logGroupName) => ({ logGroupName })),
        }),
      ),
      DeleteLogGroup: operation<DeleteLogGroupRequest>(['logGroupName'], ({ logGroupName = '' }) => {
        if (logGroups.delete(logGroupName)) return {};
        throw new ServiceError('ResourceNotFoundException', 'The specified log group does not exist.');
      }),
    },
  };
}

function memoryUsers(users: Map<string, Set<string>>): Users {
  const tokensOf = (user: string) => {
    const tokens = users.get(user);
    if (tokens) return tokens;
    throw new DeployError('request:bad_parameter', `There is no user ${user}.`);
  };
  return {
    list: async () =>
      [...users].map(([user, tokens]) => ({
        user,
        tokens: [...tokens].map((name) => ({ name, createdAt: '2026-01-01T00:00:00.000Z' })),
      })),
    add: async (user, password = `password-of-${user}`) => {
      if (users.has(user)) throw new DeployError('request:bad_parameter', `There is a user ${user} already.`);
      users.set(user, new Set());
      return { user, password };
    },
    setPassword: async (user, password = `new-password-of-${user}`) => {
      tokensOf(user);
      return { user, password };
    },
    makeToken: async (user, name) => {
      tokensOf(user).add(name);
      return { user, name, token: `dwt_${user}_${name}` };
    },
    revokeToken: async (user, name) => tokensOf(user).delete(name),
    remove: async (user) => users.delete(user),
  };
}
