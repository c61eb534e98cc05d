import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunInput } from '../../../../functions/core/ports/processes.ts';
import { terminalProgram } from '../../../../lib/runner/jobs/terminal.ts';
import {
  hello,
  isAlive,
  type PlatformUnderTest,
  platform,
  sharedPlatform,
  temporaryFolder,
  until,
} from '../../../support/platform/harness.ts';
import { beginAs, isGone, live, read } from '../../../support/platform/one-off.ts';

/** With an application that is live. */
const shared = sharedPlatform({}, live);

const begin = (
  at: PlatformUnderTest,
  command: readonly string[],
  terminal = { columns: 100, rows: 30, type: 'vt100' },
) => beginAs(at, { command, terminal });
const typed = (keys: string) => ({ data: Buffer.from(keys).toString('base64') });

const PRINTS_ITS_ID = 'console.log(String(process.pid)); setInterval(() => {}, 1000)';
/** More than the shell and `script` have together. */
const NODE_BYTES = 25 * 1024 * 1024;

/** Reads a command, and sends it something when it has said `up`. */
async function answered(at: PlatformUnderTest, id: string, input: RunInput) {
  let isSent = false;
  return read(at, id, (out) => {
    if (isSent || !out.includes('up\r\n')) return;
    isSent = true;
    void at.runs.write(hello, id, input);
  });
}

describe('a one-off command in a terminal', () => {
  it('finds a terminal of the size and the type, and its exit code is told', async () => {
    const at = await shared();
    const run = await begin(at, ['stty size; test -t 0 && test -t 1 && test -t 2 && echo "$TERM"; exit 7']);
    expect(run).toEqual({ id: expect.any(String), terminal: true });
    expect(await read(at, run.id)).toEqual({ out: '30 100\r\nvt100\r\n', err: '', exit: 7, reason: null });
  });

  it('is run word by word, with what needs quotes', async () => {
    const at = await shared();
    const run = await begin(at, ['node', '-e', 'console.log(process.argv[1])', 'it\'s "$HOME"\n*']);
    expect(await read(at, run.id)).toMatchObject({ out: 'it\'s "$HOME"\r\n*\r\n', exit: 0 });
  });

  it('gets what is typed, line by line and with an echo, and its end', async () => {
    const at = await shared();
    const run = await begin(at, ['echo up; cat; echo over']);
    const { out, exit } = await answered(at, run.id, typed('wrong\x7f\x7f\x7f\x7f\x7fword\r\x04'));
    expect([out, exit]).toEqual([expect.stringMatching(/^up\r\nwrong.*word\r\nword\r\nover\r\n$/), 0]);
  });

  it('is interrupted by Ctrl-C as a key, and decides what that means', async () => {
    const at = await shared();
    const script = "process.on('SIGINT', () => { console.log('no'); process.exit(3); }); setInterval(() => {}, 1000);";
    const run = await begin(at, ['node', '-e', `${script} console.log('up')`]);
    expect(await answered(at, run.id, typed('\x03'))).toMatchObject({ out: 'up\r\n^Cno\r\n', exit: 3 });
    // Not a command of the shell after another: between the two, a shell lets the second run to its end.
    const second = await begin(at, ['node', '-e', "setTimeout(() => {}, 100_000); console.log('up')"]);
    expect(await answered(at, second.id, typed('\x03'))).toMatchObject({ out: 'up\r\n^C', exit: 130 });
  });

  it('is told when the size changes', async () => {
    const at = await shared();
    // `stty` sets the rows first, and then the columns: a program may be told twice.
    const script =
      "process.stdout.on('resize', () => { if (process.stdout.columns === 100) return; console.log(process.stdout.columns + ' ' + process.stdout.rows); process.exit(); }); setInterval(() => {}, 1000);";
    const run = await begin(at, ['node', '-e', `${script} console.log('up')`]);
    const ended = await answered(at, run.id, { terminal: { columns: 61, rows: 17 } });
    expect(ended).toMatchObject({ out: 'up\r\n61 17\r\n', exit: 0 });
  });

  it('is listed with the memory of all that it has started', async () => {
    const at = await shared();
    const run = await begin(at, [`set -m; node -e "${PRINTS_ITS_ID}" & wait`]);
    let out = '';
    const reading = read(at, run.id, (soFar) => {
      out = soFar;
    });
    await expect.poll(() => out).toMatch(/^\d+\r\n$/);
    const list = await at.processes.list(hello);
    const memory = expect.toSatisfy((bytes: number) => bytes > NODE_BYTES);
    expect(list?.processes).toMatchObject([{ name: 'web.1' }, { name: 'run.1', type: 'run', memory }]);
    await at.runs.write(hello, run.id, { signal: 'SIGTERM' });
    await reading;
    expect(await isAlive(Number(out))).toBe(false);
  });

  it('ends with all that it has started when nobody reads it any more', async () => {
    const at = await platform({ limits: { unreadMs: 300, graceMs: 100 } });
    await live(at);
    const stubborn = `process.on('SIGHUP', () => {}).on('SIGTERM', () => {}); ${PRINTS_ITS_ID}`;
    const run = await begin(at, [`set -m; node -e "${stubborn}" & wait`]);
    let pid = 0;
    await read(at, run.id, (out) => {
      pid = Number(out);
      return out.endsWith('\n');
    });
    expect(pid).toBeGreaterThan(0);
    await until('it has ended', async () => !(await isAlive(pid)));
    await until('it is gone', () => isGone(at, run.id));
  });

  it('is ended when it uses too much memory, though it has a session of its own', async () => {
    const at = await platform({ memoryLimits: { '*': 150 }, limits: { memoryCheckMs: 50 } });
    await live(at);
    const script = 'const all = []; setInterval(() => all.push(Buffer.alloc(10e6, 1)), 10)';
    const run = await begin(at, ['node', '-e', script]);
    expect(await read(at, run.id)).toMatchObject({ reason: 'used more than 150 MB' });
  });

  it('has pipes on a machine without script of util-linux', async () => {
    const folder = await temporaryFolder();
    expect(await terminalProgram(folder)).toBeUndefined();
    await writeFile(join(folder, 'script'), "#!/bin/sh\necho 'script: unrecognized option: version' >&2; exit 1\n");
    await chmod(join(folder, 'script'), 0o755);
    expect(await terminalProgram(folder)).toBeUndefined();
    expect(await terminalProgram(process.env.PATH)).toMatch(/^\/.*\/script$/);
  });
});
