import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, type PeerCertificate, connect as tlsConnect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { type ReservedPort, reservePort } from '../../lib/http/ports.ts';
import { cli } from '../support/cli.ts';
import { caddyVersion, withCaddy } from '../support/service/caddy.ts';
import { application, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { type ServiceUnderTest, type Started, startForTest } from '../support/service/started.ts';

/** Answers requests with the text, and WebSockets with "hi". */
const SERVER = `const { createHash } = require('node:crypto');
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
require('node:http').createServer((request, response) => response.end('the shop at ' + request.headers.host))
  .on('upgrade', ({ headers }, socket) => {
    const accept = createHash('sha1').update(headers['sec-websocket-key'] + GUID).digest('base64');
    socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n');
    socket.write(Buffer.from([0x81, 2, 0x68, 0x69]));
  }).listen(process.env.PORT, process.env.HOST);
`;

describe('a domain of an application, on a server with Caddy', () => {
  let started: Started<ServiceUnderTest>;
  let reserved: ReservedPort;
  let publicPort: number;
  let tree: GitFolder;

  beforeAll(async () => {
    // Until Caddy takes it: others that run meanwhile look for ports too.
    reserved = await reservePort(0);
    publicPort = reserved.port;
    const publicUrl = `https://deploy.apps.test:${publicPort}`;
    started = await startForTest('domains', {}, { appsDomain: 'apps.test', publicUrl });
    const { login, repoHost } = started.service;
    tree = gitFolder(repoHost.cloneUrl('demo', 'shop').replace('//', `//demo:${login.password}@`));
  });
  afterAll(async () => {
    await started?.close();
    await reserved?.release();
  });

  const domains = (method: string, name = '', app = 'shop') =>
    started.call(`/1/apps/demo/${app}/domains${name && `/${name}`}`, { method });

  it('is the address in rows and in the output of pushes, and belongs to one application', async () => {
    expect((await domains('PUT', 'shop.test')).body).toMatchObject({ code: 'status:db:not_found' });
    tree.commit({ ...application('shop', ''), 'server.js': SERVER });
    expect(await tree.pushAndWatch()).toContain(`https://shop.demo.apps.test:${publicPort}`);
    expect(await domains('PUT', 'shop.test')).toMatchObject({
      status: 201,
      body: { name: 'shop.test', url: `https://shop.test:${publicPort}`, note: expect.stringContaining('shop.test') },
    });
    expect((await domains('PUT', 'deploy.apps.test')).status).toBe(400);
    tree.commit({ 'more.txt': 'more' });
    expect(await tree.pushAndWatch()).toMatch(new RegExp(`live after .*: https://shop\\.test:${publicPort}`));
    const { body } = await started.call('/1/status/demo/webhooks?limit=1');
    expect(body.rows[0].url).toBe(`https://shop.test:${publicPort}`);
    expect((await started.call('/1/apps/demo/shop')).body.url).toBe(`https://shop.test:${publicPort}`);
  });

  it('is a reason for a certificate, which other names are not', async () => {
    const ask = async (name: string) => (await fetch(`${started.service.url}/ask?domain=${name}`)).status;
    expect([await ask('shop.test'), await ask('www.shop.test')]).toEqual([200, 404]);
    // The only user need not be named.
    expect([await ask('shop.apps.test'), await ask('other.apps.test')]).toEqual([200, 404]);
  });

  it('may redirect to another one, also with a certificate', async () => {
    expect((await domains('PUT', 'old.test?redirect=shop.test')).body).toMatchObject({ redirect: 'shop.test' });
    expect((await fetch(`${started.service.url}/ask?domain=old.test`)).status).toBe(200);
    expect((await domains('DELETE', 'shop.test')).body).toMatchObject({ code: 'request:conflict' });
    expect((await started.call('/1/apps/demo/shop')).body.url).toBe(`https://shop.test:${publicPort}`);
  });

  it.skipIf(caddyVersion === undefined)(
    `answers over HTTPS, HTTP/2 and WebSocket with a certificate of its own that is checked (${caddyVersion})`,
    async () => {
      const { port } = new URL(started.service.url);
      const printed = await cli('server --caddy', { env: { DATA_DIR: started.dataDir, PORT: port } });
      await reserved.release();
      await withCaddy(printed.out, publicPort, async (ca) => {
        const certificateFor = (servername: string, trust: { readonly ca?: string }) =>
          certificateOf({ host: '127.0.0.1', port: publicPort, servername, ...trust });
        expect(await certificateFor('shop.test', { ca })).toMatchObject({ subjectaltname: 'DNS:shop.test' });
        expect(await certificateFor('shop.test', {})).toMatch(/unable to get|self-signed/);
        expect(await certificateFor('other.test', { ca })).toMatch(/alert internal error/);

        for (const name of ['shop.test', 'shop.apps.test']) {
          const session = connectHttp2(`https://127.0.0.1:${publicPort}`, { servername: name, ca });
          const stream = session.request({ ':path': '/', ':authority': `${name}:${publicPort}` });
          expect(await text(stream)).toBe(`the shop at ${name}:${publicPort}`);
          expect(session.alpnProtocol).toBe('h2');
          session.close();
        }

        const session = connectHttp2(`https://127.0.0.1:${publicPort}`, { servername: 'old.test', ca });
        const redirected = session.request({ ':path': '/a?b', ':authority': `old.test:${publicPort}` });
        const [answer] = await once(redirected, 'response');
        expect([answer[':status'], answer.location]).toEqual([308, `https://shop.test:${publicPort}/a?b`]);
        session.close();

        const tls = { servername: 'shop.test', ca };
        const headers = { host: `shop.test:${publicPort}` };
        const socket = new WebSocket(`wss://127.0.0.1:${publicPort}/`, { ...tls, headers });
        const said = await new Promise((resolve, reject) => socket.once('message', resolve).once('error', reject));
        expect(String(said)).toBe('hi');
        socket.terminate();
      });
    },
  );

  it('is free again, and then nothing is served there', async () => {
    expect((await domains('DELETE', 'old.test')).status).toBe(204);
    expect((await domains('DELETE', 'shop.test')).status).toBe(204);
    expect((await domains('DELETE', 'shop.test')).status).toBe(404);
    expect((await fetch(`${started.service.url}/ask?domain=shop.test`)).status).toBe(404);
    expect((await started.call('/1/apps/demo/shop')).body.url).toBe(`https://shop.demo.apps.test:${publicPort}`);
  });
});

/** Returns the certificate of a server; the error's message when it has none, or none that is trusted for the name. */
function certificateOf(options: ConnectionOptions): Promise<PeerCertificate | string> {
  return new Promise((resolve) => {
    const socket = tlsConnect(options, () => {
      resolve(socket.getPeerCertificate());
      socket.destroy();
    });
    socket.once('error', ({ message }) => resolve(message));
  });
}
