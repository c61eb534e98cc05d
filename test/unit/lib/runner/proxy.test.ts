import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { request, type Server } from 'node:http';
import { describe, expect, it } from 'vitest';
import { appFiles, deploy, sharedPlatform } from '../../../support/platform/harness.ts';

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
    const { body } = await deploy(at, 'hello', '1', appFiles('hello', echoes));
    const host = `hello.ada.localhost:${new URL(at.url).port}`;
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };

    expect(await ask(body.url, {})).toEqual([200, HEADERS]);
    expect(await ask(at.url, { host })).toEqual([200, HEADERS]);
    expect(await ask(body.url, upgrade)).toEqual([101, HEADERS]);
    expect(await ask(at.url, { host, ...upgrade })).toEqual([101, HEADERS]);
  });

  it('has no time limit for a whole request, such as a slow upload', async () => {
    const at = await shared();
    const { body } = await deploy(at, 'hello', '1', appFiles('hello', echoes));
    const limits: number[] = [];
    const seen = (message: unknown) => {
      limits.push((message as { readonly server: Server }).server.requestTimeout);
    };
    subscribe('http.server.request.start', seen);

    await ask(body.url, {});
    await ask(at.url, { host: `hello.ada.localhost:${new URL(at.url).port}` });

    unsubscribe('http.server.request.start', seen);
    expect(limits).toEqual([0, 0]);
  });
});
