import { describe, expect, it } from 'vitest';
import { appOf, build, deploy, sharedPlatform } from '../../../support/platform/harness.ts';

const shared = sharedPlatform();

const manifest = (scripts: object = {}) => JSON.stringify({ name: 'site', version: '1.0.0', scripts });

async function site(files: Record<string, string>, scripts: object = {}) {
  const at = await shared();
  const started = await deploy(at, 'site', '1', { 'package.json': manifest(scripts), ...files });
  return { at, url: started.url };
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
    await at.operations.restart(appOf('site'));
    expect(await (await fetch(url)).text()).toBe('migrated\n');
  });

  it('a release command that fails keeps the old release', async () => {
    const { at, url } = await site({ 'index.html': 'old' });
    const files = {
      Procfile: 'release: echo "no such table"; exit 3',
      'index.html': 'new',
      'package.json': manifest(),
    };
    const built = await build(at, 'site', '2', files);
    expect(built).toMatchObject({
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

    await at.operations.remove(appOf('site'));
    const again = await deploy(at, 'site', '1', { 'package.json': manifest(), 'server.js': counts });
    expect(await (await fetch(again.url)).text()).toBe('x');
  });
});
