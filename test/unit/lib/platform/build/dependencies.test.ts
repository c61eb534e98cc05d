import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { dependencies } from '../../../../../lib/platform/build/dependencies.ts';
import { folders } from '../../../../../lib/platform/store/folders.ts';
import { newFolder } from '../../../../support/new-folder.ts';

const app = { user: 'ada', app: 'hello' };
let folder: ReturnType<ReturnType<typeof folders>['ofApp']>;
let builds = 0;
const provide = dependencies();

beforeEach(() => {
  folder = folders(newFolder('dependencies')).ofApp(app);
});

/** A build whose installation does this in its node_modules. Returns where these came from, and where they are. */
async function build(install: (modules: string) => void, { key = 'lock', isClean = false } = {}) {
  builds += 1;
  const at = join(folder.root, 'releases', `${builds}`);
  const modules = join(at, 'node_modules');
  mkdirSync(at, { recursive: true });
  const installed = async () => {
    mkdirSync(join(modules, 'word'), { recursive: true });
    install(modules);
  };
  const source = await provide({ folder, at, plan: { dev: false, key }, install: installed, isClean });
  return { source, modules };
}

const write =
  (text: string, file = 'index.js') =>
  (modules: string) =>
    writeFileSync(join(modules, 'word', file), text);
const manifest = (scripts: object) => write(JSON.stringify({ name: 'word', scripts }, null, 2), 'package.json');
const kept = () => readdirSync(folder.spares);

describe('installed packages', () => {
  it('are those of the last installation with the same lockfile, as they were before anything ran', async () => {
    const first = await build(write('one'));
    writeFileSync(join(first.modules, 'word/index.js'), 'changed by the application');
    const second = await build(write('two'));
    expect([first.source, second.source]).toEqual(['installed', 'copied']);
    expect(readFileSync(join(second.modules, 'word/index.js'), 'utf8')).toBe('one');
    const other = await build(write('two'), { key: 'another' });
    expect(other.source).toBe('installed');
    // One set is kept for each application.
    expect(readdirSync(folder.spares)).toEqual(['another.modules']);
  });

  it('are not kept when a package has a script that may have read the application', async () => {
    await build(manifest({ postinstall: 'node read.js' }));
    expect((await build(write('again'))).source).toBe('installed');
    expect((await build(manifest({ test: 'vitest' }), { key: 'none' })).source).toBe('installed');
    expect((await build(write('again'), { key: 'none' })).source).toBe('copied');
  });

  it('are installed again by a clean build', async () => {
    await build(write('one'));
    expect((await build(write('two'), { isClean: true })).source).toBe('installed');
  });

  it('are installed again when a kill has left a part of a copy', async () => {
    mkdirSync(join(folder.spares, 'lock.modules.part/word'), { recursive: true });
    expect((await build(write('one'))).source).toBe('installed');
    expect(readdirSync(folder.spares)).toEqual(['lock.modules']);
  });
});

describe('what an install script has put there', () => {
  it.each(['/', '/proc', 'nowhere'])('as a link to %s in place of all packages is not followed', async (target) => {
    const { source } = await build((modules) => {
      rmSync(modules, { recursive: true });
      symlinkSync(target, modules);
    });
    expect([source, kept()]).toEqual(['installed', []]);
  });

  it('as links, pipes and folders without permissions is copied as such, and removed', async () => {
    const theirs = newFolder('anothers');
    writeFileSync(join(theirs, 'package.json'), '{"scripts": {"install": "x"}}');
    const made = await build((modules) => {
      symlinkSync(theirs, join(modules, 'linked'));
      spawnSync('mkfifo', [join(modules, 'word/package.json')]);
    });
    expect(made.source).toBe('installed');
    const copy = await build(write('again'));
    expect(copy.source).toBe('copied');
    expect(readlinkSync(join(copy.modules, 'linked'))).toBe(theirs);
    spawnSync('chmod', ['000', join(folder.spares, 'lock.modules/word')]);
    await build(write('other'), { key: 'other' });
    expect(readdirSync(folder.spares)).toEqual(['other.modules']);
    expect(readdirSync(theirs)).toEqual(['package.json']);
  });
});
