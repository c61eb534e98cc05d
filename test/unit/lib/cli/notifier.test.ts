import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openNotifier } from '../../../../lib/cli/log/notifier.ts';
import { signalGroup } from '../../../../lib/process/process-group.ts';
import { type ChangesServer, changesServer, open, row } from '../../../support/changes-server.ts';
import { cli } from '../../../support/cli.ts';
import { doc } from '../../../support/cli-entries.ts';
import { newFolder } from '../../../support/new-folder.ts';

let home: string;
let told: string;
beforeEach(() => {
  home = newFolder('notifier');
  told = join(home, 'told');
  writeFileSync(told, '');
});

const README = readFileSync('lib/cli/README.md', 'utf8');
const STATE = '.local/state/deployment-webhooks';
/** A command that writes down a sentence for each call. */
const WRITE = 'printf "%s\\n" "$HOOKS_TEXT" >> told';

interface Watched {
  readonly args?: readonly string[];
  readonly command?: string;
  /** The number of the user's last change. */
  readonly last?: number;
}

/** Watches until a deploy of the application `last` is said, as if Ctrl-C were pressed then. */
async function watch(rows: readonly string[], { args = [], command = WRITE, last = 0 }: Watched = {}) {
  return watchAt(await changesServer([open(...rows)], { last }), { args, command });
}

async function watchAt({ url, queries }: ChangesServer, { args = [], command = WRITE }: Watched = {}) {
  const result = await cli(['watch', ...args, '--url', url, '--run', command], {
    env: { HOME: home, HOOKS_USER: 'kiwi', HOOKS_SECRET: 'secret-canary', PATH: process.env.PATH },
    folder: home,
    onOutput: (soFar) => soFar.includes(' last '),
  });
  return { ...result, since: queries.at(-1)?.get('since') };
}

const lines = () => readFileSync(told, 'utf8').split('\n').filter(Boolean);
const change = (seq: number, status: string, more: object = {}) =>
  row(seq, { status, reason: `It is ${status}.`, doc: doc(), ...more });
const end = (seq: number) => change(seq, 'error', { app_name: 'last' });

