import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { STATIC_SERVER } from '../../../../lib/builder/start/start-command.ts';
import { freePort } from '../../../../lib/http/ports.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { WAIT_LIMIT_MS } from '../../../support/service/place.ts';

const servers: ChildProcess[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.kill();
});

/** Serves the folder `site` of an application with these files, by default its root. */
async function serve(files: Record<string, string | Buffer>, site = '.'): Promise<{ readonly url: string }> {
  const folder = newFolder('site');
  for (const [path, content] of Object.entries({ 'package.json': '{}', ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return start(folder, site);
}

async function start(folder: string, site = '.'): Promise<{ readonly url: string }> {
  const port = await freePort();
  const env = { PATH: process.env.PATH, PORT: String(port), HOST: '127.0.0.1' };
  const server = spawn(process.execPath, [STATIC_SERVER, site], { cwd: folder, env, stdio: 'inherit' });
  servers.push(server);
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(url), { timeout: WAIT_LIMIT_MS, interval: 10 });
  return { url };
}

/** fetch would resolve `..` before it sends the path, and would say that no cached answer is wanted. */
function rawStatus(url: string, path: string, headers: OutgoingHttpHeaders = {}): Promise<number | undefined> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', reject).end();
  });
}

describe('the server of a static site', () => {
  const files = {
    'index.html': 'home',
    'about.html': 'about',
    'docs/index.html': 'docs',
    'style.css': 'a{}',
    '.env': 'SECRET=1',
    '.well-known/security.txt': 'contact',
    'node_modules/left/index.js': 'x',
  };

  it('answers pages without their extension, folders with a slash, and files by type', async () => {
    const { url } = await serve(files);
    const get = async (path: string) => (await fetch(`${url}${path}`)).text();
    expect([await get('/about'), await get('/docs/'), await get('/.well-known/security.txt')]).toEqual([
      'about',
      'docs',
      'contact',
    ]);
    const redirected = await fetch(`${url}/docs?a=1`, { redirect: 'manual' });
    expect([redirected.status, redirected.headers.get('location')]).toEqual([308, '/docs/?a=1']);
    expect((await fetch(`${url}/style.css`)).headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect((await fetch(`${url}/style.css`, { method: 'HEAD' })).headers.get('content-length')).toBe('3');
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
  });

  it('answers 304 to the ETag and to the time that it has sent', async () => {
    const { url } = await serve(files);
    const { headers } = await fetch(url);
    const conditions = { 'if-none-match': headers.get('etag'), 'if-modified-since': headers.get('last-modified') };
    for (const [name, value] of Object.entries(conditions)) {
      expect(await rawStatus(url, '/', { [name]: value ?? '' })).toBe(304);
    }
  });

  it('answers a path that is no file with the only page of the site, by what is asked for', async () => {
    const { url } = await serve({ 'index.html': 'home', 'style.css': 'a{}' });
    const status = async (path: string, accept: string) => {
      const answer = await fetch(`${url}${path}`, { headers: { accept } });
      return [answer.status, answer.status === 200 ? await answer.text() : ''];
    };
    expect(await status('/users/john.doe', 'text/html,application/xhtml+xml;q=0.9')).toEqual([200, 'home']);
    expect(await status('/missing', '*/*')).toEqual([200, 'home']);
    expect(await status('/missing.js', '*/*')).toEqual([404, '']);
    expect(await status('/missing.png', 'image/png,image/*;q=0.8')).toEqual([404, '']);
  });

  it('answers it with 404 when the site has several pages, unless one is 200.html', async () => {
    const pages = { 'index.html': 'home', 'docs/index.html': 'docs' };
    const { url } = await serve(pages);
    expect((await fetch(`${url}/users/7`)).status).toBe(404);
    const other = await serve({ ...pages, '200.html': 'router' });
    expect(await (await fetch(`${other.url}/users/7`)).text()).toBe('router');
  });

  it.each([
    ['bytes=0-1', 206, 'bytes 0-1/10', '01'],
    ['bytes=8-', 206, 'bytes 8-9/10', '89'],
    ['bytes=-3', 206, 'bytes 7-9/10', '789'],
    ['bytes=2-99', 206, 'bytes 2-9/10', '23456789'],
    ['bytes=99-', 416, 'bytes */10', 'The file has no such part.\n'],
    ['bytes=0-1,8-9', 200, null, '0123456789'],
    ['bytes 0-1', 200, null, '0123456789'],
    ['lines=0-1', 200, null, '0123456789'],
  ])('answers Range: %s with %i', async (range, status, part, text) => {
    const { url } = await serve({ 'index.html': 'home', 'talk.m4a': '0123456789' });
    const answer = await fetch(`${url}/talk.m4a`, { headers: { range } });
    const { headers } = answer;
    expect([answer.status, headers.get('content-range'), await answer.text()]).toEqual([status, part, text]);
    expect(headers.get('accept-ranges')).toBe(status === 416 ? null : 'bytes');
  });

  it('answers the whole file to a part of another version', async () => {
    const { url } = await serve({ 'index.html': '0123456789' });
    const time = (await fetch(url)).headers.get('last-modified') ?? '';
    const part = (since: string) => fetch(url, { headers: { range: 'bytes=0-1', 'if-range': since } });
    expect((await part(time)).status).toBe(206);
    expect((await part('Thu, 01 Jan 1970 00:00:00 GMT')).status).toBe(200);
  });

  it('compresses what gets smaller, and sends what the build has compressed', async () => {
    const long = 'let a = 1;\n'.repeat(1_000);
    const { url } = await serve({
      ...{ 'index.html': 'home', 'long.js': long, 'photo.png': long },
      ...{ 'app.js': 'source', 'app.js.br': brotliCompressSync('compressed'), 'app.js.gz': gzipSync('zipped') },
    });
    const get = async (path: string, coding: string, more = {}) => {
      const answer = await fetch(`${url}${path}`, { headers: { 'accept-encoding': coding, ...more } });
      return [answer.headers.get('content-encoding'), answer.headers.get('vary'), await answer.text()];
    };
    const vary = 'accept-encoding';
    expect(await get('/long.js', 'gzip, br')).toEqual(['gzip', vary, long]);
    expect(await get('/long.js', 'gzip;q=0')).toEqual([null, vary, long]);
    expect(await get('/long.js', 'gzip', { range: 'bytes=0-2' })).toEqual([null, vary, 'let']);
    expect(await get('/photo.png', 'gzip')).toEqual([null, null, long]);
    expect(await get('/', 'gzip')).toEqual([null, vary, 'home']);
    expect(await get('/app.js', 'gzip, br')).toEqual(['br', vary, 'compressed']);
    expect(await get('/app.js', 'gzip')).toEqual(['gzip', vary, 'zipped']);
    expect(await get('/app.js', 'identity')).toEqual([null, vary, 'source']);
    const { headers } = await fetch(`${url}/app.js`, { method: 'HEAD', headers: { 'accept-encoding': 'br' } });
    expect([headers.get('content-type'), headers.get('content-encoding')]).toEqual([
      'text/javascript; charset=utf-8',
      'br',
    ]);
  });

  it.each([
    ['captions.vtt', 'text/vtt; charset=utf-8'],
    ['talk.m4a', 'audio/mp4'],
    ['live.m3u8', 'application/vnd.apple.mpegurl'],
    ['map.geojson', 'application/geo+json'],
    ['icon.ico', 'image/vnd.microsoft.icon'],
    ['app.webmanifest', 'application/manifest+json; charset=utf-8'],
    ['data.unknown', 'application/octet-stream'],
  ])('says the type of %s', async (file, type) => {
    const { url } = await serve({ 'index.html': 'home', [file]: 'x' });
    expect((await fetch(`${url}/${file}`)).headers.get('content-type')).toBe(type);
  });

  it('does not answer what describes the application', async () => {
    const { url } = await serve({ 'index.html': 'home', 'app.json': '{}', 'data/package.json': '{}' });
    const status = async (path: string) => (await fetch(`${url}${path}`, { headers: { accept: 'a/b' } })).status;
    expect(await status('/package.json')).toBe(404);
    expect(await status('/app.json')).toBe(404);
    expect(await status('/data/package.json')).toBe(200);
    const other = await serve({ 'public/index.html': 'home', 'public/package.json': '{}' }, 'public');
    expect((await fetch(`${other.url}/package.json`)).status).toBe(200);
  });

  it('answers 404.html with 404 when the site has one', async () => {
    const { url } = await serve({ ...files, '404.html': 'lost' });
    const answer = await fetch(`${url}/users/7`);
    expect([answer.status, await answer.text()]).toEqual([404, 'lost']);
  });

  it('does not answer what is not of the site', async () => {
    const { url } = await serve(files);
    const paths = [
      '/.env',
      '/node_modules/left/index.js',
      '/../../snapshots/1.json',
      '/..%2f..%2fsnapshots%2f1.json',
      '/%2e%2e/%2e%2e/app.json',
      '/..%5c..%5capp.json',
      '/%00',
      '/%zz',
      '//etc/passwd.txt',
    ];
    const answered = await Promise.all(paths.map(async (path) => [path, await rawStatus(url, path)] as const));
    expect(answered.filter(([, status = 0]) => status < 400)).toEqual([]);
  });

  it('does not follow a link out of the site, or to a dotfile in it', async () => {
    const folder = newFolder('site');
    mkdirSync(join(folder, 'dist'));
    const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
    write('package.json', '{}');
    write('dist/index.html', 'home');
    write('dist/.env', 'secret');
    const links = { 'p.json': '../package.json', 'env.txt': '.env', 'a.html': 'index.html' };
    for (const [link, to] of Object.entries(links)) symlinkSync(to, join(folder, 'dist', link));
    const { url } = await start(folder, 'dist');
    expect((await fetch(`${url}/p.json`)).status).toBe(404);
    expect((await fetch(`${url}/env.txt`)).status).toBe(404);
    expect((await fetch(`${url}/a.html`)).status).toBe(200);
  });
});
