import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FunctionError, PayloadTooLarge } from '../../aws-local/invoke/function-error.ts';
import { type Functions, startFunctions } from '../../aws-local/invoke/invoke.ts';
import { loadTemplate } from '../../aws-local/template/template.ts';
import { lambda, writeAssembly } from '../../support/aws-local/assembly-fixture.ts';

const bundles = {
  work: `
    let calls = 0;
    const actions = {
      echo: (event) => event,
      nothing: () => undefined,
      lossy: () => ({ kept: 1, dropped: undefined, date: new Date(0) }),
      count: () => ++calls,
      env: () => process.env,
      throws: () => { throw new RangeError('too far') },
      sleep: (event) => new Promise((resolve) => setTimeout(resolve, event.ms, 'slept')),
      crash: () => { setTimeout(() => { throw new Error('boom') }); return new Promise(() => {}) },
      exits: () => process.exit(3),
      large: () => 'x'.repeat(6 * 1024 * 1024),
    };
    export const handler = async (event) => actions[event.do](event);
  `,
  loop: 'export const handler = async (event) => { if (event.loop) while (true); return "fine" };',
  broken: 'throw new Error("bad bundle");',
  nohandler: 'export const other = 1;',
  stream: `
    import { writeFileSync } from 'node:fs';
    export const handler = awslambda.streamifyResponse(async (event, stream) => {
      if (event.do === 'nothing') return;
      if (event.do === 'raw') { stream.end('no head here'); return; }
      const body = awslambda.HttpResponseStream.from(stream, { statusCode: 201, headers: { 'x-a': 'b' } });
      if (event.do === 'fail') { body.write('part'); await new Promise((r) => setTimeout(r, 50)); throw new Error('under way'); }
      if (event.do === 'lots') {
        let written = 0;
        for (let i = 0; i < 400; i += 1) {
          written += 10_000;
          if (!body.write(Buffer.alloc(10_000, 1))) await new Promise((r) => body.once('drain', r));
          if (event.file) writeFileSync(event.file, String(written));
        }
      }
      if (event.do === 'reuse') {
        const memory = Buffer.from(new ArrayBuffer(4));
        for (let i = 0; i < 80; i += 1) {
          memory.write(String(1000 + i));
          await new Promise((taken) => body.write(memory, taken));
        }
      }
      if (event.do === 'parts') { body.write('one '); body.write('two'); }
      body.end();
    });
  `,
};

let cloudAssembly: string;
let functions: Functions;

