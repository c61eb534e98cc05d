import { createServer, type Server } from 'node:http';
import { describe, expect, it } from 'vitest';
import { listen } from '../../../../lib/http/ports.ts';
import {
  appFiles,
  build,
  deploy,
  hello,
  logsOf,
  platform,
  refusalOf,
  serverFile,
  sharedPlatform,
  start,
  until,
} from '../../../support/platform/harness.ts';

const shared = sharedPlatform();

const exits = 'console.log("about to end"); process.exit(3);';
const answers500 =
  "require('node:http').createServer((q, s) => { s.statusCode = 500; s.end(); }).listen(process.env.PORT);";
const throws500 = answers500.replace('s.statusCode', "console.error(new TypeError('no table').stack); s.statusCode");
const throwsLater = "require('./lib/config.js');";

describe('a start that fails', () => {
  it.each([
    [
      'a syntax error',
      appFiles('hello', 'const a = 1;\n\nconst b = ;\n'),
      "SyntaxError: Unexpected token ';' (server.js:3)",
    ],
    ['a missing module', appFiles('hello', "\nrequire('absent');"), "Error: Cannot find module 'absent' (server.js:2)"],
    [
      'a missing module of a development dependency',
      appFiles('hello', "require('@scope/tool/part');", { devDependencies: { '@scope/tool': 'file:./none' } }),
      `Error: Cannot find module '@scope/tool/part' (server.js:1). Development dependencies are removed after the build: move "@scope/tool" to "dependencies"; "hooks env set NPM_CONFIG_PRODUCTION=false" keeps it`,
    ],
    [
      'an error in a file of its own',
      { ...appFiles('hello', throwsLater), 'lib/config.js': '\nthrow new TypeError("no config");' },
      'TypeError: no config (lib/config.js:2)',
    ],
    [
      'an exit code',
      appFiles('hello', exits),
      'The process exited with code 3 before it answered; its last line was: about to end',
    ],
    ['500 on the first page', appFiles('hello', answers500), 'The application answered 500 to GET /.'],
    [
      '500 on the first page, whose error it prints',
      appFiles('hello', throws500),
      'The application answered 500 to GET /: TypeError: no table (server.js:1)',
    ],
    [
      'an unknown program',
      appFiles('hello', '', { scripts: { start: 'no-such-program --x' } }),
      'The program "no-such-program" was not found. Development dependencies are removed after the build: name another command in a Procfile (web: <command>).',
    ],
    [
      'a program of a package that is a development dependency',
      appFiles('hello', '', { scripts: { start: 'servor dist' }, devDependencies: { servor: 'file:./none' } }),
      /^The program "servor" was not found\. .*: "hooks env set NPM_CONFIG_PRODUCTION=false" keeps it\.$/,
    ],
    [
      'a server for development that is not there',
      appFiles('hello', '', {
        scripts: { start: 'vite --open --mode ssr', build: 'mkdir x' },
        devDependencies: { '@builder.io/qwik-city': 'file:./none' },
      }),
      'The program "vite" was not found. "vite --open --mode ssr" is a server for development, which is slow and not safe. Run "npm run qwik add", and choose the adapter of a server or of static pages.',
    ],
    [
      'a program that is a development dependency',
      appFiles('hello', '', { scripts: { start: 'nest start', 'start:prod': 'node dist/main' } }),
      /^The program "nest" was not found\. .*: "hooks set start='npm run start:prod'" runs what is built\.$/,
    ],
    [
      'nothing to start',
      { 'package.json': '{"name":"hello"}' },
      /^There is nothing to start: .*no web process in a Procfile, and no index\.html\.$/,
    ],
  ])('a start that fails by %s says so in one sentence', async (_what, files, sentence) => {
    const at = await shared();

    const answer = await refusalOf(deploy(at, 'hello', '1', files));

    expect(answer.status).toBe(500);
    // Not the place of the platform.
    expect(answer.log).not.toContainEqual(expect.stringContaining('/releases/'));
    if (typeof sentence === 'string') expect(answer.error).toBe(sentence);
    else expect(answer.error).toMatch(sentence);
    expect((await at.applications.find(hello))?.state).toBe('never');
  });

  it('a start that never opens its port fails at the time limit', async () => {
    const at = await platform({ limits: { readinessMs: 1_400 } });
    const hangs = appFiles('hello', 'setInterval(() => {}, 1000)');
    const { status, error } = await refusalOf(deploy(at, 'hello', '1', hangs));
    expect(status).toBe(500);
    expect(error).toMatch(/^The application did not listen on PORT \(\d+\) within 1 s\.$/);
  });

  it.skipIf(process.platform !== 'linux')(
    'an answer of another program, which has the port, does not count as one of the application',
    async () => {
      const at = await shared();
      // It takes each port that the application is given.
      const others: Server[] = [];
      const told = createServer((request, response) => {
        others.push(
          createServer((_, other) => other.end('answered')).listen(Number(request.url?.slice(1)), '127.0.0.1'),
        );
        response.end();
      });
      const port = await listen(told, 0);
      const tells = `fetch('http://127.0.0.1:${port}/' + process.env.PORT); setInterval(() => {}, 1000);`;

      const answer = await refusalOf(deploy(at, 'hello', '1', appFiles('hello', tells)));
      for (const one of [told, ...others]) one.close();

      expect(answer.status).toBe(500);
      expect(answer.error).toMatch(/^Another program listens on port \d+, the PORT of the application\.$/);
    },
  );

  /** A server on a free port that PORT does not name. */
  const listensElsewhere = (status: number) =>
    `require('node:http').createServer((q, s) => { s.statusCode = ${status}; s.end(); }).listen(0, '127.0.0.1');`;

  it.skipIf(process.platform !== 'linux')('a page on another port than PORT ends the start at once', async () => {
    const at = await shared();
    const elsewhere = appFiles('hello', listensElsewhere(200));
    const { status, error } = await refusalOf(deploy(at, 'hello', '1', elsewhere));
    expect(status).toBe(500);
    // The time limit of the start has another sentence.
    expect(error).toMatch(
      /^The application listens on port \d+, not on PORT \(\d+\): let it listen on process\.env\.PORT\.$/,
    );
  });

  it.skipIf(process.platform !== 'linux')(
    'another port without a page, as that of metrics, is waited for and named at the end',
    async () => {
      const at = await platform({ limits: { readinessMs: 6_000 } });
      const failed = await refusalOf(deploy(at, 'hello', '1', appFiles('hello', listensElsewhere(404))));
      expect(failed.error).toMatch(
        /^The application did not listen on PORT \(\d+\) within 6 s; it listens on port \d+ instead: let it listen on process\.env\.PORT\.$/,
      );
    },
  );

  it('an answer of a process that the application has detached counts', async () => {
    const at = await shared();
    const server = `require('node:child_process').spawn(process.execPath, ['-e', \`
      require('node:http').createServer((q, s) => s.end('answered')).listen(process.env.PORT, '127.0.0.1');
      setTimeout(process.exit, 10000);\`], { detached: true, stdio: 'ignore' });
      setInterval(() => {}, 1000);`;
    const app = await deploy(at, 'hello', '1', appFiles('hello', server));
    expect(await (await fetch(app.url)).text()).toBe('answered');
  });

  it.each([
    ['in its group', 'node server.js &'],
    ['in a session of its own', 'setsid node server.js &'],
    ['by a program that ends well', 'node start.js'],
  ])('an answer of a process that the application has left behind %s does not count', async (_what, start) => {
    const at = await shared();
    const app = await deploy(at, 'hello', '1', appFiles('hello', serverFile('old')));
    const spawned =
      "require('node:child_process').spawn('node', ['server.js'], { detached: true, stdio: 'ignore' }).unref();";
    const files = { ...appFiles('hello', serverFile('new'), { scripts: { start } }), 'start.js': spawned };

    const failed = await refusalOf(deploy(at, 'hello', '2', files));

    expect(failed.status).toBe(500);
    expect(failed.error).toBe('The process exited with code 0 before it answered, without printing anything.');
    expect(await (await fetch(app.url)).text()).toBe('old');
  });

  it('a start that failed can be repeated, and succeeds once the cause is removed', async () => {
    const at = await shared();
    await at.hosting.ensureApp(hello, {});
    const needs = `if (!process.env.KEY) throw new Error('KEY is missing'); ${serverFile('ok')}`;
    const failed = await refusalOf(deploy(at, 'hello', '1', appFiles('hello', needs)));
    expect(failed.error).toContain('KEY is missing');

    await at.variables.set(hello, { KEY: 'x' });

    await start(at, 'hello', '1');
  });

  it('a start is cancelled by a stop', async () => {
    const at = await shared();
    await build(at, 'hello', '1', appFiles('hello', 'console.log("begun"); setInterval(() => {}, 1000)'));
    const starting = refusalOf(start(at, 'hello', '1'));
    await until('it starts', async () => (await logsOf(at)).includes('begun'));

    await at.operations.stop(hello);

    expect((await at.applications.find(hello))?.state).toBe('never');
    expect((await starting).error).toBe('The start was cancelled.');
  });

  it('a start is repeated on another port when another program has taken the first one', async () => {
    const at = await platform();
    const once = `
      const fs = require('node:fs');
      if (!fs.existsSync('tried')) {
        fs.writeFileSync('tried', process.env.PORT);
        throw new Error('listen EADDRINUSE: address already in use 127.0.0.1:' + process.env.PORT);
      }`;
    const app = await deploy(at, 'hello', '1', appFiles('hello', `${once}\n${serverFile('second try')}`));
    expect(await (await fetch(app.url)).text()).toBe('second try');
  });

  it('a start says so when the application listens on a fixed port that is taken', async () => {
    const at = await shared();
    const { port } = new URL(at.url);
    const taken = `require('node:http').createServer().listen(${port}, '127.0.0.1');`;
    const failed = await refusalOf(deploy(at, 'hello', '1', appFiles('hello', taken)));
    expect(failed.error).toBe(
      `The application wants port ${port}, which is taken; it must listen on the port in the variable PORT.`,
    );
  });
});
