// Loaded before the modules of every application and every build, by NODE_OPTIONS, so it stays small. A release lies below
// the folder of the service, and Node looks for modules in all folders above a file: without this guard an application would
// find packages of the service that it does not declare, and fail on any other machine. It is CommonJS because --require is.
'use strict';

const Module = require('node:module');
const { dirname, join, sep } = require('node:path');
const { fileURLToPath } = require('node:url');
const { compileFunction } = require('node:vm');

const root = process.env.MODULE_ROOT;
// Yarn's Plug'n'Play finds packages in its own map only, and refuses to run beside hooks.
if (root && !process.env.NODE_OPTIONS?.includes('.pnp.cjs')) {
  const above = [];
  for (let folder = dirname(root); !above.includes(folder); folder = dirname(folder)) above.push(folder);
  const outside = above.map((folder) => join(folder, 'node_modules') + sep);
  const isOutside = (path) => outside.some((folder) => (path + sep).startsWith(folder));
  const isInside = (path) => (path + sep).startsWith(root + sep);

  const nodeModulePaths = Module._nodeModulePaths;
  Module._nodeModulePaths = (from) => {
    const paths = nodeModulePaths.call(Module, from);
    return isInside(from) ? paths.filter((path) => !isOutside(path)) : paths;
  };

  if (Module.registerHooks) guardImports(isInside, isOutside);
  else guardImportsOfNode20(isOutside);
}

/** https://nodejs.org/api/module.html#moduleregisterhooksoptions */
function guardImports(isInside, isOutside) {
  const resolve = (specifier, context, next) => {
    const { parentURL } = context;
    let found;
    try {
      found = next(specifier, context);
    } catch (error) {
      raise(error, resolve);
    }
    if (!found.url.startsWith('file:') || !parentURL?.startsWith('file:')) return found;
    const parent = fileURLToPath(parentURL);
    if (!isOutside(fileURLToPath(found.url)) || !isInside(parent)) return found;
    const error = new Error(`Cannot find package '${specifier}' imported from ${parent}`);
    raise(Object.assign(error, { code: 'ERR_MODULE_NOT_FOUND' }), resolve);
  };
  Module.registerHooks({ resolve });
}

/** Node shows the line that throws an error before the error itself: that of this one has no file of the service. */
const throwError = compileFunction('throw error;', ['error'], { filename: 'node:internal/modules' });

/**
 * Throws an error without the calls of a hook in its stack, of which Node keeps ten: they would take the place of the
 * application's own. An error without a code is not of Node, and tells by its other calls where it comes from.
 */
function raise(error, hook) {
  if (typeof error?.code === 'string') Error.captureStackTrace(error, hook);
  else if (typeof error?.stack === 'string') error.stack = withoutGuard(error.stack);
  throwError(error);
}

function withoutGuard(stack) {
  return stack
    .split('\n')
    .filter((line) => !line.includes(__filename))
    .join('\n');
}

/**
 * Node 20 has no such hooks in the thread of the application, and those in another thread cost over 100 ms at each start. Its
 * import looks for a package's folder by this call, and it gets no new features, so that stays so.
 */
function guardImportsOfNode20(isOutside) {
  const files = process.binding('fs');
  const stat = files.internalModuleStat;
  if (typeof stat !== 'function') return;
  files.internalModuleStat = (...args) =>
    args.some((arg) => typeof arg === 'string' && isOutside(arg)) ? -2 : stat.apply(files, args);
}
