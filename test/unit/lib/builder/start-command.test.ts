import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { procfileIn, readStartManifest, startCommand } from '../../../../lib/builder/start/start-command.ts';
import { temporaryFolder } from '../../../support/platform/harness.ts';

async function commandOf(manifest: object, files: readonly string[] = []) {
  const release = await temporaryFolder();
  await writeFile(join(release, 'package.json'), JSON.stringify(manifest));
  for (const file of files) await writeFile(join(release, file), '');
  const { program, args } = await startCommand(release, await readStartManifest(release), {});
  return [program, ...args];
}

describe('the start command', () => {
  it('the start command is scripts.start, without a shell when it needs none', async () => {
    expect(await commandOf({ scripts: { start: 'node  server.js --port=1' } })).toEqual([
      'node',
      'server.js',
      '--port=1',
    ]);
  });

  it.each([
    'A=1 node x.js',
    'node x.js && echo',
    'node "a b.js"',
    'node $FILE',
    'cd lib; node x',
    'exec node x',
    'node *.js',
  ])('the start command is run by a shell for %s', async (start) => {
    expect(await commandOf({ scripts: { start } })).toEqual(['sh', '-c', start]);
  });

  it('the start command may name a script that there is not, whatever its name', async () => {
    expect(await commandOf({ scripts: { start: 'npm run constructor' } })).toEqual(['npm', 'run', 'constructor']);
  });

  it('the start command runs prestart first', async () => {
    const scripts = { prestart: 'make it || true', start: 'node x.js' };
    expect(await commandOf({ scripts })).toEqual(['sh', '-c', '(make it || true) && node x.js']);
  });

  it('the start command is main when there is no script, then server.js, app.js and index.js', async () => {
    expect(await commandOf({ main: 'lib' }, ['lib.js', 'server.js'])).toEqual(['node', 'lib']);
    expect(await commandOf({ main: 'absent.js' }, ['app.js', 'index.js'])).toEqual(['node', 'app.js']);
    expect(await commandOf({ scripts: { start: ' ' } }, ['index.js'])).toEqual(['node', 'index.js']);
  });

  it('the error is one sentence when there is no start command', async () => {
    await expect(commandOf({ scripts: 'none', main: 5 })).rejects.toThrow(/^There is nothing to start/);
  });

  it.each([
    ['a folder with a site', 'doc_build/index.html', {}, 'hooks set output=doc_build'],
    ['one that is two deep', 'docs/site/index.html', {}, 'hooks set output=docs/site'],
    ['a script that builds', 'x', { 'docs:build': 'vitepress build' }, "hooks set build='npm run docs:build'"],
  ])('the error ends with the command that helps where there is %s', async (_what, file, scripts, command) => {
    const release = await temporaryFolder();
    await mkdir(dirname(join(release, file)), { recursive: true });
    await writeFile(join(release, file), '');
    await writeFile(join(release, 'package.json'), JSON.stringify({ scripts }));
    await expect(startCommand(release, await readStartManifest(release), {})).rejects.toThrow(`"${command}"`);
  });

  it('the error names the applications below when there are any', async () => {
    const release = await temporaryFolder();
    const write = async (path: string, content: string) => {
      await mkdir(dirname(join(release, path)), { recursive: true });
      await writeFile(join(release, path), content);
    };
    const starts = JSON.stringify({ scripts: { start: 'node .' } });
    await write('package.json', JSON.stringify({ workspaces: ['apps/*', 'packages/*'] }));
    await write('apps/web/package.json', starts);
    await write('apps/jobs/Procfile', 'worker: node .');
    await write('packages/ui/package.json', '{"main":"ui.js"}');
    await write('apps/site/package.json', '{"scripts":{"build":"vite build"},"devDependencies":{"vite":"*"}}');
    await write('packages/damaged/package.json', '{');
    await write('node_modules/other/package.json', starts);
    await expect(startCommand(release, await readStartManifest(release), {})).rejects.toThrow(
      'There is nothing to start in this folder, but in apps/jobs, apps/site, apps/web: name the folder of the application ("hooks set path=apps/jobs", or ?path=apps/jobs in the address of a webhook).',
    );
  });
});

describe('a Procfile', () => {
  const types = { release: 'node migrate.js', web: 'node server.js' };
  const text = 'release: node migrate.js\nweb: node server.js\n';
  async function read(content: string | Buffer, name = 'Procfile') {
    const folder = await temporaryFolder();
    await writeFile(join(folder, name), content);
    return procfileIn(folder);
  }

  it.each([
    ['as written', text],
    ['with a byte order mark', `\ufeff${text}`],
    ['with the line ends of Windows', text.replaceAll('\n', '\r\n')],
    ['with the line ends of old Macs', text.replaceAll('\n', '\r')],
  ])('is read %s', async (_, content) => {
    expect(await read(content)).toEqual(types);
  });

  it('is read under its name in small letters', async () => {
    expect(await read(text, 'procfile')).toEqual(types);
  });

  it.each(['utf16le', 'utf16be'])('in %s is refused by name', async (encoding) => {
    const little = Buffer.from(`\ufeff${text}`, 'utf16le');
    const content = encoding === 'utf16le' ? little : little.swap16();
    await expect(read(content)).rejects.toThrow('Procfile is UTF-16, or not a text file; save it as UTF-8.');
  });
});
