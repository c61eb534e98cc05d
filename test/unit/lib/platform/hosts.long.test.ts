import { existsSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { isAppHost } from '../../../../lib/http/app-domain.ts';
import { appHost, labelsOf, publicUrl } from '../../../../lib/platform/store/host-names.ts';
import {
  appFiles,
  deploy,
  hello,
  platform,
  serverFile,
  sharedPlatform,
  until,
  visit,
} from '../../../support/platform/harness.ts';

const shared = sharedPlatform();

const publicDomain = { domain: 'apps.example.com', protocol: 'https:', port: '' } as const;

describe('The host name of an application', () => {
  it('is the application and its user, below localhost or the domain of the server', () => {
    const name = { user: 'ann', app: 'scope-app' };
    expect(appHost(name)).toBe('scope-app.ann.localhost');
    expect(publicUrl(name, publicDomain)).toBe('https://scope-app.ann.apps.example.com');
    expect(publicUrl(name, { ...publicDomain, protocol: 'http:', port: '8081' })).toBe(
      'http://scope-app.ann.apps.example.com:8081',
    );
  });

  it('is made of DNS labels for every user name, and of different ones for different users', () => {
    const users = [
      'ann',
      'Ann',
      'ANN',
      'ann-',
      'a-b',
      'a_b',
      'a.b',
      'a+b',
      'a@b',
      'a--b',
      'x'.repeat(64),
      'X'.repeat(64),
    ];
    const disguised = labelsOf({ user: 'Ann', app: 'a' }).split('.')[1] ?? '';
    const labels = [...users, disguised].map((user) => labelsOf({ user, app: 'a' }).split('.')[1] ?? '');
    for (const label of labels) expect(label).toMatch(/^(?=.{1,63}$)[a-z\d](?:[a-z\d-]*[a-z\d])?$/);
    expect(new Set(labels).size).toBe(labels.length);
    expect(labels[0]).toBe('ann');
  });

  it.each([
    ['shop.ann.localhost:8080', true],
    ['SHOP.Ann.LOCALHOST', true],
    ['shop.ann.apps.example.com.', true],
    ['shop.apps.example.com', true],
    ['shop.localhost', false],
    ['a.shop.ann.apps.example.com', false],
    ['shop.ann.apps.example.org', false],
    ['apps.example.com', false],
    ['127.0.0.1', false],
    [undefined, false],
  ])('is known by its form: %j is %j', (host, isOne) => {
    expect(isAppHost(host, 'apps.example.com')).toBe(isOne);
  });
});

describe('The applications of a server with a domain', () => {
  it('have public addresses, and are found by them whether or not they run, also after a restart', async () => {
    const at = await platform({ publicDomain });
    const app = await deploy(at, 'hello', '1', appFiles('hello', serverFile('by name')));
    expect(app.url).toBe('https://hello.ada.apps.example.com');
    expect(await visit(at, 'hello.ada.apps.example.com')).toEqual({ status: 200, body: 'by name' });
    expect(await visit(at, 'hello.ada.localhost')).toEqual({ status: 200, body: 'by name' });
    expect(await at.hasHost('hello.ada.apps.example.com')).toBe(true);
    expect(await at.hasHost('other.ada.apps.example.com')).toBe(false);

    await at.operations.stop(hello);
    await at.close();
    const again = await platform({ publicDomain, dataDir: at.dataDir });

    const stopped = await visit(again, 'hello.ada.apps.example.com');
    expect(stopped).toEqual({ status: 503, body: '{"error":"hello is stopped."}\n' });
    expect(await again.hasHost('hello.ada.apps.example.com')).toBe(true);
    const socket = new WebSocket(again.url.replace('http', 'ws'), { headers: { host: 'hello.ada.localhost' } });
    expect(String(await new Promise((resolve) => socket.once('error', resolve)))).toContain('503');
  });

  it('a name that no application has gets a page that says so, and so do those of removed ones', async () => {
    const at = await platform({ publicDomain });
    await deploy(at, 'hello', '1', appFiles('hello', serverFile('by name')));
    await at.operations.remove(hello);
    for (const host of ['hello.ada.apps.example.com', 'hello.eve.apps.example.com', 'hello.ada.localhost']) {
      const answer = await visit(at, host, 'text/html');
      expect(answer).toMatchObject({
        status: 404,
        body: expect.stringContaining('<p>There is no application at this address.'),
      });
    }
  });

  it('one that is visited while it is removed is gone afterwards', async () => {
    const at = await platform({ limits: { graceMs: 60_000 } });
    const waits = `
const fs = require('node:fs');
const { DATA_DIR } = process.env;
const end = () => (fs.existsSync(DATA_DIR + '/end') ? process.exit() : setTimeout(end, 10));
process.on('SIGTERM', () => { fs.writeFileSync(DATA_DIR + '/ending', ''); end(); });
`;
    await deploy(at, 'hello', '1', appFiles('hello', waits + serverFile('here')));
    const data = join(at.dataDir, 'apps/ada/hello/data');
    const removed = at.operations.remove(hello);
    await until('its process is asked to end', () => existsSync(join(data, 'ending')));
    expect((await visit(at, 'hello.ada.localhost')).status).toBe(503);

    writeFileSync(join(data, 'end'), '');

    await removed;
    expect((await visit(at, 'hello.ada.localhost')).status).toBe(404);
    expect(await at.hasHost('hello.ada.localhost')).toBe(false);
  });

  it('a name is not that of an application before its first deploy, though variables are set', async () => {
    const at = await platform({ publicDomain });
    await at.hosting.ensureApp(hello, {});
    await at.variables.set(hello, { A: '1' });
    expect((await visit(at, 'hello.ada.apps.example.com')).status).toBe(404);
    expect(await at.hasHost('hello.ada.apps.example.com')).toBe(false);
    await deploy(at, 'hello', '1', appFiles('hello', serverFile('by name')));
    expect(await visit(at, 'hello.ada.apps.example.com')).toEqual({ status: 200, body: 'by name' });
  });

  it('cannot set cookies for the names above their own, where other applications are', async () => {
    const at = await platform({ publicDomain });
    const cookies = [
      'a=1; Domain=apps.example.com; Path=/',
      'b=1; domain=.ada.apps.example.com',
      'c=1; Path=/; DOMAIN=localhost',
      'd=1; Domain=hello.ada.apps.example.com',
      'domain=example.com; HttpOnly',
      'e=1; Domain=elsewhere.example.org',
      ...[
        '"apps.example.com"',
        '"."apps.example.com"',
        "'apps.example.com'",
        '..apps.example.com',
        'APPS.example.com.',
        '" localhost. "',
      ].map((domain) => `f=1; Secure; Domain=${domain}`),
    ];
    const server = `require('node:http').createServer((q, s) => s.setHeader('set-cookie', ${JSON.stringify(cookies)}).end())
      .on('upgrade', (q, socket) => socket.end('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSet-Cookie: a=1; Domain=localhost\\r\\n\\r\\n'))
      .listen(process.env.PORT, process.env.HOST);`;
    const app = await deploy(at, 'hello', '1', appFiles('hello', server));
    expect(app.state).toBe('running');
    const { port } = new URL(at.url);
    const answer = await new Promise<IncomingMessage>((resolve) => {
      get({ host: '127.0.0.1', port, agent: false, headers: { host: 'hello.ada.apps.example.com' } }, resolve);
    });
    answer.resume();
    expect(answer.headers['set-cookie']).toEqual([
      'a=1; Path=/',
      'b=1',
      'c=1; Path=/',
      'd=1; Domain=hello.ada.apps.example.com',
      'domain=example.com; HttpOnly',
      'e=1; Domain=elsewhere.example.org',
      ...Array.from({ length: 6 }, () => 'f=1; Secure'),
    ]);
    const headers = { host: 'hello.ada.localhost', connection: 'Upgrade', upgrade: 'websocket' };
    const upgraded = await new Promise<IncomingMessage>((resolve) => {
      get({ host: '127.0.0.1', port, agent: false, headers }).once('upgrade', (got) => resolve(got));
    });
    expect(upgraded.headers['set-cookie']).toEqual(['a=1']);
  });

  it('serve a request that offers HTTP/2, also at their own ports', async () => {
    const at = await shared();
    const app = await deploy(at, 'hello', '1', appFiles('hello', serverFile('in HTTP/1.1')));
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      get(app.url, { headers, agent: false }, resolve).once('error', reject);
    });
    expect(await text(answer)).toBe('in HTTP/1.1');
  });

  it('an application that listens on ::1 only is served', async () => {
    const at = await shared();
    const server = serverFile('over IPv6').replace('process.env.HOST', "'::1'");
    const app = await deploy(at, 'hello', '1', appFiles('hello', server));
    expect(await (await fetch(app.url)).text()).toBe('over IPv6');
  });
});
