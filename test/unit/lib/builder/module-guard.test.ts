import { execFile } from 'node:child_process';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../support/platform/harness.ts';

const guard = fileURLToPath(new URL('../../../../lib/builder/process/module-guard.cjs', import.meta.url));

/** Calls hooks for `require` as Node does from version 22.15 on, where this one does not. */
const HOOKS = `
const Module = require('node:module');
const { fileURLToPath, pathToFileURL } = require('node:url');
Module.registerHooks ??= ({ resolve }) => {
  const find = Module._resolveFilename;
  Module._resolveFilename = (request, parent, ...rest) => {
    if (Module.isBuiltin(request)) return request;
    const next = (specifier) => ({ url: pathToFileURL(find.call(Module, specifier, parent, ...rest)).href });
    return fileURLToPath(resolve(request, { parentURL: parent?.filename && pathToFileURL(parent.filename).href }, next).url);
  };
};
`;

/** Runs a file of a release, above which there is a package, and returns what it prints. */
async function outputOf(files: Readonly<Record<string, string>>): Promise<string> {
  const above = await realpath(await temporaryFolder());
  const root = join(above, 'release');
  const all = { '../node_modules/outer/index.js': '', '../hooks.cjs': HOOKS, ...files };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const args = [`--require=${join(above, 'hooks.cjs')}`, `--require=${guard}`, join(root, 'main.cjs')];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env: { MODULE_ROOT: root } }, (_, stdout, stderr) => resolve(stdout + stderr));
  });
}

describe('the guard of modules', () => {
  it.each([
    ['a file that is missing', "require('./missing');", "Error: Cannot find module './missing'"],
    ['a package that is missing', "require('missing');", "Error: Cannot find module 'missing'"],
    ['a package above the release', "require('outer');", "Error: Cannot find module 'outer'"],
    ['a path that a package does not export', "require('inner/other');", "Package subpath './other' is not defined"],
    ['a value that is no name', "require('\\0');", 'Error: '],
  ])('is not seen in the trace of %s', async (_, call, message) => {
    const printed = await outputOf({
      'node_modules/inner/package.json': '{"exports": {".": "./index.js"}}',
      'main.cjs': `function load() {\n${call}\n}\nload();\n`,
    });
    expect(printed).toContain(message);
    expect(printed).toMatch(/at load \(.*main\.cjs:2:1\)/);
    expect(printed).not.toContain('module-guard');
  });
});
