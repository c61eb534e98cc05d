import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../../../support/new-folder.ts';
import { appFiles, appOf, deploy, refusalOf, serverFile } from '../../../support/platform/harness.ts';
import { type InProcess, startInProcess } from '../../../support/platform/in-process.ts';
import { runningIn } from '../../../support/service/processes.ts';

/** The rest of a program: a server that answers, on the port that it is given. */
const serve = serverFile('serves');
const listen = (answer: string) => `require('node:net').createServer((socket) => { socket.on('error', () => {});
  socket.on('data', (data) => { ${answer} }); }).listen(process.env.PORT, process.env.HOST);`;
const children = (count: number) => `const { spawn } = require('node:child_process');
  for (let one = 0; one < ${count}; one += 1) {
    spawn('sleep', ['600'], { detached: one % 2 === 0, stdio: 'ignore' }).unref();
  }`;

/** Applications that mean harm, with the state in which their start leaves them. */
const hostile: readonly (readonly [what: string, program: string, state: 'running' | 'never'])[] = [
  ['closes its output', `for (const fd of [0, 1, 2]) require('node:fs').closeSync(fd); ${serve}`, 'running'],
  [
    'prints what is no text',
    `process.stdout.write(Buffer.from([0, 27, 91, 50, 74, 255, 254, 226, 128, 174, 13, 10])); ${serve}`,
    'running',
  ],
  [
    'ignores every signal that it can',
    `for (const one of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']) process.on(one, () => {}); ${serve}`,
    'running',
  ],
  ['starts forty processes, every second one in a session of its own', `${children(40)} ${serve}`, 'running'],
  // It ends by itself at a hundred, so that nothing happens where the limit fails.
  ['starts more processes than it may', `${children(100)} setTimeout(() => {}, 60000);`, 'never'],
  ['starts processes and ends, again and again', `${children(3)} process.exit(1);`, 'never'],
  [
    'replaces its own files by links to those of others',
    `const fs = require('node:fs');
     for (const one of fs.readdirSync(__dirname)) fs.rmSync(one, { recursive: true });
     fs.symlinkSync(process.env.PRECIOUS, 'node_modules'); fs.symlinkSync('/', 'server.js');
     fs.mkdirSync('more'); fs.symlinkSync(process.env.PRECIOUS, 'more/precious'); ${serve}`,
    'running',
  ],
  [
    'sends a header of a megabyte',
    listen(`socket.end('HTTP/1.1 200 OK\\r\\nx-a: ' + 'a'.repeat(1e6) + '\\r\\n\\r\\n');`),
    'never',
  ],
  ['answers with what is not HTTP', listen(`socket.end('\\0\\xff garbage\\r\\n\\r\\n');`), 'never'],
  ['never answers', listen(''), 'never'],
  ['closes every connection', listen('socket.destroy();'), 'never'],
  [
    'never ends its answer',
    "require('node:http').createServer((q, s) => { s.writeHead(200); setInterval(() => s.write('x'.repeat(1000)), 5); })" +
      '.listen(process.env.PORT, process.env.HOST);',
    'running',
  ],
  [
    'shows its environment',
    `const shown = JSON.stringify(process.env); ${serverFile('').replace('""', 'shown')}`,
    'running',
  ],
];

// What runs is read from /proc.
describe.skipIf(process.platform !== 'linux')('beside applications that mean harm', () => {
  let folder: string;
  let dataDir: string;
  let precious: string;
  let at: InProcess;
  const states: Record<string, unknown> = {};
  const errors: Record<string, unknown> = {};
  const limits = { readinessMs: 10_000, graceMs: 500, drainMs: 500, crashPauseMs: 50 };
  const environment = { PATH: process.env.PATH, SECRET_OF_THE_SERVICE: 'canary-of-the-service' };
  const start = () => startInProcess({ dataDir, limits, environment, processLimits: { '*': 60 } });
  const nameOf = (index: number) => `bad-${index}`;
  const good = async () => (await fetch(String((await at.applications.find(appOf('good')))?.url))).text();

  beforeAll(async () => {
    folder = newFolder('platform');
    dataDir = join(folder, 'data');
    precious = join(folder, 'precious');
    await mkdir(precious, { recursive: true });
    await writeFile(join(precious, 'file'), 'kept');
    at = await start();
    await deploy(at, 'good', '1', appFiles('good', serverFile('good one')));
    await Promise.all(hostile.map((_, index) => begin(index)));
  });
  afterAll(async () => {
    await at?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function begin(index: number): Promise<void> {
    const [what, program, state] = hostile[index] ?? ['', '', ''];
    const name = nameOf(index);
    await at.hosting.ensureApp(appOf(name), {});
    await at.variables.set(appOf(name), { PRECIOUS: precious });
    // All of them at once may take a busy machine longer than the limit, which is short for those that never answer.
    for (let tries = 1; tries <= 5 && states[what] !== state; tries += 1) {
      const deployed = deploy(at, name, String(tries), appFiles(name, program));
      errors[what] = await refusalOf(deployed).then(
        ({ error }) => error,
        () => undefined,
      );
      states[what] = (await at.applications.find(appOf(name)))?.state;
    }
  }

  it.each(hostile)('a start of one that %s is decided, and the others go on', async (what, _program, state) => {
    expect(states[what]).toBe(state);
    expect(await good()).toBe('good one');
  });

  it('one that starts more processes than it may is killed, and the reason says so', () => {
    const limit = 'The application started more than 60 processes, its limit, before it answered.';
    expect(errors['starts more processes than it may']).toBe(limit);
  });

  it.each(['header', 'garbage', 'reset', 'half'])(
    'an answer of the kind "%s" is 502 or cut, and no more',
    async (kind) => {
      const { url } = (await at.applications.find(appOf(nameOf(hostile.length - 2)))) ?? {};
      const answer = await fetch(`${url}${kind}`, { signal: AbortSignal.timeout(20_000) }).then(
        async ({ status, body }) => {
          await body?.cancel();
          return status;
        },
        () => 'cut',
      );
      expect([502, 'cut']).toContain(kind === 'half' && answer === 200 ? 'cut' : answer);
      expect(await good()).toBe('good one');
    },
  );

  it('no secret of the platform is in the environment of another', async () => {
    const shown = await (
      await fetch(String((await at.applications.find(appOf(nameOf(hostile.length - 1))))?.url))
    ).text();
    expect(Object.keys(JSON.parse(shown))).toContain('PRECIOUS');
    expect(shown).not.toContain('canary-of-the-service');
  });

  it('the next start of the platform runs what ran', async () => {
    await at.close();
    expect(runningIn(dataDir)).toEqual([]);
    at = await start();
    await expect.poll(good).toBe('good one');
  });

  it('once they are removed, nothing of them is left, and nothing of others is gone', async () => {
    await Promise.all(hostile.map((_, index) => at.operations.remove(appOf(nameOf(index)))));
    const left = await readdir(dataDir, { recursive: true });
    expect(left.filter((path) => path.includes('bad-'))).toEqual([]);
    expect(await readFile(join(precious, 'file'), 'utf8')).toBe('kept');
    await expect.poll(() => runningIn(dataDir).filter(({ command }) => command.includes('sleep'))).toEqual([]);
    await deploy(at, 'good', '2', appFiles('good', serverFile('good two')));
    expect(await good()).toBe('good two');
  });
});
