import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  appFiles,
  appOf,
  deploy,
  hello,
  type PlatformUnderTest,
  platform,
  refusalOf,
  serverFile,
} from '../../../support/platform/harness.ts';

const server = {
  publicDomain: { domain: 'apps.example.com', protocol: 'https:', port: '' },
  publicService: { protocol: 'https:', port: '', names: ['deploy.apps.example.com'] },
  lookup: async () => [],
} as const;
const WWW = 'www.shop.example.com';
const SHOP = 'shop.example.com';

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

describe('A domain that redirects', () => {
  let at: PlatformUnderTest;

  beforeEach(async () => {
    at = await platform(server);
    await deploy(at, 'hello', '1', appFiles('hello', serverFile('served')));
    // The one that redirects is the older one.
    await at.domains.add(hello, WWW);
    await at.domains.add(hello, SHOP);
    await at.domains.add(hello, WWW, SHOP);
  });

  const ask = (host: string, { path = '/', method = 'GET', headers = {}, body = '' }: Asked = {}) =>
    new Promise<{ readonly status: number | undefined; readonly to: string | undefined; readonly body: string }>(
      (resolve, reject) => {
        const answered = async (answer: IncomingMessage) =>
          resolve({ status: answer.statusCode, to: answer.headers.location, body: await text(answer) });
        const { hostname, port } = new URL(at.url);
        const asked = { hostname, port, path, method, headers: { host, ...headers }, agent: false };
        request(asked, answered).once('error', reject).end(body);
      },
    );
  /** Sends bytes as they are, and returns the head of the answer. */
  const send = (bytes: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(at.url).port), '127.0.0.1', () => socket.write(bytes, 'latin1'));
      socket.once('data', (head) => {
        resolve(head.toString('latin1').split('\r\n\r\n')[0] ?? '');
        socket.destroy();
      });
      socket.once('error', reject);
    });

  it('answers 308 with the same path at the other domain, by the way that the visitor uses', async () => {
    const path = '/a%20b/?q=1&to=//evil.example#not';
    expect(await ask(WWW, { path })).toMatchObject({ status: 308, to: `http://${SHOP}${path}` });
    for (const forwarded of ['https', 'HTTPS', 'https, http']) {
      const headers = { 'x-forwarded-proto': forwarded };
      expect((await ask(WWW, { path: '//evil.example/', headers })).to).toBe(`https://${SHOP}//evil.example/`);
    }
    expect((await ask(WWW, { headers: { 'x-forwarded-proto': 'http, https' } })).to).toBe(`http://${SHOP}/`);
    expect(await ask(SHOP)).toEqual({ status: 200, to: undefined, body: 'served' });
  });

  it.each([
    ['of a Host in upper case, with a port', 'WWW.Shop.Example.COM:8443', `http://${SHOP}:8443/`],
    ['of a Host with a dot at its end', `${WWW}.`, `http://${SHOP}/`],
    ['of a Host with a dot and a port', `${WWW}.:80`, `http://${SHOP}/`],
  ])('leads a request %s to the same port', async (_, host, to) => {
    const found = await ask(host);
    expect([found.status, found.to?.replace(':80/', '/')]).toEqual([308, to]);
  });

  it('answers each method so, and none of its bodies comes to the application', async () => {
    const body = JSON.stringify({ error: `This is at ${SHOP}.` });
    expect(await ask(WWW, { method: 'POST', body: 'x'.repeat(300_000) })).toMatchObject({
      status: 308,
      to: `http://${SHOP}/`,
      body: `${body}\n`,
    });
    expect(await ask(WWW, { method: 'HEAD' })).toEqual({ status: 308, to: `http://${SHOP}/`, body: '' });
    expect((await ask(WWW, { headers: { accept: 'text/html' } })).body).toContain('308 Permanent Redirect');
  });

  it('leads WebSockets there too, and whatever else a client may write in place of a path', async () => {
    const upgrade = `connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${'a'.repeat(22)}==\r\n`;
    expect(await send(`GET /chat?a HTTP/1.1\r\nhost: ${WWW}\r\n${upgrade}\r\n`)).toMatch(
      /^HTTP\/1\.1 308 [\s\S]*\r\nlocation: http:\/\/shop\.example\.com\/chat\?a(?:\r\n|$)/,
    );
    for (const [target, path] of [
      [`http://${WWW}/x?y`, '/x?y'],
      [`http://${WWW}`, '/'],
      [`http://${WWW}?y`, '/?y'],
    ]) {
      const head = await send(`GET ${target} HTTP/1.1\r\nhost: ${WWW}\r\n\r\n`);
      expect([target, /location: (.*)/.exec(head)?.[1]]).toEqual([target, `http://${SHOP}${path}`]);
    }
    // A newer Node does not read them.
    for (const [byte, sent] of [
      ['\u00e9', '%E9'],
      ['\f', '%0C'],
    ]) {
      const head = await send(`GET /a${byte} HTTP/1.1\r\nhost: ${WWW}\r\n\r\n`);
      if (!head.startsWith('HTTP/1.1 400 ')) expect(head).toContain(`http://${SHOP}/a${sent}`);
    }
    expect(await send(`OPTIONS * HTTP/1.1\r\nhost: ${WWW}\r\n\r\n`)).toContain(`http://${SHOP}/`);
  });

  it('is known where certificates are asked for, and leaves their challenges to the application', async () => {
    expect([await at.hasHost(WWW), at.hasDomain(WWW)]).toEqual([true, true]);
    expect(await ask(WWW, { path: '/.well-known/acme-challenge/abc' })).toMatchObject({ status: 200, body: 'served' });
    expect(await ask(WWW, { path: '/.well-known/other' })).toMatchObject({ status: 308 });
  });

  it('is never the address of the application', async () => {
    const address = async () => (await at.applications.find(hello))?.url;
    expect(await address()).toBe(`https://${SHOP}`);
    await at.domains.add(hello, WWW);
    expect(await address()).toBe(`https://${WWW}`);
    expect(await ask(WWW)).toMatchObject({ status: 200 });
  });

  it('redirects while the application is stopped, after another name of it, and after a restart of the service', async () => {
    await at.operations.stop(hello);
    expect([(await ask(WWW)).status, (await ask(SHOP)).status]).toEqual([308, 503]);
    await at.operations.restart(hello);
    await at.operations.rename(hello, 'store');
    await expect.poll(async () => (await ask(SHOP)).status).toBe(200);
    expect((await ask(WWW)).to).toBe(`http://${SHOP}/`);
    const { dataDir } = at;
    await at.close();
    at = await platform({ ...server, dataDir });
    await expect.poll(async () => (await ask(SHOP)).status).toBe(200);
    expect((await ask(WWW)).to).toBe(`http://${SHOP}/`);
    await at.operations.remove(appOf('store'));
    expect([(await ask(WWW)).status, at.hasDomain(WWW)]).toEqual([404, false]);
  });

  it('says why it cannot, and keeps what it was', async () => {
    await at.hosting.ensureApp(appOf('blog'), { name: 'blog', version: '1' });
    await at.domains.add(appOf('blog'), 'blog.example.com');
    const refused = async (name: string, to: string) => (await refusalOf(at.domains.add(hello, name, to))).error;
    expect(await refused('a.example.com', 'blog.example.com')).toContain(
      'blog.example.com is not a domain of hello, to which alone a.example.com may redirect: add it first with "hooks domains add blog.example.com --app hello".',
    );
    expect(await refused(SHOP, SHOP)).toContain(`${SHOP} cannot redirect to itself.`);
    expect(await refused('a.example.com', WWW)).toContain(`${WWW} redirects to ${SHOP} itself: let a.example.com`);
    await at.domains.add(hello, 'new.example.com');
    expect(await refused(SHOP, 'new.example.com')).toContain(`${WWW} redirects to ${SHOP}, which therefore cannot`);
    const { error } = await refusalOf(at.domains.remove(hello, SHOP));
    expect(error).toContain(`${WWW} redirects to ${SHOP}: remove that first, or redirect it elsewhere.`);
    expect([(await ask(SHOP)).status, (await ask(WWW)).to]).toEqual([200, `http://${SHOP}/`]);
  });
});
