import { existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../../support/new-folder.ts';
import { appFiles, build, hello, platform, refusalOf, serverFile, start } from '../../../support/platform/harness.ts';

/** A folder of somebody else. */
function anothers(): string {
  const folder = newFolder('anothers');
  mkdirSync(join(folder, 'cache'));
  writeFileSync(join(folder, 'cache/kept'), 'of another');
  writeFileSync(join(folder, 'secret'), 'secret: of-another\n');
  writeFileSync(join(folder, 'package.json'), '{"name":"another","version":"1.0.0"}');
  return folder;
}

const files = (script: string, more: Record<string, string> = {}) => ({
  ...appFiles('hello', serverFile('up'), { scripts: { build: script } }),
  ...more,
});

describe('a link that a build has made out of its release', () => {
  it.each(['Procfile', 'package.json'])('as %s is refused, and its content is not told', async (name) => {
    const at = await platform();
    const built = await build(at, 'hello', '1', files(`rm -f ${name} && ln -s ${anothers()}/secret ${name}`));
    expect([built.state, built.reason]).toEqual(['failed', `${name} is a link that leads out of the repository.`]);
    expect(JSON.stringify(built)).not.toContain('of-another');
  });

  it('is not followed by a cache, neither when that is kept nor when it comes back', async () => {
    const at = await platform();
    const folder = anothers();
    const link = `rm -rf .next && ln -s ${folder} .next`;
    await build(at, 'hello', '1', files(link));
    expect(readFileSync(join(folder, 'cache/kept'), 'utf8')).toBe('of another');
    // A cache of its own would take the place of the other's.
    await build(at, 'hello', '2', files('mkdir -p .next/cache && echo own > .next/cache/own'));
    const scripts = { 'heroku-prebuild': link };
    await build(at, 'hello', '3', appFiles('hello', serverFile('up'), { scripts }));
    expect(existsSync(join(folder, 'cache/own'))).toBe(false);
    expect(readFileSync(join(folder, 'cache/kept'), 'utf8')).toBe('of another');
  });

  it('that is made while the application runs is refused at its next start', async () => {
    const at = await platform();
    const link = `const fs = require('node:fs'); fs.rmSync('Procfile'); fs.symlinkSync('${anothers()}/secret', 'Procfile');`;
    const built = await build(at, 'hello', '1', {
      ...appFiles('hello', `${link} ${serverFile('up')}`),
      Procfile: 'web: node server.js\n',
    });
    expect(built.state).toBe('ready');
    await start(at, 'hello', '1');
    await at.operations.stop(hello);
    const again = await refusalOf(start(at, 'hello', '1'));
    expect(again.error).toBe('Procfile is a link that leads out of the repository.');
  });

  it('is followed where it stays in the repository', async () => {
    const at = await platform();
    const built = await build(at, 'hello', '1', files('ln -s lines Procfile', { lines: 'web: node server.js\n' }));
    expect([built.state, built.reason]).toEqual(['ready', null]);
  });
});

const DEPENDENCY = '{"name":"dependency","version":"1.0.0"}';

describe('the folders that the service fills and empties after a build', () => {
  const site = (script: string, dependencies: object = {}) =>
    JSON.stringify({ name: 'hello', version: '1.0.0', scripts: { build: script }, dependencies });

  it('are not those of another to which a folder of the application leads', async () => {
    const at = await platform();
    const folder = anothers();
    mkdirSync(join(folder, 'node_modules'));
    const script = `mkdir -p dist && echo hi > dist/index.html && cd .. && mv web moved && ln -s ${folder} web`;
    const built = await build(
      at,
      'hello',
      '1',
      {
        'web/package.json': site(script, { dependency: 'file:./dependency' }),
        'web/dependency/package.json': DEPENDENCY,
      },
      { path: 'web' },
    );
    expect([built.state, built.reason]).toEqual([
      'failed',
      'The folder web is a link that leads out of the repository.',
    ]);
    expect(existsSync(join(folder, 'node_modules'))).toBe(true);
  });

  it('are not those of another to which the cache of packages leads', async () => {
    const at = await platform();
    const folder = anothers();
    const script = `mkdir -p dist && echo hi > dist/index.html && ln -s ${folder} .yarn`;
    const built = await build(at, 'hello', '1', {
      'package.json': site(script, { dependency: 'file:./dependency' }),
      'dependency/package.json': DEPENDENCY,
    });
    expect([built.state, built.reason]).toEqual(['ready', null]);
    expect(readFileSync(join(folder, 'cache/kept'), 'utf8')).toBe('of another');
  });

  it('are not those of another of which the standalone server of Next has a link', async () => {
    const at = await platform();
    const folder = anothers();
    const made = 'mkdir -p .next/standalone .next/static && touch .next/BUILD_ID .next/standalone/server.js';
    await build(at, 'hello', '1', files(`${made} && ln -s ${folder} .next/standalone/.next`));
    expect(existsSync(join(folder, 'static'))).toBe(false);
  });

  it('are copied to the standalone server of Next beside what is there, links as links, without pipes', async () => {
    const at = await platform();
    const folder = anothers();
    const script = [
      'mkdir -p .next/standalone/.next/static .next/static/deep public && touch .next/BUILD_ID .next/standalone/server.js',
      'echo own > .next/standalone/.next/static/kept && echo new > .next/static/kept && echo new > .next/static/deep/file',
      `mkfifo .next/static/pipe && ln -s ${folder} .next/static/link && ln -s deep/file .next/static/near`,
      `ln -s ${folder}/cache .next/standalone/public && echo new > public/kept`,
    ].join(' && ');
    const { state } = await build(at, 'hello', '1', files(script));
    const to = join(at.dataDir, 'apps/ada/hello/releases/1/.next/standalone/.next/static');
    const text = (name: string) => readFileSync(join(to, name), 'utf8').trim();
    expect([state, text('kept'), text('deep/file'), existsSync(join(to, 'pipe'))]).toEqual([
      'ready',
      'own',
      'new',
      false,
    ]);
    expect([readlinkSync(join(to, 'link')), readlinkSync(join(to, 'near'))]).toEqual([folder, 'deep/file']);
    expect(readFileSync(join(folder, 'cache/kept'), 'utf8')).toBe('of another');
  });
});
