import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { build, call, deploy, sharedPlatform } from '../../../support/platform/harness.ts';

const shared = sharedPlatform();

const manifest = (scripts: object = {}) => JSON.stringify({ name: 'site', version: '1.0.0', scripts });

async function site(files: Record<string, string>, scripts: object = {}) {
  const at = await shared();
  const started = await deploy(at, 'site', '1', { 'package.json': manifest(scripts), ...files });
  return { at, url: started.body.url };
}

/** fetch would resolve `..` before it sends the path. */
function rawStatus(url: string, path: string): Promise<number | undefined> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', reject).end();
  });
}

describe('a repository without a server', () => {
  it.each([
    ['dist', { build: 'mkdir dist && echo built > dist/index.html' }, {}],
    ['out', { build: 'mkdir out && echo built > out/index.html' }, { 'index.html': 'source' }],
    ['public', {}, { 'public/index.html': 'built\n' }],
    ['its root', {}, { 'index.html': 'built\n' }],
  ])('is served as a static site from %s', async (_where, scripts, files) => {
    const { url } = await site(files, scripts);
    const answer = await fetch(url);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await answer.text()).toBe('built\n');
  });

  it('is not a site when it has a server', async () => {
    const server = "require('node:http').createServer((q, s) => s.end('server')).listen(process.env.PORT)";
    const { url } = await site({ 'index.html': 'page', 'server.js': server });
    expect(await (await fetch(url)).text()).toBe('server');
  });

  it('without an index.html has nothing to start', async () => {
    const at = await shared();
    await build(at, 'site', '1', { 'package.json': manifest() });
    const { body } = await call(at, 'POST', '/apps/ada/site/start', { snapshot: '1' });
    expect(body.error).toMatch(/^There is nothing to start: .*no web process in a Procfile, and no index\.html\.$/);
  });
});

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
    const { url } = await site(files);
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

  it('answers 304 to the ETag that it has sent, index.html to a path of a page’s own router, and 404 to a missing file', async () => {
    const { url } = await site(files);
    const etag = (await fetch(url)).headers.get('etag') ?? '';
    expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect(await (await fetch(`${url}/users/7`)).text()).toBe('home');
    expect((await fetch(`${url}/missing.js`)).status).toBe(404);
  });

  it('answers 404.html with 404 when the site has one', async () => {
    const { url } = await site({ ...files, '404.html': 'lost' });
    const answer = await fetch(`${url}/users/7`);
    expect([answer.status, await answer.text()]).toEqual([404, 'lost']);
  });

  it('does not answer what is not of the site', async () => {
    const { url } = await site(files);
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
    const links = 'ln -s ../package.json p.json && echo secret > .env && ln -s .env env.txt && ln -s index.html a.html';
    const { url } = await site({}, { build: `mkdir dist && cd dist && echo home > index.html && ${links}` });
    expect((await fetch(`${url}/p.json`)).status).toBe(404);
    expect((await fetch(`${url}/env.txt`)).status).toBe(404);
    expect((await fetch(`${url}/a.html`)).status).toBe(200);
  });
});

describe('the Procfile', () => {
  const server = (text: string) =>
    `require('node:http').createServer((q, s) => s.end('${text}' + process.argv[2])).listen(process.env.PORT)`;

  it('its web process is started, with the shell, instead of scripts.start', async () => {
    const { url } = await site(
      { Procfile: '# comment\nweb: node web.js $PORT\nworker: node worker.js\n', 'web.js': server('port ') },
      { start: 'exit 1' },
    );
    expect(await (await fetch(url)).text()).toMatch(/^port \d+$/);
  });

  it('its release command runs before the release serves, once, with the folder of the application', async () => {
    const { at, url } = await site({
      Procfile: 'release: echo migrated >> "$DATA_DIR/log.txt"\nweb: node web.js',
      'web.js':
        "require('node:http').createServer((q, s) => s.end(require('fs').readFileSync(process.env.DATA_DIR + '/log.txt'))).listen(process.env.PORT)",
    });
    await call(at, 'POST', '/apps/ada/site/restart');
    expect(await (await fetch(url)).text()).toBe('migrated\n');
  });

  it('a release command that fails keeps the old release', async () => {
    const { at, url } = await site({ 'index.html': 'old' });
    const files = {
      Procfile: 'release: echo "no such table"; exit 3',
      'index.html': 'new',
      'package.json': manifest(),
    };
    const { body } = await build(at, 'site', '2', files);
    expect(body).toMatchObject({
      state: 'failed',
      reason: 'The release command of the Procfile exited with code 3: no such table.',
    });
    expect(await (await fetch(url)).text()).toBe('old');
  });
});

describe('the folder of an application', () => {
  it('persists across releases and is removed with the application', async () => {
    const counts =
      "const f = process.env.DATA_DIR + '/n'; const fs = require('fs'); fs.appendFileSync(f, 'x'); require('node:http').createServer((q, s) => s.end(fs.readFileSync(f))).listen(process.env.PORT)";
    const { at, url } = await site({ 'server.js': counts });
    await deploy(at, 'site', '2', { 'package.json': manifest(), 'server.js': counts });
    expect(await (await fetch(url)).text()).toBe('xx');

    await call(at, 'DELETE', '/apps/ada/site');
    const again = await deploy(at, 'site', '1', { 'package.json': manifest(), 'server.js': counts });
    expect(await (await fetch(again.body.url)).text()).toBe('x');
  });
});
