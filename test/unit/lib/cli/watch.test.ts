import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../../../lib/cli/command.ts';
import { watch } from '../../../../lib/cli/watch/watch.ts';
import { changesServer, open, refused, row } from '../../../support/changes-server.ts';

const project = fileURLToPath(new URL('../../../..', import.meta.url));
const secret = 'secret-canary';
const at = '2026-03-04T05:06:07.000Z';
const clock = new Date(at).toTimeString().slice(0, 8);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'watch-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Watches until there are so many lines, as if Ctrl-C were pressed then. */
async function run(args: string, env: Readonly<Record<string, string>>, until = 1, terminal = false) {
  const lines: string[] = [];
  const warnings: string[] = [];
  const ending = new AbortController();
  const print = (line: string) => {
    if (lines.push(line) >= until) ending.abort();
  };
  const warn = (line: string) => void warnings.push(line);
  const context = { env: { DATA_DIR: folder, ...env }, print, warn, terminal, signal: ending.signal };
  const code = await watch(args.split(' ').filter(Boolean), context);
  return { code, lines, warnings };
}

const loginAt = (url: string) => ({ HOOKS_URL: url, HOOKS_USER: 'kiwi', HOOKS_SECRET: secret });

describe('A line of a change', () => {
  const doc = { reason: null, updated_at: at };
  const error = { code: 'deploy:platform:start_app', status: 500, detail: 'It ended at once.' };
  it.each([
    ['running', row(12), '#12  hello  running'],
    ['of a repository', row(3, { app_name: null }), '#3  octo/hello  running'],
    ['of no commit', row(3, { app_name: null, commit: null, status: 'skipped' }), '#3  github  skipped'],
    [
      'held',
      row(4, { status: 'held', doc: { ...doc, reason: 'Waits for CI.' } }),
      '#4  hello  held        Waits for CI.',
    ],
    ['failed', row(5, { status: 'error', error, doc }), `#5  hello  error       ${error.code}  ${error.detail}`],
    ['with a hostile text', row(6, { app_name: '\u001b[2Ja\nb\u0007' }), '#6  a b   running'],
  ])('%s', async (_, line, shown) => {
    const { url } = await changesServer([open(line)]);
    const { code, lines } = await run('', loginAt(url));
    expect(code).toBe(0);
    expect(lines[0]?.replace(/^\d\d:\d\d:\d\d {2}/, '')).toBe(shown);
  });

  it('A line shows the time of the change, or the current time when the row has none', async () => {
    const { url } = await changesServer([open(row(1, { doc }), row(2))]);
    const before = Date.now();
    const { lines } = await run('', loginAt(url), 2);
    const [first, second] = lines;
    expect(first?.slice(0, 8)).toBe(clock);
    const seconds = [before, Date.now()].map((time) => new Date(time).toTimeString().slice(0, 8));
    expect(second && second.slice(0, 8) >= (seconds[0] ?? '') && second.slice(0, 8) <= (seconds[1] ?? '')).toBe(true);
  });

  it('A line shows a long reason shortened', async () => {
    const { url } = await changesServer([open(row(1, { doc: { ...doc, reason: 'x'.repeat(500) } }))]);
    const { lines } = await run('', loginAt(url));
    expect(lines[0]?.length).toBeLessThan(200);
    expect(lines[0]).toMatch(/x…$/);
  });

  it('A line has colours on a terminal only, and not with NO_COLOR', async () => {
    const { url } = await changesServer([open(row(1, { status: 'ok' }))]);
    const [coloured] = (await run('', loginAt(url), 1, true)).lines;
    expect(coloured).toContain('\u001b[32mok');
    const [plain] = (await run('', loginAt(url))).lines;
    const [unwanted] = (await run('', { ...loginAt(url), NO_COLOR: '1' }, 1, true)).lines;
    for (const line of [plain, unwanted]) expect(line).toBe(stripVTControlCharacters(line ?? ''));
  });

  it('A change is printed as the service sends it with --json', async () => {
    const { url, queries } = await changesServer([open(row(1), row(2, { more: { a: 1 } }))]);
    const { lines } = await run('--json --since 0', loginAt(url), 2);
    expect(lines.map((line) => `${line}\n`)).toEqual([row(1), row(2, { more: { a: 1 } })]);
    expect(queries[0]?.get('include_docs')).toBe('auto');
  });
});

