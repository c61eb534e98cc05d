import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { newFolder } from '../support/new-folder.ts';
import { gitFolder } from '../support/service/git-folder.ts';
import { type ServiceUnderTest, type Started, startForTest } from '../support/service/started.ts';

const SERVER = `require('node:http').createServer((_, response) => response.end('up')).listen(process.env.PORT, process.env.HOST);`;
const writes = (folder: string) =>
  `node -e "fs.mkdirSync('${folder}', { recursive: true }); fs.writeFileSync('${folder}/index.html', 'a page')"`;
const manifest = (more: object) => (name: string) => ({ 'package.json': JSON.stringify({ name, ...more }) });
const served = (name: string) => ({ 'package.json': JSON.stringify({ name }), 'server.js': SERVER });

/** The address of a registry with one package, for those who have its token. */
let registry: string;

async function packageOf(name: string): Promise<Buffer> {
  const folder = newFolder('package');
  mkdirSync(join(folder, 'package'));
  writeFileSync(join(folder, 'package/package.json'), JSON.stringify({ name, version: '1.0.0', main: 'index.js' }));
  writeFileSync(join(folder, 'package/index.js'), '');
  const { stdout } = await promisify(execFile)('tar', ['cz', '-C', folder, 'package'], { encoding: 'buffer' });
  return stdout;
}

/** Ends while another process of the application listens on a socket in its folder of data. */
const locking = (name: string) => ({
  ...served(name),
  'server.js': `const lock = require('node:net').createServer().listen(process.env.DATA_DIR + '/lock.sock');
lock.on('error', () => { throw new Error('the queue is locked by another process'); });
lock.on('listening', () => { ${SERVER} });
process.on('SIGTERM', () => lock.close(() => process.exit()));`,
});

/** The files of a commit that is refused, what is done before its push, and what its advice begins with. */
const REFUSED: readonly {
  readonly what: string;
  readonly files: (name: string) => Readonly<Record<string, string>>;
  readonly first?: (name: string) => Readonly<Record<string, string>>;
  /** What another repository has deployed under the name. */
  readonly elsewhere?: (name: string) => Readonly<Record<string, string>>;
  readonly before?: (name: string) => string;
  readonly advice: RegExp;
  /** What is typed at the command: the value of a variable. */
  readonly stdin?: string;
}[] = [
  {
    what: 'a site in a folder that is not found',
    files: manifest({ scripts: { build: writes('doc_build') } }),
    advice: /^hooks set output=doc_build$/,
  },
  {
    what: 'a script that builds under another name',
    files: manifest({ scripts: { 'docs:build': writes('dist') } }),
    advice: /^hooks set build='npm run docs:build'$/,
  },
  {
    what: 'a program of a package on a port of its own',
    files: (name) => ({
      'package.json': JSON.stringify({
        name,
        scripts: { start: 'own-server 4321' },
        dependencies: { server: 'file:./server' },
      }),
      'server/package.json': JSON.stringify({ name: 'server', version: '1.0.0', bin: { 'own-server': 'server.js' } }),
      'server/server.js': `#!/usr/bin/env node\n${SERVER.replace('process.env.PORT', 'process.argv[2]')}`,
    }),
    advice: /^hooks set start='own-server \$PORT'$/,
  },
  {
    what: 'an empty start',
    files: served,
    before: (name) => `hooks set ${name} start=`,
    advice: /^hooks unset start$/,
  },
  {
    what: 'the lockfile of Bun',
    files: (name) => ({ ...served(name), 'bun.lock': '{}' }),
    advice: /^hooks set install='npm install'$/,
  },
  {
    what: 'a variable that is missing, with the name of a secret',
    files: (name) => ({
      ...served(name),
      'server.js': `if (!process.env.SESSION_SECRET) throw new Error('SESSION_SECRET is not set');\n${SERVER}`,
    }),
    stdin: 'a key\n',
    advice: /^hooks env set SESSION_SECRET=- --app app-\d+$/,
  },
  {
    what: 'a server whose file has a name of its own',
    files: (name) => ({
      ...manifest({})(name),
      'api.mjs': SERVER.replace("require('node:http')", "(await import('node:http'))"),
    }),
    advice: /^hooks set start='node api\.mjs'$/,
  },
  {
    what: 'an application below the root',
    files: (name) => ({
      ...manifest({})(name),
      'apps/web/package.json': JSON.stringify({ name, scripts: { start: 'node server.js' } }),
      'apps/web/server.js': SERVER,
    }),
    advice: /^hooks set path=apps\/web$/,
  },
  {
    what: 'a folder of files for an application that has none',
    files: served,
    before: (name) => `hooks set ${name} output=gone`,
    advice: /^hooks unset output$/,
  },
  {
    what: 'an application of another repository',
    elsewhere: served,
    files: served,
    advice: /^hooks transfer app-\d+ \S+\/app-\d+$/,
  },
  {
    what: 'a lock that the release before holds',
    first: locking,
    files: locking,
    advice: /^hooks set overlap=false$/,
  },
  {
    what: 'a package of a registry that wants a token',
    files: (name) => ({
      'package.json': JSON.stringify({ name, dependencies: { ui: `${registry}/ui.tgz` } }),
      '.npmrc': `${registry.slice('http:'.length)}/:_authToken=\${NPM_TOKEN}\n`,
      'server.js': `require('ui');\n${SERVER}`,
    }),
    stdin: 'a token\n',
    advice: /^hooks env set NPM_TOKEN=-$/,
  },
  {
    what: 'a package with a new name',
    first: (name) => served(`former-${name}`),
    files: served,
    advice: /^hooks rename former-\S+ \S+$/,
  },
];

