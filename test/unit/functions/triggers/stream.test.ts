import { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BodilessAnswer, StreamAnswer } from '../../../../functions/api/http.ts';
import { DeployError } from '../../../../functions/core/errors.ts';
import { streamTrigger } from '../../../../functions/triggers/stream.ts';

type Streaming = (event: object, stream: Writable, context: object) => Promise<void>;

const heads = new WeakMap<Writable, { statusCode: number; headers: Record<string, string> }>();

beforeEach(() => {
  // What the runtime of Lambda provides, and what the handler is called with once it is wrapped.
  vi.stubGlobal('awslambda', {
    streamifyResponse: (handler: Streaming) => handler,
    HttpResponseStream: {
      from: (stream: Writable, head: { statusCode: number; headers: Record<string, string> }) => {
        heads.set(stream, head);
        return stream;
      },
    },
  });
});

afterEach(() => vi.unstubAllGlobals());

const event = {
  httpMethod: 'GET',
  path: '/1/status/ann/changes',
  headers: { Host: 'hooks.example.com' },
  requestContext: {
    requestId: '6ad0ce5c-1f4d-4b0b-9d5e-0a2f3a4b5c6d',
    path: '/1/status/ann/changes',
    authorizer: { user: 'ann' },
  },
};

function run(answer: () => Promise<StreamAnswer | BodilessAnswer>, write?: (chunk: Buffer, done: () => void) => void) {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    highWaterMark: 1,
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      if (write) write(chunk, done);
      else done();
    },
  });
  const handler: unknown = streamTrigger(answer);
  if (typeof handler !== 'function') throw new Error('There is no handler.');
  const ended: Promise<void> = handler(event, stream, {});
  return { ended, head: () => heads.get(stream), text: () => Buffer.concat(chunks).toString() };
}

describe('a streamed answer', () => {
  it('has its head, with the request’s id, and its pieces in order', async () => {
    const { ended, head, text } = run(async () => ({
      status: 200,
      headers: { 'content-type': 'application/x-ndjson' },
      body: (async function* () {
        yield Buffer.from('one\n');
        yield Buffer.from('two\n');
      })(),
    }));
    await ended;
    expect(head()).toMatchObject({
      statusCode: 200,
      headers: {
        'content-type': 'application/x-ndjson',
        'x-api-uuid': '6ad0ce5c-1f4d-4b0b-9d5e-0a2f3a4b5c6d',
        'x-api-version': expect.any(String),
      },
    });
    expect(text()).toBe('one\ntwo\n');
  });

  it('has its head without a body too, as 304 has none: an empty text is written', async () => {
    const written: number[] = [];
    const answer = async () => ({ status: 304, headers: { etag: '"1"' }, body: null });
    const { ended, head } = run(answer, (chunk, done) => {
      written.push(chunk.length);
      done();
    });
    await ended;
    expect(head()).toMatchObject({
      statusCode: 304,
      headers: { etag: '"1"', 'x-api-uuid': '6ad0ce5c-1f4d-4b0b-9d5e-0a2f3a4b5c6d' },
    });
    expect(written).toEqual([0]);
  });

  it('is a problem document when it cannot begin', async () => {
    const { ended, head, text } = run(async () => {
      throw new DeployError('request:bad_parameter', 'The parameter since must be a whole number.');
    });
    await ended;
    expect(head()).toMatchObject({ statusCode: 400, headers: { 'content-type': 'application/problem+json' } });
    expect(JSON.parse(text())).toMatchObject({
      code: 'request:bad_parameter',
      uuid: '6ad0ce5c-1f4d-4b0b-9d5e-0a2f3a4b5c6d',
    });
  });

  it('asks for no more than its reader takes', async () => {
    let made = 0;
    const waiting: (() => void)[] = [];
    const { ended } = run(
      async () => ({
        status: 200,
        headers: {},
        body: (async function* () {
          for (; made < 50; made += 1) yield Buffer.alloc(64 * 1024);
        })(),
      }),
      (_chunk, done) => waiting.push(done),
    );
    await setTimeout(50);
    expect(made).toBeLessThan(6);
    const draining = setInterval(() => waiting.shift()?.(), 0);
    await ended;
    clearInterval(draining);
    expect(made).toBe(50);
  });
});
