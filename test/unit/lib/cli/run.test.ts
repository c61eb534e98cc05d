import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { server } from '../../../support/api-server.ts';
import { cli } from '../../../support/cli.ts';

it.each([
  ['bash', [], 'The command has pipes and no terminal: a shell or a REPL needs -i.\n'],
  ['bash -i', [], ''],
  ['bash', undefined, ''],
])('run -- %s, where it is typed at a terminal (%j), says: %s', async (command, answers, err) => {
  const url = await server((request, response) => {
    const ndjson = { 'content-type': 'application/x-ndjson' };
    if (request.method === 'GET') return void response.writeHead(200, ndjson).end('{"exit":3,"reason":null}\n');
    return void response.writeHead(request.url?.endsWith('/runs') ? 201 : 204).end('{"id":"7"}');
  });
  const env = { HOOKS_URL: url, HOOKS_USER: 'kiwi', HOOKS_SECRET: 'secret' };
  const run = await cli(`run --app shop -- ${command}`, { env, ...(answers && { answers }) });
  expect([run.code, run.err]).toEqual([3, err]);
});

describe('the output of a command', () => {
  it('is taken up again when its stream is cut, also while the service has not noticed that, and that is said once', async () => {
    const streams = [
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' });
        response.write(`${JSON.stringify({ stream: 'stdout', data: Buffer.from('one ').toString('base64') })}\n`);
        setImmediate(() => response.destroy());
      },
      (response: ServerResponse) => response.writeHead(409).end('{"code":"run:read","detail":"It is read."}'),
      (response: ServerResponse) => {
        const line = { stream: 'stdout', data: Buffer.from('two').toString('base64') };
        response.writeHead(200, { 'content-type': 'application/x-ndjson' });
        response.end(`${JSON.stringify(line)}\n{"exit":3,"reason":null}\n`);
      },
    ];
    const url = await server((request, response) => {
      if (request.method === 'GET') return void streams.shift()?.(response);
      return void response.writeHead(request.url?.endsWith('/runs') ? 201 : 204).end('{"id":"7"}');
    });
    const run = await cli('run --app shop -- sh', {
      env: { HOOKS_URL: url, HOOKS_USER: 'kiwi', HOOKS_SECRET: 'secret' },
    });
    expect([run.code, run.out, run.err]).toEqual([
      3,
      'one two',
      'The output is interrupted; trying again. Some of it may be missing.\n',
    ]);
  });

  it('that is cut, of a command that is not known afterwards, ends with what may be the reason', async () => {
    let reads = 0;
    const url = await server((request, response) => {
      if (request.method === 'POST') return void response.writeHead(201).end('{"id":"7"}');
      if (reads++ > 0) return void response.writeHead(404).end('{"code":"request:not_found","detail":"No."}');
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).flushHeaders();
      return void setImmediate(() => response.destroy());
    });
    const env = { HOOKS_URL: url, HOOKS_USER: 'kiwi', HOOKS_SECRET: 'secret' };
    const run = await cli('run --app shop -- sh', { env });
    expect([run.code, run.err.split('\n').at(-2)]).toEqual([
      137,
      'The command is not known any more: its end was lost, nobody read it for ten seconds, or its runner has ended.',
    ]);
  });
});
