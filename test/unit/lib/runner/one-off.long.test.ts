import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  appFiles,
  deploy,
  hello,
  isAlive,
  logsOf,
  type PlatformUnderTest,
  platform,
  refusalOf,
  serverFile,
  sharedPlatform,
  until,
} from '../../../support/platform/harness.ts';

const live = (at: PlatformUnderTest) => deploy(at, 'hello', '1', appFiles('hello', serverFile('up')));

/** Starts a command. */
async function begin(at: PlatformUnderTest, ...command: readonly string[]) {
  const begun = await at.runs.start(hello, { command });
  if (!begun) throw new Error('There is no application.');
  return begun;
}

/** Whether the platform knows a command no more. */
const isGone = async (at: PlatformUnderTest, id: string) => !(await at.runs.write(hello, id, { end: true }));

/** What a command has said, and how it has ended. */
interface Ended {
  readonly out: string;
  readonly err: string;
  readonly exit: number | undefined;
  readonly reason: unknown;
}

/** Reads what a command says; `seen` gets its output so far, and ends the reading when it returns true. */
async function read(at: PlatformUnderTest, id: string, seen: (out: string) => unknown = () => false): Promise<Ended> {
  const leave = new AbortController();
  const printed = await at.runs.read(hello, id, leave.signal);
  if (!printed) throw new Error('There is no such command.');
  const said = { stdout: '', stderr: '' };
  let [exit, reason] = [undefined as number | undefined, undefined as unknown];
  for await (const batch of printed) {
    for (const one of batch) {
      if ('exit' in one) ({ exit, reason } = one);
      else said[one.stream] += Buffer.from(one.data, 'base64').toString();
    }
    if ((await seen(said.stdout)) === true) leave.abort();
  }
  return { out: said.stdout, err: said.stderr, exit, reason };
}

/** With an application that is live. */
const shared = sharedPlatform({}, live);

