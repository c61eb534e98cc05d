import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { server } from '../../../support/api-server.ts';
import { cli } from '../../../support/cli.ts';

/** Runs a command at a terminal, on a service that has terminals or not. */
async function runAt(answer: object, env: Readonly<Record<string, string>> = { TERM: 'vt100' }) {
  const calls: string[] = [];
  const terminal: string[] = [];
  let sent: (body: string) => void = () => undefined;
  const resize = new Promise<string>((resolve) => {
    sent = resolve;
  });
  const url = await server(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.method === 'POST' && request.url?.endsWith('/runs')) {
      calls.push(body);
      return void response.writeHead(201).end(JSON.stringify(answer));
    }
    if (request.method === 'POST') {
      if (body.includes('terminal')) sent(body);
      return void response.writeHead(204).end();
    }
    // The command lasts until the new size has come.
    if ('terminal' in answer && answer.terminal === true) calls.push(await resize);
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end('{"exit":3,"reason":null}\n');
  });
  const { code, err } = await cli('run --app shop -- sh', {
    env: { HOOKS_URL: url, HOOKS_USER: 'kiwi', HOOKS_SECRET: 'secret', ...env },
    ownTerminal: {
      size: () => ({ columns: 77, rows: 33 }),
      passKeys: (resized) => {
        terminal.push('taken');
        resized();
        return () => void terminal.push('given back');
      },
    },
  });
  return { code, err, calls, terminal };
}

describe('run at a terminal', () => {
  it('asks for one like it, passes its size on, and gives it back', async () => {
    expect(await runAt({ id: '7', terminal: true })).toEqual({
      code: 3,
      err: '',
      calls: [
        '{"command":["sh"],"terminal":{"columns":77,"rows":33,"type":"vt100"}}',
        '{"terminal":{"columns":77,"rows":33}}',
      ],
      terminal: ['taken', 'given back'],
    });
  });

  it.each([{ id: '7', terminal: false }, { id: '7' }])('says in one sentence that %j has pipes', async (answer) => {
    const { code, err, terminal } = await runAt(answer, { TERM: 'no type; at all' });
    expect([code, terminal]).toEqual([3, []]);
    expect(err).toBe(
      'The command has pipes and no terminal, because the machine of the service has no script of util-linux: a shell or a REPL needs -i.\n',
    );
  });
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
});
