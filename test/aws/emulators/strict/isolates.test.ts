import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Functions, startFunctions } from '../../../aws-local/invoke/invoke.ts';
import { accountConcurrency } from '../../../aws-local/strict/concurrency.ts';
import { loadTemplate } from '../../../aws-local/template/template.ts';
import { lambda, writeAssembly } from '../../../support/aws-local/assembly-fixture.ts';

const bundles = {
  count: `
    let calls = 0;
    const id = Math.random();
    export const handler = async ({ waitMs = 0 }) => {
      calls += 1;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      return { id, calls };
    };`,
  background: `
    let last = Date.now();
    let longestMs = 0;
    let timer;
    const tick = () => {
      longestMs = Math.max(longestMs, Date.now() - last);
      last = Date.now();
    };
    export const handler = async () => {
      tick();
      timer ??= setInterval(tick, 10);
      for (const line of ['one', 'two', 'three']) console.log(line);
      return longestMs;
    };`,
  stream: `
    export const handler = awslambda.streamifyResponse(async ({ waitMs }, stream) => {
      const response = awslambda.HttpResponseStream.from(stream, { statusCode: 200 });
      response.write('first ');
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      response.end('last');
    });`,
};

describe('A function in isolates', () => {
  const cloudAssembly = writeAssembly(
    {
      Resources: {
        Count: lambda('count', { Timeout: 10 }),
        Quick: lambda('count', { Timeout: 1 }),
        Background: lambda('background', { Timeout: 10 }),
        Stream: lambda('stream', { Timeout: 10 }),
      },
    },
    bundles,
  );
  const idleMs = 1000;
  const lines: string[] = [];
  let functions: Functions;
  beforeAll(() => {
    const values = { sqsEndpoint: 'http://127.0.0.1:1' };
    const template = loadTemplate({ cloudAssembly, parameters: {}, values });
    const concurrency = accountConcurrency(template, 3);
    const log = ({ text }: { readonly text: string }) => void lines.push(text);
    functions = startFunctions({ template, endpoints: {}, log, concurrency, idleMs });
  });
  afterAll(() => functions.close());
  const throttled = { name: 'TooManyRequestsException', message: expect.stringContaining('was throttled') };

  it('calls one after the other share an isolate, and calls at a time have one each', async () => {
    const first = await functions.invoke('Count', {});
    expect(await functions.invoke('Count', {})).toEqual({ ...Object(first), calls: 2 });
    const both = await Promise.all([1, 2].map(() => functions.invoke('Count', { waitMs: 300 })));
    expect(both).toContainEqual({ ...Object(first), calls: 3 });
    expect(both).toContainEqual({ id: expect.any(Number), calls: 1 });
  });

  it('a stream has its isolate until the function has ended, even when its reader has left', async () => {
    const { body } = await functions.invokeStreaming('Stream', { waitMs: 4000 });
    await body.return?.();
    const others = [1, 2].map(() => functions.invoke('Count', { waitMs: 200 }));
    await expect(functions.invoke('Count', {})).rejects.toMatchObject(throttled);
    await Promise.all(others);
    await vi.waitFor(() => functions.invoke('Count', {}), { timeout: 30_000, interval: 50 });
  });

  it('an isolate that has answered is frozen until its next call: its timers stand still', async () => {
    await functions.invoke('Background', {});
    await expect.poll(() => lines.slice(-3)).toEqual(['one', 'two', 'three']);
    const stoodStill = async () => {
      await sleep(idleMs / 2);
      return functions.invoke('Background', {});
    };
    // On a busy machine it may have ended meanwhile, and is another one.
    await expect.poll(stoodStill).toBeGreaterThan(idleMs / 8);
  });

  it('an isolate that has timed out ends, and one without work ends after a while: the next call is cold', async () => {
    await expect(functions.invoke('Quick', { waitMs: 3000 })).rejects.toThrow('Task timed out');
    expect(await functions.invoke('Quick', {})).toMatchObject({ calls: 1 });
    await sleep(idleMs * 2);
    expect(await functions.invoke('Quick', {})).toMatchObject({ calls: 1 });
  });
});