describe('the command that a refusal names', () => {
  let started: Started<ServiceUnderTest>;
  const server = createServer();
  beforeAll(async () => {
    started = await startForTest('advice');
    const content = await packageOf('ui');
    server.on('request', ({ headers }, response) => {
      const isKnown = headers.authorization === 'Bearer a token';
      response.writeHead(isKnown ? 200 : 401).end(isKnown ? content : '');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.close();
    await started?.close();
  });

  it.each(REFUSED.map((one, at) => [one.what, one, `app-${at}`] as const))(
    'has the next push live, after %s',
    async (_, { files, first, elsewhere, before, advice, stdin }, name) => {
      const tree = gitFolder('nowhere');
      tree.git('remote', 'remove', 'origin');
      const env = { PATH: process.env.PATH, HOME: tree.folder, GIT_CONFIG_NOSYSTEM: '1', DATA_DIR: started.dataDir };
      const run = promisify(execFile);
      /** The words of a line of the shell, the first of which is `hooks`. */
      const hooks = async (line: string, typed?: string) => {
        const { stdout } = await run('sh', ['-c', `printf '%s\\n' ${line}`]);
        const { code, err } = await cli(stdout.trimEnd().split('\n').slice(1), {
          env,
          folder: tree.folder,
          ...(typed !== undefined && { stdin: typed }),
        });
        expect([code, err]).toEqual([0, expect.any(String)]);
      };
      const push = async () => (await run('git', ['push', 'hooks', 'main'], { cwd: tree.folder, env })).stderr;
      const former = first ?? elsewhere;
      if (former) {
        tree.commit(former(name));
        await hooks(`hooks create ${elsewhere ? `other-${name}` : name}`);
        expect(await push()).toContain('live after');
      }
      if (elsewhere) tree.git('remote', 'remove', 'hooks');
      tree.commit(files(name));
      await hooks(`hooks create ${name}`);
      if (before) await hooks(before(name));
      const refused = await push();
      const named = [...refused.matchAll(/"(hooks [^"]+)"/g)].map(([, command = '']) => command);
      const command = named.find((one) => advice.test(one));
      expect([command, refused]).toEqual([expect.any(String), expect.any(String)]);
      await hooks(command ?? '', stdin);
      tree.commit({ again: 'x' });
      expect(await push()).toContain('live after');
    },
  );
});
