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
import { operation, type Service } from '../../../aws-local/wire/service.ts';
import { convert } from '../../../aws-local/wire/shapes.ts';

describe('What the model of a service allows', () => {
  const input = readModel(lambdaClient).operations.get('CreateFunction')?.input;
  const code = { ZipFile: 'cm9vdA==' };

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
    if (!input) throw new Error('no CreateFunction');
    expect(() => convert(input, given, 'decode', 'CreateFunction')).toThrow(reason);
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
        GetAlias: operation<lambdaClient.GetAliasRequest>(['FunctionName', 'Name'], () => ({})),
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
