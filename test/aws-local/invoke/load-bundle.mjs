// Loads a function's module as the Lambda Node.js runtime would. Plain JavaScript, because a worker thread gets no
// TypeScript loader.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileFunction, constants } from 'node:vm';

/** Returns the handler that a bundle exports under a name. Throws when it exports no function of that name. */
export async function loadHandler(file, exportName) {
  const exported = (isCommonJs(file) ? requireFile(file) : await import(pathToFileURL(file).href))[exportName];
  if (typeof exported === 'function') return exported;
  throw new Error(`${file} exports no function named ${exportName}`);
}

/** On Lambda there is no package.json above the bundle; here the project's must not decide the bundle's format. */
function isCommonJs(file) {
  if (!file.endsWith('.js')) return file.endsWith('.cjs');
  const manifest = join(dirname(file), 'package.json');
  return !existsSync(manifest) || JSON.parse(readFileSync(manifest, 'utf8')).type !== 'module';
}

function requireFile(file) {
  const module = { exports: {} };
  const run = compileFunction(readFileSync(file, 'utf8'), ['exports', 'require', 'module', '__filename', '__dirname'], {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  run(module.exports, createRequire(file), module, file, dirname(file));
  return module.exports;
}