describe('a one-off command', () => {
  it('may be a line for the shell, and fails with its own code', async () => {
    const at = await shared();
    const run = await begin(at, 'echo "$DATA_DIR" && echo no >&2; exit 7');
    const ended = await read(at, run.id);
    expect(ended).toMatchObject({ err: 'no\n', exit: 7 });
    expect(ended.out).toBe(`${join(at.dataDir, 'apps/ada/hello/data')}\n`);
    expect(await isGone(at, run.id)).toBe(true);
    const log = await logsOf(at, { process: 'run' });
    expect(log).toMatch(/ platform run\.1: .* began\n.* platform run\.1: exited with code 7\n/);
  });

  it('ends for its reader with all it has printed when a process that has escaped holds its output', async () => {
    const at = await shared();
    const lines = 'i=0; while [ $i -lt 3000 ]; do echo 0123456789; i=$((i+1)); done';
    const escaped = 'env -i setsid sh -c "while true; do echo more; sleep 0.1; done" & echo $!';
    const run = await begin(at, `${lines}; ${escaped}; exit 3`);
    const { out, exit } = await read(at, run.id);
    const [pid] = /^\d+$/m.exec(out.replaceAll('0123456789\n', '')) ?? [];
    process.kill(-Number(pid), 'SIGKILL');
    expect([out.match(/0123456789\n/g)?.length, exit]).toEqual([3000, 3]);
    expect(await isGone(at, run.id)).toBe(true);
  });

  it('gives its end, and nothing else, again for as long as output is kept that nobody reads', async () => {
    const at = await platform({ limits: { unreadMs: 1_500 } });
    await live(at);
    const run = await begin(at, 'echo out; exit 3');
    for await (const batch of (await at.runs.read(hello, run.id, new AbortController().signal)) ?? []) {
      // The connection is cut.
      if (batch.some((one) => 'exit' in one)) break;
    }
    const end = { out: '', err: '', exit: 3, reason: null };
    expect(await read(at, run.id)).toEqual(end);
    expect(await read(at, run.id)).toEqual(end);
    expect((await at.processes.list(hello))?.processes).toHaveLength(1);
    const isUnknown = () =>
      read(at, run.id).then(
        () => false,
        () => true,
      );
    await until('it is not known any more', isUnknown);
  });

  it('gets a signal with all that it has started', async () => {
    const at = await shared();
    const run = await begin(at, 'sleep 100 & echo $!; wait');
    let child = 0;
    const ended = await read(at, run.id, (out) => {
      if (child === 0 && out.endsWith('\n')) {
        child = Number(out);
        void at.runs.write(hello, run.id, { signal: 'SIGINT' });
        void at.runs.write(hello, run.id, { signal: 'SIGTERM' });
      }
    });
    expect(ended.exit).toBeGreaterThanOrEqual(128);
    await until('the child has ended', async () => !(await isAlive(child)));
  });

  it('keeps all it has printed for a slow reader, byte by byte', async () => {
    const at = await shared();
    const script = "for (let i = 0; i < 300000; i++) process.stdout.write('0123456789')";
    const run = await begin(at, 'node', '-e', script);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { out, exit } = await read(at, run.id);
    expect([out.length, exit]).toEqual([3_000_000, 0]);
  });

  it('is among the processes while it runs, and ends when nobody reads it any more', async () => {
    const at = await platform({ limits: { unreadMs: 3_000 } });
    await live(at);
    const run = await begin(at, 'node', '-e', 'console.log(process.pid); setInterval(() => {}, 1000)');
    let pid = 0;
    let processes: unknown;
    await read(at, run.id, async (out) => {
      if (!out.endsWith('\n')) return false;
      pid = Number(out);
      // Before the reading ends: from then on it may end too.
      processes = (await at.processes.list(hello))?.processes;
      return true;
    });
    expect(processes).toMatchObject([{ name: 'web.1' }, { name: 'run.1', type: 'run', state: 'running' }]);
    await until('it has ended', async () => !(await isAlive(pid)));
    await until('it is gone', () => isGone(at, run.id));
  });

  it('has its program in the log and among the processes, and nothing that may be a secret', async () => {
    const at = await platform();
    await live(at);
    const lines = [
      'URL=postgres://u:s3cret@h/db sleep 30',
      "A=1 PASSWORD='s3cret s3cret' sleep 30",
      '(TOKEN=s3cret sleep 30)',
      'sleep\t30;: s3cret',
    ];
    for (const line of lines) await begin(at, line);
    await begin(at, 'env', 'TOKEN=s3cret', 'sleep', '30');
    const commands = (await at.processes.list(hello))?.processes.slice(1).map(({ command }) => command);
    expect(commands).toEqual(['A command', 'A command', 'A command', 'sleep', 'env']);
    const log = await logsOf(at, { process: 'run' });
    expect(log.match(/(?<=: ).* began/g)).toEqual(commands?.map((command) => `${command} began`));
    expect(log).not.toContain('s3cret');
  });

  it('ends with its application, and with the platform', async () => {
    const at = await platform();
    await live(at);
    const script =
      "require('fs').writeFileSync(process.env.DATA_DIR + '/pid', String(process.pid)); setInterval(() => {}, 1000)";
    const started = async () => {
      await begin(at, 'node', '-e', script);
      let pid = 0;
      const file = join(at.dataDir, 'apps/ada/hello/data/pid');
      await until('it runs', async () => {
        pid = Number(await readFile(file, 'utf8').catch(() => ''));
        return pid > 0;
      });
      return pid;
    };
    const first = await started();
    await at.operations.remove(hello);
    expect(await isAlive(first)).toBe(false);
    await live(at);
    const second = await started();
    await at.close();
    expect(await isAlive(second)).toBe(false);
  });

  it('ends when its application is removed while it starts', async () => {
    const at = await platform();
    await live(at);
    const file = join(at.dataDir, 'pid');
    const script = `require('fs').writeFileSync('${file}', String(process.pid)); setInterval(() => {}, 1000)`;

    const [begun] = await Promise.allSettled([begin(at, 'node', '-e', script), at.operations.remove(hello)]);

    // It is refused, or began first and was ended.
    if (begun.status === 'fulfilled') await pause(2_000);
    const pid = Number(await readFile(file, 'utf8').catch(() => '0'));
    expect(pid > 0 && (await isAlive(pid))).toBe(false);
    await at.close();
  });

  it('runs in the newest release before the first start, which may need what it makes', async () => {
    const at = await platform();
    await at.hosting.ensureApp(hello, {});
    await at.variables.set(hello, { WORD: 'made' });
    const needsTable = `require('fs').readFileSync(process.env.DATA_DIR + '/table');${serverFile('up')}`;
    const script = (number: number) => `require('fs').writeFileSync(process.env.DATA_DIR + '/table', '');
      console.log(process.env.WORD, ${number})`;
    const files = (number: number) => ({ ...appFiles('hello', needsTable), 'make.js': script(number) });
    for (const number of [1, 2]) {
      expect(await refusalOf(deploy(at, 'hello', `${number}`, files(number)))).toMatchObject({ status: 500 });
      const run = await begin(at, 'node', 'make.js');
      expect(await read(at, run.id)).toMatchObject({ out: `made ${number}\n`, exit: 0 });
      if (number === 1) await rm(join(at.dataDir, 'apps/ada/hello/data/table'));
    }
    await deploy(at, 'hello', '3', files(3));
    const run = await begin(at, 'node', 'make.js');
    expect(await read(at, run.id)).toMatchObject({ out: 'made 3\n', exit: 0 });
    await at.close();
  });

  it('is refused before the first build, without such a program, and when five run', async () => {
    const at = await platform();
    await at.hosting.ensureApp(hello, {});
    expect(await refusalOf(begin(at, 'true'))).toMatchObject({
      status: 409,
      error: 'hello has no release yet: nothing of it has been built.',
    });
    await live(at);
    expect(await refusalOf(begin(at, 'no-such-program'))).toMatchObject({
      status: 400,
      error: 'The program "no-such-program" was not found.',
    });
    for (const words of [['https://u:s3cret@h/x'], ['postgres://u:s3cret@h', 'x'], ['./A=s3cret', 'x']]) {
      expect(await refusalOf(begin(at, ...words))).toMatchObject({
        status: 400,
        error: 'The first word of the command is no program that can be run.',
      });
    }
    expect(await refusalOf(begin(at, 'echo', 'x'.repeat(200_000)))).toMatchObject({
      status: 400,
      error: '"echo" could not be run: its command line or one of its variables is too long for the system.',
    });
    await begin(at, 'sleep', '100');
    const others = await Promise.allSettled([1, 2, 3, 4, 5].map(() => begin(at, 'sleep', '100')));
    const refused = others.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused).toMatchObject([{ status: 429 }]);
  });
});
