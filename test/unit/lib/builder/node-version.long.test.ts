import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readProject } from '../../../../lib/builder/project.ts';
import { NEWEST_LTS } from '../../../../lib/builder/tools/node-hint.ts';
import { nodePackage, wantedNode } from '../../../../lib/builder/tools/node-version.ts';
import { toolBin } from '../../../../lib/builder/tools/tools.ts';
import {
  appFiles,
  build,
  logsOf,
  platform,
  serverFile,
  start,
  temporaryFolder,
} from '../../../support/platform/harness.ts';

async function wantedOf(manifest: object, version: string, files: Record<string, string> = {}) {
  const root = await temporaryFolder();
  const all = { 'package.json': JSON.stringify(manifest), ...files };
  for (const [name, text] of Object.entries(all)) await writeFile(join(root, name), text);
  return wantedNode(await readProject(root, ''), { version, usual: '26' });
}

const engines = (node: unknown) => ({ engines: { node } });
const nvmrc = (text: string) => ({ '.nvmrc': text });

/** No registry answers, so that no test depends on one. */
const offline = { ...process.env, npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0' };

describe('the Node that an application asks for', () => {
  const newest = Number(NEWEST_LTS);

  it.each<[object, Record<string, string>, string]>([
    [engines('>=20'), {}, 'v20.20.2'],
    [engines('^20.0.0 || ^22.0.0'), {}, 'v22.1.0'],
    [engines('20.x'), {}, 'v20.0.0'],
    [engines('*'), {}, 'v24.0.0'],
    [engines(''), {}, 'v24.0.0'],
    [engines('>=22'), {}, 'v22.0.0-nightly2024'],
    [engines('20'), nvmrc('22'), 'v20.0.0'],
    [{}, {}, 'v20.0.0'],
    [{}, nvmrc('20'), 'v20.0.0'],
    [{}, nvmrc('lts/iron'), 'v20.0.0'],
    [{}, nvmrc('node'), 'v20.0.0'],
    [{}, nvmrc('lts/*'), `v${newest}.0.0`],
    [{}, nvmrc('lts/*'), `v${newest + 2}.0.0`],
  ])('is that of this machine by %j and %j on Node %s', async (manifest, files, version) => {
    expect(await wantedOf(manifest, version, files)).toEqual({ kind: 'own' });
  });

  const runtime = (of: object) => ({ devEngines: { runtime: of } });

  it.each<[object, Record<string, string>, string, string, string?]>([
    [engines('>=22 <23'), {}, '>=22 <23', 'package.json: engines.node is ">=22 <23"'],
    [runtime({ name: 'node', version: '^22.12' }), {}, '^22.12', 'package.json: devEngines.runtime is "^22.12"'],
    [runtime([{ name: 'bun' }, { name: 'node', version: '24' }]), {}, '24', 'package.json: devEngines.runtime is "24"'],
    [{ volta: { node: '22.12.0' } }, {}, '22.12.0', 'package.json: volta.node is "22.12.0"'],
    [{}, nvmrc('22'), '22', '.nvmrc: "22"'],
    [{}, nvmrc('v22.11.0\n'), 'v22.11.0', '.nvmrc: "v22.11.0"'],
    [{}, nvmrc('lts/jod'), '22', '.nvmrc: "lts/jod"'],
    [{}, nvmrc('24 # the newest'), '24', '.nvmrc: "24"'],
    [{}, nvmrc('# what we test with\n\n22 # not 23\n'), '22', '.nvmrc: "22"'],
    [{}, nvmrc('\ufeff22\r\n'), '22', '.nvmrc: "22"'],
    [{}, nvmrc('lts/*'), NEWEST_LTS, '.nvmrc: "lts/*"', `v${newest - 1}.0.0`],
    [{}, nvmrc('lts/*'), NEWEST_LTS, '.nvmrc: "lts/*"', `v${newest + 1}.0.0`],
    [{}, { '.tool-versions': 'python 3.12.1\nnodejs 22.12.0\n' }, '22.12.0', '.tool-versions: "22.12.0"'],
    [{}, { '.tool-versions': 'node 22.12.0' }, '22.12.0', '.tool-versions: "22.12.0"'],
  ])('is another one by %j and %j: %s', async (manifest, files, range, from, version = 'v20.0.0') => {
    expect(await wantedOf(manifest, version, files)).toEqual({ kind: 'other', range, from });
  });

  it.each([
    [engines('the newest'), {}, 'package.json: engines.node is "the newest", which is not a range'],
    [engines({ min: 20 }), {}, 'package.json: engines.node is'],
    [{}, nvmrc('newest'), '.nvmrc: "newest"'],
  ])('is unclear by %j and %j, which a warning says', async (manifest, files, begins) => {
    const wanted = await wantedOf(manifest, 'v20.0.0', files);
    expect(wanted).toMatchObject({ kind: 'unclear', warning: expect.stringContaining(begins) });
  });
});

describe('the Node of an application that names none', () => {
  const packages = { dependencies: { express: '5' } };

  it('is the newest with long-term support, when it has packages', async () => {
    const from = 'No version of Node is named (engines.node)';
    expect(await wantedOf(packages, 'v20.0.0')).toEqual({ kind: 'other', range: '26', from, isUsual: true });
  });

  it.each(['v26.1.0', 'v27.0.0'])('is that of this machine when it is Node %s', async (version) => {
    expect(await wantedOf(packages, version)).toEqual({ kind: 'own' });
  });

  it('is not asked for by an application with a .node-version, which says so', async () => {
    const wanted = await wantedOf(packages, 'v20.0.0', { '.node-version': 'v24.1.0\n' });
    expect(wanted).toEqual({ kind: 'other', range: 'v24.1.0', from: '.node-version: "v24.1.0"' });
  });

  it('is that of this machine when the other one is not to be had, which is looked for once', async () => {
    const at = await platform({ environment: offline, usualNode: '99' });
    const files = { ...appFiles('hello', serverFile('hi'), { dependencies: { one: 'file:one' } }), ...one };
    const first = await build(at, 'hello', '1', files);
    const second = await build(at, 'hello', '2', { ...files, 'x.txt': '' });
    const note = `No version of Node is named (engines.node); Node 99 cannot be had here, so the application runs on Node ${process.version}.`;
    expect(first).toMatchObject({ state: 'ready', node: process.version, warnings: [] });
    expect(first.log).toContain(note);
    const fetching = `Fetching ${nodePackage()} 99`;
    expect([first.log.includes(fetching), second.log.includes(fetching)]).toEqual([true, false]);
    expect(second.log).toContain(note);
  });
});

const one = { 'one/package.json': '{"name":"one","version":"1.0.0"}' };

describe('building with another Node', () => {
  it('a Node that is not to be had is a line in the log, a warning and an event, and the build continues', async () => {
    const events: string[] = [];
    const at = await platform({ environment: offline, log: ({ type, detail }) => events.push(`${type}: ${detail}`) });
    const files = appFiles('hello', serverFile('hello'), { engines: { node: '<4' } });
    const built = await build(at, 'hello', '1', files);
    const warning = `package.json: engines.node is "<4"; no such Node could be fetched, so the application runs on Node ${process.version}.`;
    expect(built).toMatchObject({ state: 'ready', node: process.version, warnings: [warning] });
    expect(built.log).toContain(warning);
    expect(events).toContain(`snapshot.warning: ${warning}`);
  });

  it('a Node that has been fetched builds and runs the application', async () => {
    const at = await platform({ environment: offline });
    const tool = `node-${process.platform}-${process.arch}`;
    const folder = join(at.dataDir, 'tools', `${tool}@99.1.0`, 'node_modules');
    await makeNode(join(folder, '.bin'));
    await mkdir(join(folder, tool, 'include/node'), { recursive: true });
    await writeFile(join(folder, tool, 'include/node/node_version.h'), '');
    const scripts = { build: 'echo headers $npm_config_nodedir', start: 'node server.js' };
    const manifest = { engines: { node: '99.x' }, scripts };

    const built = await build(at, 'hello', '1', appFiles('hello', serverFile('hi'), manifest));
    const started = await start(at, 'hello', '1');

    expect(built).toMatchObject({ state: 'ready', node: 'v99.1.0', tools: [`${tool}@99.1.0`], warnings: [] });
    // Native modules are compiled with its headers.
    expect(built.log).toContainEqual(expect.stringMatching(`^headers .*${tool}@99\\.1\\.0/node_modules/${tool}$`));
    expect(await (await fetch(started.url)).text()).toBe('hi');
    const text = await logsOf(at);
    expect(text).toContain('this is the other Node');
  });

  it.each([
    ['runs npm too, so that npm compares engines with it', '99.1.0', true],
    ['does not run an npm that is too new for it', '4.0.0', false],
  ])('a Node that has been fetched %s', async (_, version, runs) => {
    const at = await platform({ environment: offline });
    await makeNode(toolBin(join(at.dataDir, 'tools'), `node-${process.platform}-${process.arch}@${version}`));
    const manifest = { engines: { node: version }, scripts: { build: 'true', start: 'node server.js' } };
    const built = await build(at, 'hello', '1', appFiles('hello', serverFile('hi'), manifest));
    expect(built).toMatchObject({ state: 'ready', node: `v${version}` });
    expect(built.log.includes('this is the other Node')).toBe(runs);
  });
});

/** A program that says so and is then the Node of this machine. */
async function makeNode(bin: string): Promise<void> {
  await mkdir(bin, { recursive: true });
  const script = `#!/bin/sh\necho 'this is the other Node'\nexec '${process.execPath}' "$@"\n`;
  await writeFile(join(bin, 'node'), script, { mode: 0o755 });
}
