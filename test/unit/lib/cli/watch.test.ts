import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { apiServer } from '../../../support/api-server.ts';
import { changesServer, open, refused, row } from '../../../support/changes-server.ts';
import { type CliOptions, cli } from '../../../support/cli.ts';
import { doc, entry, page } from '../../../support/cli-entries.ts';
import { newFolder } from '../../../support/new-folder.ts';

const secret = 'secret-canary';
const loginAt = (url: string) => ({ HOOKS_URL: url, HOOKS_USER: 'kiwi', HOOKS_SECRET: secret });

let folder: string;
beforeEach(() => {
  folder = newFolder('watch');
});

/** Watches until there are so many lines, as if Ctrl-C were pressed then. */
async function run(args: string, env: CliOptions['env'], { until = 1, terminal = false } = {}) {
  const enough = (soFar: string) => soFar.split('\n').length > until;
  const { code, out, err } = await cli(`watch ${args}`, {
    env: { DATA_DIR: folder, ...env },
    terminal,
    onOutput: enough,
  });
  return { code, err, lines: out.split('\n').filter(Boolean), out };
}

describe('Watching', () => {
  it('draws each deploy with its date, its stages and how it ended', async () => {
    const stages = [
      {
        name: 'check',
        status: 'done',
        started_at: '2026-03-04T05:06:07.000Z',
        finished_at: '2026-03-04T05:06:07.209Z',
      },
      {
        name: 'start',
        status: 'done',
        started_at: '2026-03-04T05:06:08.000Z',
        finished_at: '2026-03-04T05:06:09.500Z',
      },
    ];
    const done = {
      status: 'ok',
      doc: doc({ stages, url: 'http://127.0.0.1:9000', finished_at: '2026-03-04T05:06:09.500Z' }),
    };
    const { url } = await changesServer([open(row(1, { doc: doc() }), row(1, { seq: 2, ...done }))]);
    const { code, lines } = await run('--since 0', loginAt(url), { until: 4 });
    const at = new Date('2026-03-04T05:06:07.000Z');
    expect(code).toBe(0);
    expect(lines[0]).toContain(`#1 2026-03-`);
    expect(lines[0]).toContain(`${at.toTimeString().slice(0, 8)} octo/hello  main c0ffee12  “A page”`);
    expect(lines.slice(1)).toEqual([
      '#1   ✓ check     209 ms',
      '#1   ✓ start      1.5 s',
      '#1 live after 2.5 s: http://127.0.0.1:9000',
    ]);
  });

  it('prints a change on a line with --json', async () => {
    const { url, queries } = await changesServer([open(row(1), row(2, { more: { a: 1 } }))]);
    const { lines } = await run('--json --since 0', loginAt(url), { until: 2 });
    expect(lines.map((line) => `${line}\n`)).toEqual([row(1), row(2, { more: { a: 1 } })]);
    expect(queries[0]?.get('include_docs')).toBe('auto');
  });

  it('begins now or after a given change, and may be limited to one application', async () => {
    const { url, queries } = await changesServer([open(row(42))], { last: 41 });
    await run('', loginAt(url));
    await run('hello --since 7', loginAt(url));
    expect(queries.map((query) => [query.get('since'), query.get('app'), query.get('include_docs')])).toEqual([
      ['41', null, 'true'],
      ['7', 'hello', 'true'],
    ]);
  });

  it('says on a terminal what it watches', async () => {
    const { url } = await changesServer([open(row(1))]);
    const { err } = await run('hello --since 0', loginAt(url), { terminal: true });
    expect(err).toBe(`Watching hello of kiwi at ${url}; Ctrl-C ends it.\n`);
  });

  it('reports an interruption on standard error, not in the output', async () => {
    const { url } = await changesServer([refused(503, { code: 'request:failed' }), open(row(1))]);
    const { lines, err } = await run('--json --since 0', loginAt(url));
    expect(lines.map((line) => `${line}\n`)).toEqual([row(1)]);
    expect(err).toMatch(/503.*trying again/);
  });

  it('ends with one sentence when the login is refused', async () => {
    const { url } = await changesServer([refused(401, { code: 'mw:auth:unauthorized', detail: 'No match.' })]);
    const { code, err } = await run('--since 0', loginAt(url));
    expect(code).toBe(1);
    expect(err).toMatch(/^error: No match\. The login of "kiwi" is that of [^\n]+ \(mw:auth:unauthorized, [^\n]+\n$/);
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
    ['--entry 12', {}, '--exit-status'],
  ])('refuses the arguments %j with the environment %j', async (args, env, words) => {
    const { code, out, err } = await run(args, env);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toContain(words);
    expect(err).not.toContain('canary');
  });
});

describe('The service that is asked', () => {
  it('is that of the arguments rather than of the environment', async () => {
    const { url, logins } = await changesServer([open(row(1))]);
    await run(`--since 0 --url ${url} --user melon`, { ...loginAt('https://nowhere.invalid') });
    expect(logins).toEqual([`Basic ${Buffer.from(`melon:${secret}`).toString('base64')}`]);
  });

  it('is by default the one of this machine', async () => {
    const { url, logins } = await changesServer([open(row(1))]);
    writeFileSync(join(folder, 'url'), `${url}\n`);
    writeFileSync(join(folder, 'netrc'), 'machine 127.0.0.1 login demo password local\n');
    expect((await run('--since 0', {})).code).toBe(0);
    expect(logins.at(-1)).toBe(`Basic ${Buffer.from('demo:local').toString('base64')}`);
  });

  it.each([
    ['was never started', null],
    ['was killed', 'http://127.0.0.1:9'],
  ])('is asked for with a sentence when the one of this machine %s', async (_, url) => {
    if (url) {
      writeFileSync(join(folder, 'url'), url);
      writeFileSync(join(folder, 'netrc'), 'machine 127.0.0.1 login demo password p\n');
    }
    const { code, err } = await run('', {});
    expect(code).toBe(1);
    expect(err).toMatch(/No service runs .*: start it with "hooks start"/);
  });
});

describe('With --exit-status', () => {
  it('a deploy in progress is followed to its end, which is the exit code', async () => {
    const running = entry(3, { status: 'running' });
    const live = entry(3, { status: 'ok', url: 'http://127.0.0.1:9000' });
    const service = await apiServer(
      { status: 200, body: page([entry(4, { status: 'skipped' }), running]) },
      { status: 200, body: running },
      { status: 200, body: live },
    );
    const { code, lines } = await run('hello --exit-status', loginAt(service.url), { until: 9 });
    expect(code).toBe(0);
    expect(lines).toEqual(['#3 hello is live: http://127.0.0.1:9000']);
    expect(service.received.map(({ url }) => url?.split('?')[0])).toEqual([
      '/1/status/kiwi/webhooks/hello',
      `/1/status/kiwi/changes/${running.id.slice(-32)}`,
      `/1/status/kiwi/changes/${running.id.slice(-32)}`,
    ]);
  });

  it('a status that this version does not know is no end', async () => {
    const answers = ['paused', 'ok'].map((status) => ({ status: 200, body: entry(3, { status }) }));
    const service = await apiServer(
      { status: 200, body: page([entry(4), entry(3, { status: 'paused' })]) },
      ...answers,
    );
    const { code, out } = await cli('watch --exit-status', { env: loginAt(service.url) });
    expect([code, out]).toEqual([0, expect.stringContaining('#3 hello is live')]);
  });

  it.each(['error', 'skipped', 'superseded', 'cancelled', 'expired', 'crashed'])(
    'a deploy that is %s exits with 1',
    async (status) => {
      const ended = entry(3, { status, reason: 'That is why.', doc: doc({ log_tail: ['Error: no database'] }) });
      const service = await apiServer({ status: 200, body: page([ended]) }, { status: 200, body: ended });
      const { code, out, err } = await cli('watch --exit-status --entry 3', { env: loginAt(service.url) });
      expect(code).toBe(1);
      expect(out).toBe('');
      expect(err).toBe(`#3 hello ${status}: That is why.\n    Error: no database\n`);
    },
  );

  it('the deploy of a commit is waited for until the host has called', async () => {
    const live = entry(5, { status: 'ok' });
    const service = await apiServer(
      { status: 200, body: page([entry(4, { commit: `octo/hello/${'1'.repeat(40)}` })]) },
      { status: 200, body: page([live]) },
      { status: 200, body: live },
    );
    const { code } = await cli('watch --exit-status --commit c0ffee1 --json', { env: loginAt(service.url) });
    expect(code).toBe(0);
    expect(service.received).toHaveLength(3);
  });

  it('a log without entries is a failure that says so', async () => {
    const service = await apiServer({ status: 200, body: page([]) });
    const { code, err } = await cli('watch --exit-status', { env: loginAt(service.url) });
    expect(code).toBe(1);
    expect(err).toContain('there is no deploy to follow');
  });
});