beforeEach(() => {
  const Environment = { Variables: { TABLE: { Ref: 'Table' } } };
  cloudAssembly = writeAssembly(
    {
      Resources: {
        Table: { Type: 'AWS::DynamoDB::GlobalTable', Properties: { TableName: 'log' } },
        Work: lambda('work', { FunctionName: 'work', Timeout: 5, Environment }),
        Quick: lambda('work', { FunctionName: 'quick', Timeout: 1 }),
        Loop: lambda('loop', { Timeout: 1 }),
        Broken: lambda('broken'),
        NoHandler: lambda('nohandler'),
        Python: lambda('work', { Runtime: 'python3.13' }),
        NoModule: lambda('work', { Handler: 'main.handler' }),
        Stream: lambda('stream', { FunctionName: 'stream', Timeout: 5 }),
      },
    },
    bundles,
  );
  const values = { sqsEndpoint: 'http://127.0.0.1:1' };
  functions = startFunctions({
    template: loadTemplate({ cloudAssembly, parameters: {}, values }),
    endpoints: { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:2' },
    log: () => {},
  });
});

afterEach(async () => {
  await functions.close();
});

const failure = (call: Promise<unknown>): Promise<FunctionError> =>
  call.then(
    () => expect.fail('the call should have failed'),
    (error: FunctionError) => error,
  );

async function text(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('an invocation', () => {
  it('an invocation returns the result of the handler, serialised to JSON', async () => {
    const event = { do: 'echo', deep: [{ text: 'é\u0000' }] };
    expect(await functions.invoke('work', event)).toEqual(event);
    expect(await functions.invoke('work', { do: 'lossy' })).toEqual({ kept: 1, date: '1970-01-01T00:00:00.000Z' });
    expect(await functions.invoke('work', { do: 'nothing' })).toBeNull();
  });

  it('the next invocation has the module scope of the one before', async () => {
    expect(await functions.invoke('work', { do: 'count' })).toBe(1);
    expect(await functions.invoke('work', { do: 'count' })).toBe(2);
  });

  it('a function has the environment of the template, of Lambda and the endpoints, and none of this process', async () => {
    const env = (await functions.invoke('work', { do: 'env' })) as Record<string, string>;
    expect(env).toMatchObject({
      TABLE: 'log',
      AWS_REGION: 'us-east-1',
      AWS_LAMBDA_FUNCTION_NAME: 'work',
      AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:2',
    });
    expect(env).not.toHaveProperty('PATH');
    expect(env).not.toHaveProperty('VITEST');
  });
});

describe('a failing invocation', () => {
  it('a failed invocation has the type and message of the error', async () => {
    expect(await failure(functions.invoke('work', { do: 'throws' }))).toMatchObject({
      name: 'FunctionError',
      errorType: 'RangeError',
      errorMessage: 'too far',
    });
  });

  it('an invocation times out after the template’s timeout', async () => {
    const slow = await failure(functions.invoke('quick', { do: 'sleep', ms: 3000 }));
    expect(slow).toMatchObject({ errorType: 'Sandbox.Timedout' });
    expect(slow.errorMessage).toContain('Task timed out after 1.00 seconds');
  });

  it.each(['crash', 'exits'])(
    'an invocation fails with its worker (%s), and the next one gets a new worker',
    async (how) => {
      await functions.invoke('work', { do: 'count' });
      expect(await failure(functions.invoke('work', { do: how }))).toMatchObject({ errorType: 'Runtime.ExitError' });
      expect(await functions.invoke('work', { do: 'count' })).toBe(1);
    },
  );

  it('a worker in an endless loop is terminated', async () => {
    expect(await failure(functions.invoke('Loop', { loop: true }))).toMatchObject({ errorType: 'Sandbox.Timedout' });
    expect(await functions.invoke('Loop', {})).toBe('fine');
  });

  it('a bundle that cannot be loaded fails each invocation with the reason', async () => {
    for (const _ of [1, 2]) {
      const error = await failure(functions.invoke('Broken', {}));
      expect(error.errorType).toBe('Runtime.ImportModuleError');
      expect(error.errorMessage).toContain('bad bundle');
    }
    expect((await failure(functions.invoke('NoHandler', {}))).errorMessage).toContain('no function named handler');
  });

  it('an event over 6 MB is refused, and a result over 6 MB fails', async () => {
    const event = { do: 'echo', text: 'x'.repeat(6 * 1024 * 1024) };
    await expect(functions.invoke('work', event)).rejects.toBeInstanceOf(PayloadTooLarge);
    expect(await failure(functions.invoke('work', { do: 'large' }))).toMatchObject({
      errorType: 'Function.ResponseSizeTooLarge',
    });
  });

  it.each([
    ['of another runtime', 'Python', 'only Node.js functions run locally, not python3.13'],
    ['without a module', 'NoModule', 'function NoModule: there is no '],
    ['that is not in the template', 'nobody', 'function nobody is not in the template'],
  ])('a function %s fails with its name', async (_what, name, reason) => {
    await expect(functions.invoke(name, {})).rejects.toThrow(reason);
  });

  it('close() fails running invocations, and later ones do not start', async () => {
    await functions.invoke('work', { do: 'echo' });
    const open = failure(functions.invoke('work', { do: 'sleep', ms: 4000 }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await functions.close();
    expect(await open).toMatchObject({ errorType: 'Runtime.ExitError' });
    await expect(functions.invoke('work', {})).rejects.toThrow('closed');
  });
});

describe('a streaming invocation', () => {
  it('a streaming invocation returns the head of the response, then its body', async () => {
    const { prelude, body } = await functions.invokeStreaming('stream', { do: 'parts' });
    expect(prelude).toMatchObject({ statusCode: 201, headers: { 'x-a': 'b' } });
    expect(await text(body)).toBe('one two');
  });

  it('every streamed chunk has the bytes at the time of its write', async () => {
    const bodies = await Promise.all(
      Array.from({ length: 10 }, async () => (await functions.invokeStreaming('stream', { do: 'reuse' })).body),
    );
    const whole = Array.from({ length: 80 }, (_, place) => String(1000 + place)).join('');
    for (const body of await Promise.all(bodies.map(text))) expect(body).toBe(whole);
  });

  it('a streaming function waits while its response is not read', async () => {
    const file = join(cloudAssembly, 'written');
    const { body } = await functions.invokeStreaming('stream', { do: 'lots', file });
    const written = () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
    await expect.poll(written).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(written()).toBeLessThan(1_000_000);
    expect(await text(body)).toHaveLength(4_000_000);
  });

  it('a streaming function runs to its end when its reader stops', async () => {
    const file = join(cloudAssembly, 'written');
    const { body } = await functions.invokeStreaming('stream', { do: 'lots', file });
    for await (const _ of body) break;
    await expect.poll(() => readFileSync(file, 'utf8')).toBe('4000000');
  });

  it('the body of a stream fails when the function throws', async () => {
    const { body } = await functions.invokeStreaming('stream', { do: 'fail' });
    expect(await failure(text(body))).toMatchObject({ errorMessage: 'under way' });
  });

  it.each(['nothing', 'raw'])('a stream without a valid response head fails (%s)', async (how) => {
    expect((await failure(functions.invokeStreaming('stream', { do: how }))).errorMessage).toContain('response head');
  });

  it('an invocation fails when handler and integration disagree about streaming', async () => {
    expect((await failure(functions.invokeStreaming('work', {}))).errorMessage).toContain('the integration streams');
    expect((await failure(functions.invoke('stream', {}))).errorMessage).toContain('invoked for a whole response');
  });
});
