import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { build, deploy, platform, refusalOf, start, temporaryFolder } from '../../../support/platform/harness.ts';

/** A platform in a folder of a project that has packages of its own, as the service's folder has. */
async function platformInProject() {
  const project = await temporaryFolder();
  const modules = join(project, 'node_modules');
  await mkdir(join(modules, 'leaky'), { recursive: true });
  await mkdir(join(modules, '.bin'));
  await writeFile(join(modules, 'leaky/package.json'), '{"name":"leaky","exports":"./index.js"}');
  await writeFile(join(modules, 'leaky/index.js'), '');
  await writeFile(join(modules, '.bin/leak'), '#!/bin/sh\necho leaked\n', { mode: 0o755 });
  const environment = { ...process.env, PATH: `${join(modules, '.bin')}:${process.env.PATH}` };
  return platform({ dataDir: join(project, '.local/platform'), environment });
}

const files = (server: string, manifest: object = {}) => ({
  'package.json': JSON.stringify({ name: 'hello', version: '1.0.0', ...manifest }),
  'server.js': server,
  'node_modules/own/index.js': 'module.exports = 1;',
});

const tries = (load: string) => `
  const found = [];
  const answer = () => require('node:http').createServer((q, s) => s.end(found.join(' '))).listen(process.env.PORT);
  (async () => {
    for (const name of ['own', 'leaky', 'node:fs', './package.json']) {
      await ${load}.then(() => found.push(name), (error) => found.push(error.code));
    }
    answer();
  })();`;

describe('an application', () => {
  it.each([
    ['require', '(async () => require(name))()', 'own MODULE_NOT_FOUND node:fs ./package.json'],
    [
      'import',
      'import(name === "./package.json" ? "node:path" : name)',
      'own ERR_MODULE_NOT_FOUND node:fs ./package.json',
    ],
    [
      'createRequire',
      '(async () => require("node:module").createRequire(__filename)(name))()',
      'own MODULE_NOT_FOUND node:fs ./package.json',
    ],
  ])('finds with %s its own packages and none of the folders above its release', async (_way, load, found) => {
    const at = await platformInProject();
    const started = await deploy(at, 'hello', '1', files(tries(load)));
    expect(await (await fetch(started.url)).text()).toBe(found);
  });

  it('that is an ES module does not find a package above its release', async () => {
    const at = await platformInProject();
    await build(at, 'hello', '1', files("import 'leaky';", { type: 'module' }));
    const app = await refusalOf(start(at, 'hello', '1'));
    expect(app.error).toMatch(/Cannot find package 'leaky'/);
    expect(app.error).not.toContain(at.dataDir);
  });

  it('does not find programs of the service on its PATH', async () => {
    const at = await platformInProject();
    const built = await build(at, 'hello', '1', files('', { scripts: { build: 'leak' } }));
    expect(built).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/^npm run build exited with code 127: .*leak/),
    });
  });
});