describe('A command that is called for deploys', () => {
  it('is called for failures and crashes', async () => {
    await watch([row(1), change(2, 'error'), change(3, 'crashed'), change(4, 'ok'), change(5, 'held'), end(6)]);
    expect(lines()).toEqual(['#2 hello error: It is error.', '#3 hello crashed: It is crashed.']);
  });

  it('is called for what is named', async () => {
    const live = { doc: doc({ url: 'http://127.0.0.1:9000' }) };
    const stop = { doc: doc({ operation: 'stop' }) };
    const rows = [change(1, 'ok', live), change(2, 'ok', stop), change(3, 'held'), change(4, 'crashed'), end(5)];
    await watch(rows, { args: ['--on', 'ok, held,error'] });
    expect(lines()).toEqual([
      '#1 hello is live: http://127.0.0.1:9000',
      '#2 hello: stop is done',
      '#3 hello held: It is held.',
    ]);
  });

  it('is called once for a status, and again when it comes back', async () => {
    const [first, id] = [change(1, 'crashed'), JSON.parse(change(1, 'crashed')).id];
    const later = (seq: number, status: string) => change(seq, status, { id });
    await watch([first, later(2, 'crashed'), later(3, 'ok'), later(4, 'crashed'), end(5)]);
    expect(lines()).toHaveLength(2);
  });

  it('is called for an incident and for its end, and for a hold that has expired', async () => {
    const id = JSON.parse(change(1, 'crashed')).id;
    const operation = 'incident';
    const incident = (message: string | null) => ({ id, operation, doc: doc({ operation, message }) });
    const reason = 'The job "node x.js" (0 3 * * *) exited with code 4.';
    const over = change(2, 'ok', { ...incident('The job has succeeded.'), reason: null });
    const rows = [change(1, 'crashed', { ...incident(null), reason }), over, change(3, 'expired'), end(4)];
    await watch(rows);
    expect(lines()).toEqual([
      `#1 hello: ${reason}`,
      '#1 hello: The job has succeeded.',
      '#3 hello expired: It is expired.',
    ]);
  });

  it('gets the entry on its standard input and in variables, in which nothing is run', async () => {
    const reason = '$(touch evil) `touch evil`; touch evil';
    const command = 'cat > entry; printf "%s|" "$HOOKS_REASON" "$HOOKS_NUMBER" "$HOOKS_BRANCH" "$HOOKS_LINK" > told';
    await watch([change(1, 'error', { reason }), end(2)], { command });
    expect(JSON.parse(readFileSync(join(home, 'entry'), 'utf8'))).toMatchObject({ status: 'error', reason, seq: 1 });
    const [said, number, branch, link] = readFileSync(told, 'utf8').split('|');
    expect([said, number, branch]).toEqual([reason, '1', 'main']);
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#\/kiwi\/deploys\/(ab){10}0{11}1$/);
    expect(readdirSync(home)).not.toContain('evil');
  });

  it('begins with what happens from its first start on, and misses nothing that happens between two', async () => {
    const service = await changesServer([open(change(42, 'error'), end(43)), open(end(44))], { last: 41 });
    expect((await watchAt(service)).since).toBe('41');
    // The call for 43 was interrupted.
    expect((await watchAt(service)).since).toBe('42');
    expect((await watchAt(service, { args: ['--since', '7'] })).since).toBe('7');
  });

  it('has a place of its own for each command and application', async () => {
    const service = await changesServer([open(change(42, 'error'), end(43)), open(end(44))], { last: 41 });
    await watchAt(service);
    expect((await watchAt(service, { command: 'true' })).since).toBe('41');
    expect((await watchAt(service, { args: ['hello'] })).since).toBe('41');
    expect((await watchAt(service)).since).toBe('42');
  });

  it('may be the script of the README, with each of its ways', async () => {
    const [, script = ''] = /<!-- notify -->\n```sh\n(.+?)\n```\n/s.exec(README) ?? [];
    writeFileSync(join(home, 'notify.sh'), script, { mode: 0o700 });
    const record = (name: string) => `#!/bin/sh\n{ printf '%s|' ${name} "$@"; cat; echo; } < /dev/stdin >> told\n`;
    for (const name of ['curl', 'mail']) writeFileSync(join(home, name), record(name), { mode: 0o700 });
    const text = 'It says "no" – \\n, and 100 %.';
    await watch([change(1, 'error', { reason: text }), end(2)], { command: 'PATH="$PWD:$PATH" sh ./notify.sh' });
    const said = `#1 hello error: ${text}`;
    const posts = lines().filter((line) => line.includes('Content-Type'));
    const bodies = posts.map((line) => JSON.parse(line.split('|')[5] ?? ''));
    expect(bodies.map((body) => Object.entries(body))).toEqual([
      [['text', expect.stringMatching(/^#1 .+\nhttp:.+\/#\/kiwi\/deploys\//)]],
      [['content', expect.stringContaining(said)]],
    ]);
    expect(lines().find((line) => line.includes('ntfy.sh'))).toContain(`|-d|${said}|`);
    expect(lines().find((line) => line.startsWith('mail'))).toBe(`mail|-s|hello: error|me@example.com|${said}`);
  });

  const service = { url: 'http://127.0.0.1:1', user: 'kiwi', secret: 'secret-canary' };
  const callerOf = (signal: AbortSignal, warned: string[] = []) => ({
    ...{ env: { HOME: home, PATH: process.env.PATH }, folder: home, signal },
    ...{ print: () => {}, warn: (line: string) => warned.push(line), stderr: { isTTY: false, write: () => {} } },
  });

  it('may have ended when Ctrl-C is to end it', async () => {
    const stop = new AbortController();
    // What it has started away from it holds its output, so that its end is not known yet.
    const run = 'setsid sleep 2 & ps -o pgid= -p $$ > told';
    const notifier = await openNotifier(callerOf(stop.signal), { service, app: undefined, on: ['error'], run });
    const handled = notifier.handle(JSON.parse(change(1, 'error')));
    const group = () => Number(lines()[0] ?? 0);
    await expect.poll(() => group() > 0 && !signalGroup(group(), 0), { interval: 5 }).toBe(true);
    const failed = vi.fn();
    process.prependOnceListener('uncaughtException', failed);
    stop.abort();
    await handled;
    process.off('uncaughtException', failed);
    expect(failed).not.toHaveBeenCalled();
  });

  const place = () =>
    JSON.parse(readFileSync(join(home, STATE, readdirSync(join(home, STATE))[0] ?? ''), 'utf8')).since;
  /** A notifier whose pauses are counted, and not waited for. */
  const counted = async (run: string, after: (minutes: number) => void = () => {}) => {
    const pauses: number[] = [];
    const warned: string[] = [];
    const minutes = () => pauses.reduce((sum, ms) => sum + ms / 60_000, 0);
    const pause = async (ms: number) => {
      pauses.push(ms);
      after(minutes());
    };
    const call = callerOf(new AbortController().signal, warned);
    const notifier = await openNotifier(call, { service, app: undefined, on: ['error'], run, pause });
    return { notifier, pauses, warned, minutes };
  };

  it('is called again while its receiver is away, and goes on with the next change then', async () => {
    const back = (minutes: number) => minutes > 50 && writeFileSync(join(home, 'back'), '');
    const { notifier, pauses } = await counted(`[ -e back ] && ${WRITE}`, back);
    for (const seq of [1, 2]) await notifier.handle(JSON.parse(change(seq, 'error')));
    expect(lines().map((line) => line.slice(0, 2))).toEqual(['#1', '#2']);
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
    expect(place()).toBe(2);
  });

  it('is passed over when it fails for an hour', async () => {
    const run = 'echo x >> told; exit 3';
    const { notifier, pauses, warned, minutes } = await counted(run);
    await notifier.handle(JSON.parse(change(1, 'error')));
    expect([Math.round(minutes() / 10), lines().length]).toEqual([6, pauses.length + 1]);
    expect(warned.at(-1)).toBe(`"${run}" exited with code 3 for #1: it is passed over.`);
    expect(place()).toBe(1);
  });

  it.each([
    [['--on', 'error'], '--on says what --run is called for'],
    [['--run', 'true', '--on', 'broken'], '"broken" is none of them'],
    [['--run', 'true', '--json'], '--run prints'],
    [['--run', 'true', '--exit-status'], '--exit-status ends with its deploy'],
  ])('is refused with %j', async (args, words) => {
    const env = { HOOKS_URL: 'http://127.0.0.1:1', HOOKS_USER: 'kiwi', HOOKS_SECRET: 'secret-canary' };
    const { code, err } = await cli(['watch', ...args], { env });
    expect(code).toBe(2);
    expect(err).toContain(words);
  });
});
