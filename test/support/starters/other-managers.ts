import type { Starter } from './starters.ts';

const server = (text: string) => `
const app = require('express')();
app.get('/', (request, response) => response.send(${text}));
app.listen(process.env.PORT || 3000);
`;

/** The package.json of an application that is built by its TypeScript. */
const manifest = (name: string, others: Readonly<Record<string, string>> = {}, build = 'tsc --version') =>
  JSON.stringify({
    name,
    version: '1.0.0',
    scripts: { build, start: 'node server.js' },
    dependencies: { express: '^4.21.2', ...others },
    devDependencies: { typescript: '~5.6.0' },
  });
const workspace = { shared: 'workspace:*' };

export const pnpmWorkspace: Starter = {
  name: 'pnpm workspace',
  answers: 'Hello from a workspace',
  path: 'apps/web',
  lockfile: { package: 'pnpm@10', call: ['pnpm', 'install', '--lockfile-only'], file: 'pnpm-lock.yaml' },
  files: {
    'package.json': JSON.stringify({ name: 'mono', version: '1.0.0', private: true }),
    'pnpm-workspace.yaml': 'packages:\n  - "apps/*"\n  - "packages/*"\n',
    'apps/web/package.json': manifest('web', workspace, 'tsc --version > built.txt'),
    'apps/web/server.js': server("require('shared')"),
    ...shared('Hello from a workspace'),
  },
};

export const yarnClassic: Starter = {
  name: 'Yarn 1',
  answers: 'Hello from Yarn 1',
  lockfile: { package: 'yarn@1', call: ['yarn', 'install', '--ignore-scripts', '--silent'], file: 'yarn.lock' },
  files: {
    'package.json': manifest('yarn-starter'),
    'server.js': server("'Hello from Yarn 1'"),
  },
};

export const yarnBerry: Starter = {
  name: 'Yarn 4 workspace',
  answers: 'Hello from Yarn 4',
  path: 'packages/web',
  lockfile: { package: '@yarnpkg/cli-dist@4', call: ['yarn', 'install', '--mode=update-lockfile'], file: 'yarn.lock' },
  files: {
    'package.json': JSON.stringify({ name: 'mono', version: '1.0.0', private: true, workspaces: ['packages/*'] }),
    'packages/web/package.json': manifest('web', workspace),
    'packages/web/server.js': server("require('shared')"),
    ...shared('Hello from Yarn 4'),
  },
};

/** Its packages are in node_modules here: https://yarnpkg.com/features/pnp */
export const yarnPlugAndPlay: Starter = {
  name: 'Yarn 4 pnp',
  answers: "Hello from Plug'n'Play",
  path: 'packages/web',
  lockfile: { package: '@yarnpkg/cli-dist@4', call: ['yarn', 'install', '--mode=update-lockfile'], file: 'yarn.lock' },
  files: {
    '.yarnrc.yml': 'nodeLinker: pnp\n',
    'package.json': JSON.stringify({ name: 'pnp', version: '1.0.0', private: true, workspaces: ['packages/*'] }),
    'packages/web/package.json': manifest('web', workspace),
    'packages/web/server.js': server("require('shared')"),
    ...shared("Hello from Plug'n'Play"),
  },
};

/** As `create-turbo` makes it, with npm. */
export const turborepo: Starter = {
  name: 'Turborepo',
  answers: 'Hello from Turborepo',
  path: 'apps/web',
  files: {
    'turbo.json': JSON.stringify({ tasks: { build: { dependsOn: ['^build'], outputs: ['dist/**'] } } }),
    ...monorepo({ packageManager: 'npm@10.8.2', devDependencies: { turbo: '2.11.11' } }),
    ...shared('Hello from Turborepo'),
  },
};

export const nx: Starter = {
  name: 'Nx',
  answers: 'Hello from Nx',
  path: 'apps/web',
  files: {
    'nx.json': JSON.stringify({ targetDefaults: { build: { dependsOn: ['^build'] } } }),
    ...monorepo({ devDependencies: { nx: '22.0.0' } }),
    ...shared('Hello from Nx'),
  },
};

function monorepo(root: object) {
  return {
    'package.json': JSON.stringify({ name: 'mono', private: true, workspaces: ['apps/*', 'packages/*'], ...root }),
    'apps/web/package.json': JSON.stringify({
      name: 'web',
      version: '1.0.0',
      scripts: { build: 'node -e "require(\'shared\')"', start: 'node server.js' },
      dependencies: { express: '^4.21.2', shared: '*' },
    }),
    'apps/web/server.js': server("require('shared')"),
  };
}

/** A package that only its build makes usable. */
function shared(text: string) {
  const scripts = { build: "node -e \"require('fs').copyFileSync('index.js', 'dist.js')\"" };
  return {
    'packages/shared/package.json': JSON.stringify({ name: 'shared', version: '1.0.0', main: 'dist.js', scripts }),
    'packages/shared/index.js': `module.exports = ${JSON.stringify(text)};\n`,
  };
}
