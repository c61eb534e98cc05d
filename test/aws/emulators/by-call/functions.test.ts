import type { CreateFunctionRequest } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LambdaService, openLambda } from '../../../aws-local/lambda/lambda-service.ts';
import { canBeReadOnly } from '../../../aws-local/lambda/version-process.ts';
import { openLogStore } from '../../../aws-local/logs/log-store.ts';
import { accountConcurrency } from '../../../aws-local/strict/concurrency.ts';
import { templateOf } from '../../../support/aws-local/template-fixture.ts';
import { zipOf } from '../../../support/aws-local/zip-of.ts';
import { newFolder } from '../../../support/new-folder.ts';

const ROLE = 'arn:aws:iam::000000000000:role/app';
const LAYER = 'arn:aws:lambda:us-east-1:753240598075:layer:LambdaAdapterLayerArm64:27';
const WRAPPER = { AWS_LAMBDA_EXEC_WRAPPER: '/opt/bootstrap', AWS_LWA_INVOKE_MODE: 'response_stream' };

/** A server that answers with what an expression gives, after as many milliseconds as the path says. */
function server(answer: string) {
  return zipOf({
    'run.sh': '#!/bin/sh\ncd app && exec node server.js\n',
    'app/server.js': `const fs = require('node:fs');
      require('node:http').createServer(({ url }, response) => {
        setTimeout(() => response.end(String(${answer})), Number(url.slice(1)));
      }).listen(process.env.PORT, process.env.HOST);`,
  });
}

describe('What Lambda refuses, and when a function changes', () => {
  let lambda: LambdaService;
  beforeEach(() => {
    lambda = openLambda({
      folder: newFolder('functions'),
      s3: new S3Client({ region: 'us-east-1' }),
      logs: openLogStore(),
      roles: new Set([ROLE]),
      denialOf: () => undefined,
      concurrency: accountConcurrency(templateOf({})),
    });
  });
  afterEach(() => lambda.close());

  const call = async (name: string, input: object = {}): Promise<Record<string, unknown>> => ({
    ...(await lambda.service.operations[name]?.run({ FunctionName: 'page', ...input })),
  });
  const settled = () =>
    expect
      .poll(() => call('GetFunction'), { interval: 20 })
      .toMatchObject({ Configuration: { LastUpdateStatus: 'Successful' } });

  async function create(more: Partial<CreateFunctionRequest> = {}): Promise<void> {
    await call('CreateFunction', {
      Runtime: 'nodejs24.x',
      Role: ROLE,
      Handler: 'run.sh',
      Code: { ZipFile: await server('"one"') },
      Architectures: ['arm64'],
      Layers: [LAYER],
      Environment: { Variables: WRAPPER },
      // Of seconds of which it needs a fraction, on a machine that does other things too.
      Timeout: 60,
      ...more,
    });
    await settled();
  }
  /** Publishes a version that answers with what an expression gives; returns its number. */
  async function publish(answer: string) {
    const { Version } = await call('UpdateFunctionCode', { ZipFile: await server(answer), Publish: true });
    await settled();
    return Version;
  }
  const allow = (StatementId: string, permission: object) =>
    call('AddPermission', { StatementId, Qualifier: 'live', Principal: '*', ...permission });
  /** Makes the version public at the alias `live`; returns its address. */
  async function open(FunctionVersion: unknown): Promise<string> {
    await call('CreateAlias', { Name: 'live', FunctionVersion });
    const place = { Qualifier: 'live', AuthType: 'NONE', InvokeMode: 'RESPONSE_STREAM' };
    const { FunctionUrl } = await call('CreateFunctionUrlConfig', place);
    await allow('url', { Action: 'lambda:InvokeFunctionUrl', FunctionUrlAuthType: 'NONE' });
    await allow('invoke', { Action: 'lambda:InvokeFunction', InvokedViaFunctionUrl: true });
    return String(FunctionUrl);
  }
  const textAt = async (url: string) => (await fetch(url)).text();

  it('the URL of an alias is forbidden until it has both permissions', async () => {
    await create();
    await call('CreateAlias', { Name: 'live', FunctionVersion: await publish('"one"') });
    const place = { Qualifier: 'live', AuthType: 'NONE', InvokeMode: 'RESPONSE_STREAM' };
    const { FunctionUrl } = await call('CreateFunctionUrlConfig', place);
    const status = async () => (await fetch(String(FunctionUrl))).status;
    const statuses = [await status()];
    await allow('url', { Action: 'lambda:InvokeFunctionUrl', FunctionUrlAuthType: 'NONE' });
    statuses.push(await status());
    await allow('invoke', { Action: 'lambda:InvokeFunction', InvokedViaFunctionUrl: true });
    expect([...statuses, await status()]).toEqual([403, 403, 200]);
  });

  it('a request that has begun ends in its version, and one that an alias names is not deleted', async () => {
    await create();
    const url = await open(await publish('"one"'));
    const slow = textAt(`${url}700`);
    expect(await textAt(url)).toBe('one');
    await call('UpdateAlias', { Name: 'live', FunctionVersion: await publish('"two"') });
    expect(await textAt(url)).toBe('two');
    expect(await slow).toBe('one');
    await expect(call('DeleteFunction', { Qualifier: '2' })).rejects.toMatchObject({
      type: 'ResourceConflictException',
    });
    await call('DeleteFunction', { Qualifier: '1' });
  });

  it('a change is refused while another is under way, and a version without a change is the last one', async () => {
    await create();
    expect([await publish('"one"'), await publish('"one"')]).toEqual(['1', '1']);
    const change = () => call('UpdateFunctionConfiguration', { MemorySize: 256 });
    await change();
    await expect(change()).rejects.toMatchObject({ type: 'ResourceConflictException' });
    await settled();
    expect(await publish('"one"')).toBe('2');
  });

  it('an application can write into /tmp only, and not into its own folder', async ({ skip }) => {
    if (!canBeReadOnly()) skip('this system allows no mounts');
    await create();
    const tries = `[__dirname + '/cache', '../cache', require('node:os').tmpdir() + '/cache-' + process.pid].map((file) => {
      try { fs.writeFileSync(file, ''); fs.rmSync(file); return 'written'; } catch ({ code }) { return code; }
    })`;
    expect(await textAt(await open(await publish(tries)))).toBe('EROFS,EROFS,written');
  });

  it('reserved concurrency 0 stops a function until it is taken away', async () => {
    await create();
    const url = await open(await publish('"one"'));
    await call('PutFunctionConcurrency', { ReservedConcurrentExecutions: 0 });
    expect((await fetch(url)).status).toBe(429);
    await call('DeleteFunctionConcurrency');
    expect((await fetch(url)).status).toBe(200);
  });

  it.each<[string, Partial<CreateFunctionRequest>, RegExp]>([
    ['a variable of Lambda', { Environment: { Variables: { ...WRAPPER, AWS_REGION: 'x' } } }, /reserved keys/],
    ['more than 4 KB of variables', { Environment: { Variables: { ...WRAPPER, A1: 'x'.repeat(4096) } } }, /4KB limit/],
    ['a role that Lambda may not assume', { Role: `${ROLE}-other` }, /cannot be assumed/],
    ['a timeout beyond 15 minutes', { Timeout: 901 }, /between 1 and 900/],
    ['what is not a zip file', { Code: { ZipFile: Buffer.from('no zip') } }, /Could not unzip/],
    ['a function without the web adapter', { Layers: [] }, /Lambda Web Adapter/],
  ])('%s is refused, with the reason', async (_what, more, reason) => {
    await expect(create(more)).rejects.toThrow(reason);
  });
});
