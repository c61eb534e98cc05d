import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { freePort, listen } from '../../../../lib/http/ports.ts';
import { isAlive } from '../../../../lib/process/process-info.ts';
import { appProxy } from '../../../../lib/runner/door/proxy.ts';
import { Waiting } from '../../../../lib/runner/door/waiting.ts';
import { specIn } from '../../../support/platform/app-spec.ts';
import {
  afterwards,
  appFiles,
  deploy,
  hello,
  type PlatformUnderTest,
  platform,
  sharedPlatform,
  temporaryFolder,
  until,
} from '../../../support/platform/harness.ts';

const shared = sharedPlatform();

const HEADERS = 60_000;
/** Answers with a header as long as that of the request, also to a WebSocket, and to the check at its start. */
const echoes = `
const http = require('node:http');
const server = http.createServer({ maxHeaderSize: 100000 }, (request, response) => {
  response.setHeader('link', request.headers.long ?? 'x'.repeat(${HEADERS})).end(String(request.headers.long?.length));
});
server.on('upgrade', ({ headers: { long } }, socket) => {
  socket.end('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\nLink: ' + long + '\\r\\n\\r\\n');
});
server.listen(process.env.PORT, process.env.HOST);`;

/** Asks with a long header, and returns the status and the length of that of the answer. */
function ask(url: string, headers: Record<string, string>): Promise<readonly (number | undefined)[]> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { headers: { ...headers, long: 'x'.repeat(HEADERS) }, maxHeaderSize: 100_000 });
    asking.once('error', reject).once('response', (answer) => {
      answer.resume();
      resolve([answer.statusCode, String(answer.headers.link).length]);
    });
    asking.once('upgrade', ({ statusCode, headers: { link } }, socket) => {
      socket.destroy();
      resolve([statusCode, String(link).length]);
    });
    asking.end();
  });
}

describe('the way to an application, by its own port and by its name', () => {
  it('takes headers of 60 KB in both directions, also of a WebSocket', async () => {
    const at = await shared();
    const app = await deploy(at, 'hello', '1', appFiles('hello', echoes));
    const host = `hello.ada.localhost:${new URL(at.url).port}`;
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };

    expect(await ask(app.url, {})).toEqual([200, HEADERS]);
    expect(await ask(at.url, { host })).toEqual([200, HEADERS]);
    expect(await ask(app.url, upgrade)).toEqual([101, HEADERS]);
    expect(await ask(at.url, { host, ...upgrade })).toEqual([101, HEADERS]);
  });

  it('has no time limit for a whole request, such as a slow upload', async () => {
    const at = await shared();
    const app = await deploy(at, 'hello', '1', appFiles('hello', echoes));
    const limits: number[] = [];
    const seen = (message: unknown) => {
      limits.push((message as { readonly server: Server }).server.requestTimeout);
    };
    subscribe('http.server.request.start', seen);

    await ask(app.url, {});
    await ask(at.url, { host: `hello.ada.localhost:${new URL(at.url).port}` });

    unsubscribe('http.server.request.start', seen);
    expect(limits).toEqual([0, 0]);
  });
});

/** Answers `up`, takes a WebSocket, and ends at `/crash`. */
const up = `
const server = require('node:http').createServer({ maxHeaderSize: 100000 }, (request, response) => {
  if (request.url === '/crash') process.exit(7);
  response.end('up');
});
server.on('upgrade', (_, socket) => {
  socket.end('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n');
});
server.listen(process.env.PORT, process.env.HOST);`;

const state = async (at: PlatformUnderTest) => {
  const { processes } = (await at.processes.list(hello)) ?? {};
  return (processes as readonly { readonly state: string }[])[0]?.state;
};
/** The status and the sentence of an answer. */
const answerOf = async (url: string) => {
  const answer = await fetch(url);
  return [answer.status, (await answer.text()).trim()];
};
const CRASHED = [503, '{"error":"hello has crashed and is being started again."}'];

/** An application that has crashed, and is started again after ten minutes. */
async function crashed(limits: object) {
  const at = await platform({ limits: { crashPauseMs: 600_000, crashPauseMaxMs: 600_000, ...limits } });
  const { url } = await deploy(at, 'hello', '1', appFiles('hello', up));
  await fetch(`${url}/crash`).catch(() => undefined);
  await until('it has crashed', async () => (await state(at)) !== 'running');
  return { at, url };
}

