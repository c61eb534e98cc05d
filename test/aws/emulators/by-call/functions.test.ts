import { paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import {
  AddPermissionCommand,
  CreateAliasCommand,
  CreateFunctionCommand,
  type CreateFunctionCommandInput,
  CreateFunctionUrlConfigCommand,
  DeleteFunctionCommand,
  DeleteFunctionConcurrencyCommand,
  type FunctionCode,
  GetFunctionCommand,
  GetFunctionUrlConfigCommand,
  InvokeCommand,
  LambdaClient,
  ListFunctionsCommand,
  ListVersionsByFunctionCommand,
  PutFunctionConcurrencyCommand,
  PutFunctionEventInvokeConfigCommand,
  UpdateAliasCommand,
  UpdateFunctionCodeCommand,
  UpdateFunctionConfigurationCommand,
  waitUntilFunctionActiveV2,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../../../aws-local/clients.ts';
import { canBeReadOnly } from '../../../aws-local/lambda/version-process.ts';
import { bucketOf, type Workshop, workshop } from '../../../support/aws-local/workshop/started-workshop.ts';
import { serverFiles, zipOf } from '../../../support/aws-local/zip-of.ts';

const LAYER = 'arn:aws:lambda:us-east-1:753240598075:layer:LambdaAdapterLayerArm64:27';
const WRAPPER = { AWS_LAMBDA_EXEC_WRAPPER: '/opt/bootstrap', AWS_LWA_INVOKE_MODE: 'response_stream' };

describe('Lambda, as a CDK app that is not this service uses it', () => {
  let made: Awaited<ReturnType<typeof workshop>>;
  let shop: Workshop;

  beforeAll(async () => {
    made = await workshop();
    shop = await made.start();
  });
  afterAll(async () => {
    await shop?.close();
  });

  const codes = new Map<string, FunctionCode>();
  async function codeOf(name: string, files: Record<string, string>) {
    const S3Key = `${name}.zip`;
    await shop.put(S3Key, await zipOf(files));
    return { S3Bucket: bucketOf(shop.runtime), S3Key };
  }
  async function create(FunctionName: string, more: Partial<CreateFunctionCommandInput> = {}): Promise<void> {
    const input: CreateFunctionCommandInput = {
      FunctionName,
      Runtime: 'nodejs24.x',
      Role: 'arn:aws:iam::000000000000:role/app',
      Handler: 'run.sh',
      Code: more.Code ?? (await codeOf(FunctionName, serverFiles('one'))),
      Architectures: ['arm64'],
      Layers: [LAYER],
      Environment: { Variables: WRAPPER },
      // Of seconds of which it needs a fraction, on a machine that does other things too.
      Timeout: 60,
      ...more,
    };
    await shop.lambda.send(new CreateFunctionCommand(input));
    codes.set(FunctionName, input.Code ?? {});
    await waitUntilFunctionActiveV2(
      { client: shop.lambda, maxWaitTime: 60, minDelay: 0.05, maxDelay: 0.1 },
      { FunctionName },
    );
  }
  async function publish(FunctionName: string): Promise<string> {
    const code = { ...codes.get(FunctionName), Architectures: ['arm64' as const], Publish: true };
    const { Version = '' } = await shop.lambda.send(new UpdateFunctionCodeCommand({ FunctionName, ...code }));
    const waiter = { client: shop.lambda, maxWaitTime: 60, minDelay: 0.05, maxDelay: 0.1 };
    await waitUntilFunctionUpdatedV2(waiter, { FunctionName });
    await waitUntilFunctionActiveV2(waiter, { FunctionName, Qualifier: Version });
    return Version;
  }
  async function update(FunctionName: string, files: Record<string, string>): Promise<string> {
    codes.set(FunctionName, await codeOf(FunctionName, files));
    return publish(FunctionName);
  }
  /** Makes the function public at the alias `live`; returns its address. */
  async function open(FunctionName: string, FunctionVersion: string): Promise<string> {
    const place = { FunctionName, Qualifier: 'live' };
    await shop.lambda.send(new CreateAliasCommand({ FunctionName, Name: 'live', FunctionVersion }));
    const { FunctionUrl = '' } = await shop.lambda.send(
      new CreateFunctionUrlConfigCommand({ ...place, AuthType: 'NONE', InvokeMode: 'RESPONSE_STREAM' }),
    );
    expect((await fetch(FunctionUrl)).status).toBe(403);
    const known = await shop.lambda.send(new GetFunctionUrlConfigCommand(place));
    expect(known).toMatchObject({ FunctionUrl, AuthType: 'NONE', InvokeMode: 'RESPONSE_STREAM' });
    const all = { ...place, Principal: '*' };
    const url = { StatementId: 'url', Action: 'lambda:InvokeFunctionUrl', FunctionUrlAuthType: 'NONE' as const };
    await shop.lambda.send(new AddPermissionCommand({ ...all, ...url }));
    expect((await fetch(FunctionUrl)).status).toBe(403);
    const invoke = { StatementId: 'invoke', Action: 'lambda:InvokeFunction', InvokedViaFunctionUrl: true };
    await shop.lambda.send(new AddPermissionCommand({ ...all, ...invoke }));
    return FunctionUrl;
  }
  const event = (rawPath = '/') => ({
    version: '2.0',
    rawPath,
    rawQueryString: '',
    headers: { host: 'smoke.test' },
    requestContext: { http: { method: 'GET', path: rawPath } },
    isBase64Encoded: false,
  });
  async function invoke(FunctionName: string, Qualifier: string) {
    const answer = await shop.lambda.send(
      new InvokeCommand({ FunctionName, Qualifier, LogType: 'Tail', Payload: JSON.stringify(event()) }),
    );
    const log = Buffer.from(answer.LogResult ?? '', 'base64').toString();
    const [head = '', body] = (answer.Payload?.transformToString() ?? '').split('\0'.repeat(8));
    return { ...answer, log, payload: { ...JSON.parse(head), body } };
  }

  async function logged(name: string) {
    const pages = paginateFilterLogEvents({ client: shop.logs }, { logGroupName: `/aws/lambda/${name}` });
    const lines: unknown[] = [];
    for await (const { events = [] } of pages) lines.push(...events.map(({ message }) => message));
    return lines;
  }

  it('a version answers an invocation, with its log, and requests at the URL of an alias', async () => {
    await create('page');
    const version = await publish('page');
    const invoked = await invoke('page', version);
    expect(invoked).toMatchObject({
      StatusCode: 200,
      ExecutedVersion: '1',
      payload: { statusCode: 200, cookies: ['a=1', 'b=2'] },
    });
    expect(invoked.log).toMatch(/^START RequestId: .* Version: 1\nGET \/\nEND RequestId: .*\nREPORT RequestId: /);
    const url = await open('page', version);
    const answer = await fetch(`${url}path?query=1`, { method: 'POST', body: ' and more' });
    expect([answer.status, await answer.text()]).toEqual([200, 'one and more']);
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    // The response is passed on while it comes, and the line may come after it.
    await expect.poll(() => logged('page')).toContain('POST /path?query=1');
  });

  it('an alias moves between two requests, and a request that has begun ends in its version', async () => {
    await create('moving');
    const url = await open('moving', await publish('moving'));
    const slow = fetch(`${url}slow/700`).then((answer) => answer.text());
    await expect.poll(async () => (await fetch(url)).text()).toBe('one');
    const second = await update('moving', serverFiles('two'));
    await shop.lambda.send(new UpdateAliasCommand({ FunctionName: 'moving', Name: 'live', FunctionVersion: second }));
    expect(await (await fetch(url)).text()).toBe('two');
    expect((await invoke('moving', 'live')).ExecutedVersion).toBe(second);
    const { Configuration } = await shop.lambda.send(
      new GetFunctionCommand({ FunctionName: 'moving', Qualifier: '1' }),
    );
    expect(Configuration).toMatchObject({ Version: '1', State: 'Active', LastUpdateStatus: 'Successful' });
    expect(await slow).toBe('one');
    await shop.lambda.send(new UpdateAliasCommand({ FunctionName: 'moving', Name: 'live', FunctionVersion: '1' }));
    expect(await (await fetch(url)).text()).toBe('one');
    const { Versions = [] } = await shop.lambda.send(new ListVersionsByFunctionCommand({ FunctionName: 'moving' }));
    expect(Versions.map(({ Version }) => Version)).toEqual(['$LATEST', '1', '2']);
    const remove = (Qualifier: string) =>
      shop.lambda.send(new DeleteFunctionCommand({ FunctionName: 'moving', Qualifier }));
    await expect(remove('1')).rejects.toMatchObject({ name: 'ResourceConflictException' });
    await remove('2');
  });

  it('a version whose server does not start is a function error, with what it printed', async () => {
    await create('broken', { Code: await codeOf('broken', { 'run.sh': '#!/bin/sh\necho no luck >&2; exit 4\n' }) });
    const { FunctionError, payload, log } = await invoke('broken', '$LATEST');
    expect(FunctionError).toBe('Unhandled');
    expect(payload).toMatchObject({ errorType: 'Runtime.ExitError' });
    expect(payload.errorMessage).toContain('Runtime exited with error: exit status 4');
    expect(log).toContain('no luck\n');
  });

  it('a server that takes no connection within the timeout of the function is a function error too', async () => {
    const Code = await codeOf('late', { 'run.sh': '#!/bin/sh\nexec sleep 60\n' });
    await create('late', { Code, Timeout: 1 });
    const { payload } = await invoke('late', '$LATEST');
    expect(payload.errorType).toBe('Sandbox.Timedout');
    expect(payload.errorMessage).toMatch(/Task timed out after 1\.00 seconds$/);
  });

  it('a change is refused while another is under way, and a version without a change is the last one', async () => {
    await create('busy');
    const change = () =>
      shop.lambda.send(
        new UpdateFunctionConfigurationCommand({
          FunctionName: 'busy',
          Environment: { Variables: { ...WRAPPER, SUFFIX: ' more' } },
        }),
      );
    expect(await publish('busy')).toBe('1');
    expect(await publish('busy')).toBe('1');
    // Many at once: a change takes a moment only, which on a busy machine is over before some of the others come.
    const all = await Promise.allSettled(Array.from({ length: 20 }, change));
    expect(all.map(({ status }) => status)).toContain('fulfilled');
    const conflict = expect.objectContaining({ name: 'ResourceConflictException' });
    expect(all).toContainEqual({ status: 'rejected', reason: conflict });
    await waitUntilFunctionUpdatedV2(
      { client: shop.lambda, maxWaitTime: 60, minDelay: 0.05, maxDelay: 0.1 },
      { FunctionName: 'busy' },
    );
    const version = await publish('busy');
    expect(version).toBe('2');
    expect((await invoke('busy', '2')).payload.body).toBe('one more');
    expect((await invoke('busy', '1')).payload.body).toBe('one');
  });

  it('an application can write into /tmp only, and not into its own folder', async ({ skip }) => {
    if (!canBeReadOnly()) skip('this system allows no mounts');
    const tries = `const { writeFileSync, rmSync } = require('node:fs');
      const error = (file) => { try { writeFileSync(file, ''); rmSync(file); return 'written'; } catch ({ code }) { return code; } };
      const found = () => [error(__dirname + '/cache'), error('../cache'), error(require('node:os').tmpdir() + '/cache-' + process.pid)];
      require('node:http').createServer((_, response) => response.end(found().join())).listen(process.env.PORT, process.env.HOST);`;
    const files = { ...serverFiles('one'), 'app/server.js': tries };
    await create('writing', { Code: await codeOf('writing', files) });
    expect((await invoke('writing', await publish('writing'))).payload.body).toBe('EROFS,EROFS,written');
  });

  it('calls of the control plane beyond the quota of the account are refused; those with quotas of their own are not', async () => {
    const other = await workshop();
    const small = await other.start({ controlCalls: 1 });
    const client = new LambdaClient({ ...clientFor(small.runtime.endpoints.lambda), maxAttempts: 1 });
    try {
      const ask = () =>
        client.send(new ListVersionsByFunctionCommand({ FunctionName: 'none' })).catch(({ name }) => name);
      const all = await Promise.all(Array.from({ length: 20 }, ask));
      expect(all).toContain('TooManyRequestsException');
      const get = client.send(new GetFunctionCommand({ FunctionName: 'none' }));
      await expect(get).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    } finally {
      client.destroy();
      await small.close();
    }
  });

  it('reserved concurrency 0 stops a function until it is taken away', async () => {
    await create('stopped');
    const url = await open('stopped', await publish('stopped'));
    const FunctionName = 'stopped';
    await shop.lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 }));
    expect((await fetch(url)).status).toBe(429);
    await shop.lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
    expect((await fetch(url)).status).toBe(200);
    await shop.lambda.send(new DeleteFunctionCommand({ FunctionName }));
    await expect(fetch(url)).rejects.toThrow();
    const gone = shop.lambda.send(new GetFunctionCommand({ FunctionName }));
    await expect(gone).rejects.toMatchObject({ name: 'ResourceNotFoundException', $metadata: { httpStatusCode: 404 } });
  });

  it('a handler of Node is invoked asynchronously, where that is not repeated, and what it prints is in the log', async () => {
    const FunctionName = 'page-work';
    const code =
      'exports.handler = async ({ say }, context) => console.log(say, context.getRemainingTimeInMillis() > 0);';
    const handler = { Handler: 'work.handler', Layers: [], Environment: {} };
    await create(FunctionName, { ...handler, Code: await codeOf(FunctionName, { 'work.cjs': code }) });
    const Payload = '{"say":"well"}';
    const begin = () => shop.lambda.send(new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload }));
    await expect(shop.lambda.send(new InvokeCommand({ FunctionName, Payload }))).rejects.toThrow('is not emulated');
    await expect(begin()).rejects.toThrow('an asynchronous invocation that is repeated is not emulated');
    const once = (MaximumRetryAttempts: number) =>
      shop.lambda.send(new PutFunctionEventInvokeConfigCommand({ FunctionName, MaximumRetryAttempts }));
    await expect(once(1)).rejects.toThrow('not emulated');
    await once(0);
    expect(await begin()).toMatchObject({ StatusCode: 202 });
    await expect.poll(() => logged(FunctionName), { timeout: 30_000 }).toContain('well true');
  });

  it.each([
    [
      'a variable that Lambda reserves',
      { Environment: { Variables: { ...WRAPPER, AWS_REGION: 'x' } } },
      /reserved keys/,
    ],
    ['more than 4 KB of variables', { Environment: { Variables: { ...WRAPPER, A1: 'x'.repeat(4096) } } }, /4KB limit/],
    ['a role that Lambda may not assume', { Role: 'arn:aws:iam::000000000000:role/none' }, /cannot be assumed/],
    ['a timeout beyond 15 minutes', { Timeout: 901 }, /between 1 and 900/],
    ['an artifact that is not there', { Code: { S3Bucket: 'BUCKET', S3Key: 'none' } }, /NoSuchKey/],
    ['what is not a zip file', { Code: { ZipFile: Buffer.from('no zip') } }, /Could not unzip/],
    ['a function without the web adapter', { Layers: [] }, /Lambda Web Adapter/],
    ['a parameter that is not emulated', { KMSKeyArn: 'arn:aws:kms:us-east-1:0:key/k' }, /KMSKeyArn is not emulated/],
  ])('%s is refused, with the reason', async (_what, more: Partial<CreateFunctionCommandInput>, reason) => {
    const S3Bucket = bucketOf(shop.runtime);
    const wanted = more.Code?.S3Bucket ? { ...more, Code: { ...more.Code, S3Bucket } } : more;
    await expect(create('refused', wanted)).rejects.toThrow(reason);
  });

  it('an operation that is not emulated is refused and warned of', async () => {
    await expect(shop.lambda.send(new ListFunctionsCommand())).rejects.toThrow('ListFunctions is not emulated');
    expect(shop.warnings.join('\n')).toContain('ListFunctions is not emulated');
  });
});
