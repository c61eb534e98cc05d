import { request } from 'node:http';
import * as codeBuildClient from '@aws-sdk/client-codebuild';
import { CodeBuildClient, CodeBuildServiceException, StartBuildCommand } from '@aws-sdk/client-codebuild';
import * as lambdaClient from '@aws-sdk/client-lambda';
import { GetAliasCommand, LambdaClient, PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../../../aws-local/clients.ts';
import { openGuard } from '../../../aws-local/permissions/guard.ts';
import { startWireEndpoint, type WireEndpoint } from '../../../aws-local/wire/endpoint.ts';
import { readModel } from '../../../aws-local/wire/model.ts';
import { operation, type Service, ServiceError } from '../../../aws-local/wire/service.ts';
import { convert } from '../../../aws-local/wire/shapes.ts';

describe('What the model of a service allows', () => {
  const lambda = readModel(lambdaClient);
  const input = (name: string) => {
    const found = lambda.operations.get(name);
    if (!found) throw new Error(`no ${name}`);
    return found.input;
  };
  const code = { ZipFile: 'cm9vdA==' };

  it('bytes, numbers, lists, maps and structures are read as the SDK has them', () => {
    const given = {
      FunctionName: 'f',
      Role: 'r',
      Code: code,
      Timeout: 3,
      Layers: ['l'],
      Environment: { Variables: { A: 'b' } },
    };
    const read = convert(input('CreateFunction'), given, 'decode', 'CreateFunction');
    expect(read).toEqual({ ...given, Code: { ZipFile: Buffer.from('root') } });
    expect(convert(input('CreateFunction'), read, 'encode', 'CreateFunction')).toEqual(given);
  });

  it.each([
    [{ FunctionName: 'f', Role: 'r' }, 'CreateFunction.Code is missing'],
    [{ FunctionName: 'f', Role: 'r', Code: code, Owner: 'me' }, 'CreateFunction.Owner is not in the model'],
    [
      { FunctionName: 'f', Role: 'r', Code: code, Timeout: '3' },
      'CreateFunction.Timeout must be a number and is string',
    ],
    [{ FunctionName: 'f', Role: 'r', Code: code, Layers: 'l' }, 'CreateFunction.Layers must be a list'],
    [{ FunctionName: 'f', Role: 'r', Code: code, Layers: [1] }, 'CreateFunction.Layers[0] must be a string'],
    [{ FunctionName: 'f', Role: 'r', Code: [] }, 'CreateFunction.Code must be an object and is a list'],
  ])('%j is refused: %s', (given, reason) => {
    expect(() => convert(input('CreateFunction'), given, 'decode', 'CreateFunction')).toThrow(reason);
  });

  it('times are dates in the SDK and seconds on the wire', () => {
    const output = readModel(codeBuildClient).operations.get('StartBuild')?.output;
    if (!output) throw new Error('no StartBuild');
    const answer = convert(output, { build: { startTime: new Date(1500) } }, 'encode', 'StartBuild');
    expect(answer).toEqual({ build: { startTime: 1.5 } });
  });

  it('errors have the status of the model', () => {
    expect([lambda.statusOf('ResourceConflictException'), lambda.statusOf('Unheard')]).toEqual([409, undefined]);
  });
});

describe('An endpoint of services', () => {
  const warnings: string[] = [];
  let endpoint: WireEndpoint;
  let lambda: LambdaClient;
  let codeBuild: CodeBuildClient;
  let answer: object = {};

  const services: Service[] = [
    {
      name: 'Lambda',
      load: async () => lambdaClient,
      operations: {
        GetAlias: operation<lambdaClient.GetAliasRequest>(['FunctionName', 'Name'], (input) => {
          if (input.Name === 'none') throw new ServiceError('ResourceNotFoundException', 'no such alias');
          return { Name: input.Name, FunctionVersion: input.FunctionName };
        }),
        PutFunctionConcurrency: operation<lambdaClient.PutFunctionConcurrencyRequest>(['FunctionName'], () => ({})),
      },
    },
    {
      name: 'CodeBuild',
      target: 'CodeBuild_20161006',
      load: async () => codeBuildClient,
      operations: { StartBuild: operation<codeBuildClient.StartBuildInput>(['projectName'], () => answer) },
    },
  ];

  beforeAll(async () => {
    endpoint = await startWireEndpoint(services, (sentence) => warnings.push(sentence));
    lambda = new LambdaClient(clientFor(endpoint.endpoint));
    codeBuild = new CodeBuildClient(clientFor(endpoint.endpoint));
  });
  afterAll(async () => {
    lambda.destroy();
    codeBuild.destroy();
    await endpoint.close();
  });

  it('a REST call is answered with what its path names', async () => {
    const { Name, FunctionVersion } = await lambda.send(new GetAliasCommand({ FunctionName: 'a b', Name: 'live' }));
    expect([Name, FunctionVersion]).toEqual(['live', 'a b']);
  });

  it('an error of the service reaches the client under its name, and is no warning', async () => {
    const call = lambda.send(new GetAliasCommand({ FunctionName: 'f', Name: 'none' }));
    await expect(call).rejects.toMatchObject({ name: 'ResourceNotFoundException', $metadata: { httpStatusCode: 404 } });
    expect(warnings).toEqual([]);
  });

  it('a member without an effect here is refused and warned of', async () => {
    const call = lambda.send(new PutFunctionConcurrencyCommand({ FunctionName: 'f', ReservedConcurrentExecutions: 1 }));
    await expect(call).rejects.toThrow('PutFunctionConcurrency.ReservedConcurrentExecutions is not emulated');
    expect(warnings.splice(0)).toEqual([expect.stringContaining('A call to Lambda was refused on this machine')]);
  });

  it('an answer that is not in the model is an error of the emulator', async () => {
    answer = { build: { buildNumber: 'one' } };
    const call = codeBuild.send(new StartBuildCommand({ projectName: 'p' }));
    await expect(call).rejects.toThrow(CodeBuildServiceException);
    expect(warnings.splice(0).join()).toContain('the answer to StartBuild.build.buildNumber must be a number');
  });

  it('a call that the role of its caller does not allow is refused in the words of the service, and does nothing', async () => {
    const caller = { accessKeyId: 'ASIA', secretAccessKey: 'secret', role: 'Builder', arn: 'arn:of:builder' };
    const resources = ['arn:aws:codebuild:us-east-1:000000000000:project/p'];
    const statement = { effect: 'Allow' as const, actions: ['codebuild:StartBuild'], resources, conditions: [] };
    const guarded = await startWireEndpoint(services, () => {}, openGuard([{ ...caller, statements: [statement] }]));
    const settings = { ...clientFor(guarded.endpoint), credentials: caller };
    const client = new CodeBuildClient(settings);
    answer = {};
    await client.send(new StartBuildCommand({ projectName: 'p' }));
    await expect(client.send(new StartBuildCommand({ projectName: 'q' }))).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining(
        'codebuild:StartBuild on resource: arn:aws:codebuild:us-east-1:000000000000:project/q',
      ),
      $metadata: { httpStatusCode: 400 },
    });
    const other = new LambdaClient(settings).send(new GetAliasCommand({ FunctionName: 'f', Name: 'live' }));
    await expect(other).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining('lambda:GetAlias on resource'),
      $metadata: { httpStatusCode: 403 },
    });
    await guarded.close();
  });

  it('a request without a signature is refused, for each service', async () => {
    const status = await new Promise((resolve, reject) => {
      const asked = request(`${endpoint.endpoint}/2015-03-31/functions/f/aliases/live`, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.once('error', reject);
      asked.end();
    });
    expect(status).toBe(403);
  });
});