describe('a request while nothing serves', () => {
  it('waits for the next start, also a WebSocket, by either address', async () => {
    const { at, url } = await crashed({});
    const host = `hello.ada.localhost:${new URL(at.url).port}`;
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };
    const asked = [ask(url, {}), ask(at.url, { host }), ask(url, upgrade), ask(at.url, { host, ...upgrade })];

    await at.operations.restart(hello);

    expect((await Promise.all(asked)).map(([status]) => status)).toEqual([200, 200, 101, 101]);
  });

  it('gets 503 with the reason after the time limit, or at once when too many wait', async () => {
    const late = await crashed({ waitMs: 50 });
    expect(await answerOf(late.url)).toEqual(CRASHED);

    const { at, url } = await crashed({ waitMs: 600_000, mostWaiting: 2 });
    const asked = [answerOf(url), answerOf(url), answerOf(url)];
    expect(await Promise.race(asked)).toEqual(CRASHED);
    await at.operations.restart(hello);
    expect((await Promise.all(asked)).map(([status]) => status).sort()).toEqual([200, 200, 503]);
  });

  it('makes room for another one when its client leaves', async () => {
    const waiting = new Waiting({ waitMs: 600_000, mostWaiting: 1 });
    const [left, stays] = [new PassThrough(), new PassThrough()];
    const went: string[] = [];
    waiting.add(left, () => went.push('left'));
    left.destroy();
    await once(left, 'close');

    waiting.add(stays, () => went.push('stays'));
    waiting.add(new PassThrough(), () => went.push('too many'));
    waiting.end();

    expect([went, waiting.isEmpty]).toEqual([['too many', 'stays'], true]);
  });

  it('is answered at once when the application is stopped, or crashes in a loop', async () => {
    const { at, url } = await crashed({ waitMs: 600_000 });
    const asked = answerOf(url);
    await at.operations.stop(hello);
    expect(await asked).toEqual([503, '{"error":"hello is stopped."}']);

    const loop = await crashed({ waitMs: 600_000, crashLimit: 1 });
    expect(await answerOf(loop.url)).toEqual([503, '{"error":"hello has crashed too often; see its log."}']);
  });
});

/** A proxy with two servers: nothing listens at the address of the first, which gets the first request. */
async function oneRefuses({ joins = true } = {}) {
  const none = () => undefined;
  const spec = specIn(await temporaryFolder());
  const proxy = appProxy({
    spec: () => spec,
    isPassword: () => Promise.resolve(false),
    state: () => 'running',
    wake: none,
    guard: none,
    use: () => none,
    usage: { count: none },
    limits: { waitMs: 0, mostWaiting: 0 },
  });
  afterwards(proxy.close);
  const refused: string[] = [];
  proxy.pointTo({ host: '127.0.0.1', port: await freePort(), onRefused: () => void refused.push('looked at') });
  const server = createServer({ maxHeaderSize: 100_000 }, (_, response) => response.end('up')).on(
    'upgrade',
    (_request, socket) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    },
  );
  afterwards(async () => void server.close());
  if (joins) proxy.join({ host: '127.0.0.1', port: await listen(server, 0) });
  return { url: `http://127.0.0.1:${await proxy.open([0])}`, refused };
}

describe('a server that refuses connections', () => {
  it('because its process was killed costs no request that may be sent again: it waits for the next process', async () => {
    const at = await platform({ limits: { crashPauseMs: 200 } });
    const pids =
      "require('node:http').createServer((_, response) => response.end(String(process.pid))).listen(process.env.PORT, process.env.HOST);";
    const { url } = await deploy(
      at,
      'hello',
      '1',
      appFiles('hello', pids, { scripts: { start: 'node server.js; sleep 0.3' } }),
    );
    // Its shell ends a moment later, as that of a sandbox does.
    const killed = (await answerOf(url))[1];
    process.kill(Number(killed), 'SIGKILL');
    // Until it has ended it may take a connection and cut it.
    await until('it is dead', () => !isAlive(Number(killed)));
    const answers = await Promise.all(Array.from({ length: 40 }, () => answerOf(url)));
    expect(new Set(answers.map(([status]) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(([, pid]) => pid))).toEqual(new Set([expect.not.stringMatching(`^${killed}$`)]));
    expect(new Set(answers.map(([, pid]) => pid)).size).toBe(1);
  });

  it('for longer than a second is answered for', async () => {
    const { url, refused } = await oneRefuses({ joins: false });
    expect((await fetch(url)).status).toBe(502);
    expect((await fetch(url, { method: 'POST' })).status).toBe(502);
    // A GET is tried again after a second.
    expect(refused).toHaveLength(3);
  });

  it('costs no request that may be sent again to another one, and gets none for a second', async () => {
    const { url, refused } = await oneRefuses();
    const statusOf = async (method: string) => (await fetch(url, { method })).status;
    expect([await statusOf('GET'), await statusOf('POST'), await statusOf('POST')]).toEqual([200, 200, 200]);
    expect(refused).toEqual(['looked at']);
  });

  it('costs no WebSocket', async () => {
    const { url } = await oneRefuses();
    expect((await ask(url, { connection: 'Upgrade', upgrade: 'websocket' }))[0]).toBe(101);
  });
});
