import type { Starter } from './starters.ts';

const server = (text: string) => `
const app = require('express')();
app.get('/', (request, response) => response.send(${text}));
app.listen(process.env.PORT || 3000);
`;

export const pnpmWorkspace: Starter = {
  name: 'pnpm workspace',
  answers: 'Hello from a workspace',
  path: 'apps/web',
  lockfile: { package: 'pnpm@10', call: ['pnpm', 'install', '--lockfile-only'], file: 'pnpm-lock.yaml' },
  files: {
    'package.json': JSON.stringify({ name: 'mono', version: '1.0.0', private: true }),
    'pnpm-workspace.yaml': 'packages:\n  - "apps/*"\n  - "packages/*"\n',
    'apps/web/package.json': JSON.stringify({
      name: 'web',
      version: '1.0.0',
      scripts: { build: 'tsc --version > built.txt', start: 'node server.js' },
      dependencies: { express: '^4.21.2', shared: 'workspace:*' },
      devDependencies: { typescript: '~5.7.0' },
    }),
    'apps/web/server.js': server("require('shared')"),
    'packages/shared/package.json': JSON.stringify({ name: 'shared', version: '1.0.0' }),
    'packages/shared/index.js': "module.exports = 'Hello from a workspace';\n",
  },
};

export const yarnClassic: Starter = {
  name: 'Yarn 1',
  answers: 'Hello from Yarn 1',
  lockfile: { package: 'yarn@1', call: ['yarn', 'install', '--ignore-scripts', '--silent'], file: 'yarn.lock' },
  files: {
    'package.json': JSON.stringify({
      name: 'yarn-starter',
      version: '1.0.0',
      scripts: { build: 'tsc --version', start: 'node server.js' },
      dependencies: { express: '^4.21.2' },
      devDependencies: { typescript: '~5.7.0' },
    }),
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
    'packages/web/package.json': JSON.stringify({
      name: 'web',
      version: '1.0.0',
      scripts: { build: 'tsc --version', start: 'node server.js' },
      dependencies: { express: '^4.21.2', shared: 'workspace:*' },
      devDependencies: { typescript: '~5.6.0' },
    }),
    'packages/web/server.js': server("require('shared')"),
    'packages/shared/package.json': JSON.stringify({ name: 'shared', version: '1.0.0' }),
    'packages/shared/index.js': "module.exports = 'Hello from Yarn 4';\n",
  },
};

/** Without node_modules: https://yarnpkg.com/features/pnp */
export const yarnPlugAndPlay: Starter = {
  name: 'Yarn 4 pnp',
  answers: "Hello from Plug'n'Play",
  lockfile: { package: '@yarnpkg/cli-dist@4', call: ['yarn', 'install', '--mode=update-lockfile'], file: 'yarn.lock' },
  files: {
    '.yarnrc.yml': 'nodeLinker: pnp\n',
    'package.json': JSON.stringify({
      name: 'pnp',
      version: '1.0.0',
      scripts: { build: 'tsc --version', start: 'node server.js' },
      dependencies: { express: '^4.21.2' },
      devDependencies: { typescript: '~5.6.0' },
    }),
    'server.js': server('"Hello from Plug\'n\'Play"'),
  },
};