describe('The arguments of watch', () => {
  it('Watching begins now or after a given change, and may be limited to one application', async () => {
    const { url, queries } = await changesServer([open(row(42))], 41);
    await run('', loginAt(url));
    await run('hello --since 7', loginAt(url));
    expect(queries.map((query) => [query.get('since'), query.get('app'), query.get('include_docs')])).toEqual([
      ['41', null, 'auto'],
      // The documents tell when a change of the past was.
      ['7', 'hello', 'true'],
    ]);
  });

  it('The arguments take precedence over the environment', async () => {
    const { url, logins } = await changesServer([open(row(1))]);
    await run(`--since 0 --url ${url} --user melon`, { ...loginAt('https://nowhere.invalid') });
    expect(logins).toEqual([`Basic ${Buffer.from(`melon:${secret}`).toString('base64')}`]);
  });

  it('The service of this machine is watched by default', async () => {
    const { url, logins } = await changesServer([open(row(1))]);
    writeFileSync(join(folder, 'url'), `${url}\n`);
    writeFileSync(join(folder, 'password'), 'local\n');
    expect((await run('--since 0', {})).code).toBe(0);
    expect(logins.at(-1)).toBe(`Basic ${Buffer.from('demo:local').toString('base64')}`);
  });

  it.each([
    ['was never started', null],
    ['was killed', 'http://127.0.0.1:9'],
  ])('The command says what to do when the service of this machine %s', async (_, url) => {
    if (url)
      for (const [name, value] of [
        ['url', url],
        ['password', 'p'],
      ] as const)
        writeFileSync(join(folder, name), value);
    await expect(run('', {})).rejects.toThrow(/does not run on this machine: start it with "npm start"/);
  });

  it.each([
    ['hello more', {}, 'Usage'],
    ['--unknown', {}, 'Usage'],
    ['--since yesterday', {}, '--since takes'],
    ['--since -1', {}, 'Usage'],
    ['--url https://deploy.example.com', {}, 'needs a login'],
    ['--user kiwi', {}, 'https://'],
    ['', { HOOKS_SECRET: secret }, 'https://'],
    ['', loginAt('http://deploy.example.com'), 'https://'],
  ])('The arguments %j with the environment %j are refused', async (args, env, words) => {
    const refusal = run(args, env);
    await expect(refusal).rejects.toThrow(UsageError);
    await expect(refusal).rejects.toThrow(words);
    await expect(refusal).rejects.not.toThrow('canary');
  });
});

describe('Interruptions', () => {
  it('An interruption is reported on standard error, not in the output', async () => {
    const { url } = await changesServer([refused(503, { code: 'request:failed' }), open(row(1))]);
    const { lines, warnings } = await run('--json --since 0', loginAt(url));
    expect(lines.map((line) => `${line}\n`)).toEqual([row(1)]);
    expect(warnings).toEqual([expect.stringMatching(/503.*trying again/)]);
  });

  it('A refused login ends the command with one sentence', async () => {
    const { url } = await changesServer([refused(401, { code: 'mw:auth:unauthorized', detail: 'No match.' })]);
    await expect(run('--since 0', loginAt(url))).rejects.toThrow(
      'The service refused the login of "kiwi" (mw:auth:unauthorized): No match.',
    );
  });
});

describe('The program', () => {
  const start = (args: readonly string[], env: Readonly<Record<string, string>>) =>
    spawn(process.execPath, ['--import', 'tsx', 'bin/hooks.ts', 'watch', ...args], {
      cwd: project,
      env: { PATH: process.env.PATH, DATA_DIR: folder, ...env },
    });

  it('The program exits with 0 on Ctrl-C', async () => {
    const { url } = await changesServer([open(row(1))]);
    const child = start(['--since', '0', '--json'], loginAt(url));
    child.stdout.once('data', () => child.kill('SIGINT'));
    const [output, code] = await Promise.all([
      text(child.stdout),
      new Promise((resolve) => child.on('close', resolve)),
    ]);
    expect(output).toBe(row(1));
    expect(code).toBe(0);
  });

  it.each([
    [1, [], /does not run/],
    [2, ['--unknown'], /Usage/],
  ])('The program exits with %i for the arguments %j', async (expected, args, words) => {
    const child = start(args, {});
    const [said, code] = await Promise.all([text(child.stderr), new Promise((resolve) => child.on('close', resolve))]);
    expect(code).toBe(expected);
    expect(said).toMatch(words);
  });
});
