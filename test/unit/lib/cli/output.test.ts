import { describe, expect, it } from 'vitest';
import { server } from '../../../support/api-server.ts';
import { cli } from '../../../support/cli.ts';
import { doc, entry, page } from '../../../support/cli-entries.ts';
import { cliAt, ok, problem } from '../../../support/cli-service.ts';

const line = (second: number, text: string, stream = 'stdout') =>
  `${JSON.stringify({ at: `2026-03-04T05:06:0${second}.000Z`, stream, line: text })}\n`;
const searchedTo = (second: number, next: string) =>
  `{"searched":{"since":"2026-03-04T05:06:0${second}.000Z","until":null},"next":${next}}\n`;
const ended = '{"code":"status:changes:timeout","status":408}\n';

/** A service whose streams are these texts, in order; the last one stays open when it is followed. */
async function streams(texts: readonly string[], { open = false } = {}) {
  const calls: string[] = [];
  const left = [...texts];
  const url = await server((request, response) => {
    calls.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    const text = left.shift() ?? '';
    if (open && left.length === 0) response.write(text);
    else response.end(text);
  });
  return { calls, env: { HOOKS_URL: url, HOOKS_USER: 'kiwi', HOOKS_SECRET: 's' } };
}

describe('logs', () => {
  it('prints the lines of the application, and marks those of the platform', async () => {
    const { env, calls } = await streams([
      line(1, 'up') + line(2, 'a\tb\u001b[2J', 'stderr') + line(3, 'crashed', 'platform'),
    ]);
    const { code, out } = await cli('logs shop', { env });
    expect([code, out]).toEqual([0, 'up\na\tb\n-- crashed\n']);
    expect(calls).toEqual(['/1/apps/kiwi/shop/logs?lines=100']);
  });

  it('prints what came since a time with --since, of all lines that are kept', async () => {
    const { env, calls } = await streams([line(1, 'early') + line(2, 'then') + line(3, 'late')]);
    const { code, out } = await cli('logs shop --since 2026-03-04T05:06:02Z', { env });
    expect([code, out]).toEqual([0, 'then\nlate\n']);
    expect(calls).toEqual(['/1/apps/kiwi/shop/logs?lines=1000']);
  });

  it.each([
    ['90s', 1],
    ['10m', 2],
    ['1h', 3],
    ['2d', 4],
  ])('takes how long ago it was, such as %s', async (since, expected) => {
    const minutesAgo = [24 * 60, 30, 5, 1];
    const lines = minutesAgo.map((minutes) => {
      const at = new Date(Date.now() - minutes * 60_000).toISOString();
      return `${JSON.stringify({ at, stream: 'stdout', line: `${minutes} minutes ago` })}\n`;
    });
    const { out } = await cli(`logs shop --since ${since}`, await streams([lines.join('')]));
    expect(out).toBe(
      minutesAgo
        .slice(-expected)
        .map((minutes) => `${minutes} minutes ago\n`)
        .join(''),
    );
  });

  it.each(['soon', '10', '10y', '2026-13-99'])('refuses the time %s', async (since) => {
    const { code, err } = await cli(`logs shop --since ${since}`, await streams([]));
    expect([code, err]).toEqual([2, expect.stringContaining('--since takes a time, such as 10m')]);
  });

  it('searches what is stored until enough is found, and prints the oldest first', async () => {
    const { env, calls } = await streams([
      line(5, 'crash 3') + line(4, 'crash 2') + searchedTo(4, '"17"'),
      line(1, 'crash 1') + searchedTo(0, 'null'),
    ]);
    const { out, err } = await cli('logs shop --grep Crash --lines 3', { env });
    expect([out, err]).toEqual(['crash 1\ncrash 2\ncrash 3\n', '']);
    expect(calls).toEqual([
      '/1/apps/kiwi/shop/logs?grep=Crash&lines=3',
      '/1/apps/kiwi/shop/logs?grep=Crash&lines=1&before=17',
    ]);
  });

  it.each([
    ['no line', searchedTo(2, 'null'), 'No line of shop has that: its output was searched back to 2026-03-04T05:06:02'],
    ['enough lines', line(3, 'x') + searchedTo(3, '"9"'), 'Searched back to 2026-03-04T05:06:03'],
    ['nothing', '{"searched":{"since":null,"until":null},"next":null}\n', 'shop has printed nothing'],
  ])('says how far it has searched when it has found %s', async (_what, answer, said) => {
    const { err } = await cli('logs shop --grep x --lines 1', await streams([answer]));
    expect(err).toContain(said);
  });

  it('searches no further than --since', async () => {
    const { env, calls } = await streams([line(5, 'late') + line(1, 'early') + searchedTo(1, '"17"')]);
    expect((await cli('logs shop --grep l --since 2026-03-04T05:06:02Z', { env })).out).toBe('late\n');
    expect(calls).toHaveLength(1);
  });

  it('names the process that has printed a line, and asks for those of one', async () => {
    const from = (text: string, stream: string) =>
      line(1, text, stream).replace('"line"', '"process":"worker.1","line"');
    const { env, calls } = await streams([line(1, 'up') + from('works', 'stdout') + from('exited', 'platform')]);
    const { out } = await cli('logs shop --process worker', { env });
    expect(out).toBe('up\nworker.1: works\n-- worker.1: exited\n');
    expect(calls).toEqual(['/1/apps/kiwi/shop/logs?process=worker&lines=100']);
  });

  it('prints times, or JSON as it was sent', async () => {
    const text = line(1, 'up');
    expect((await cli('logs shop --timestamps', await streams([text]))).out).toBe('2026-03-04T05:06:01.000Z up\n');
    expect((await cli('logs shop --json', await streams([text]))).out).toBe(text);
  });

  it('follows until Ctrl-C', async () => {
    const { env, calls } = await streams([`${line(1, 'up')}\n${line(2, 'more')}`], { open: true });
    const enough = (soFar: string) => soFar.split('\n').length > 2;
    const { code, out } = await cli('logs shop --follow --lines 5', { env, onOutput: enough });
    expect([code, out]).toEqual([0, 'up\nmore\n']);
    expect(calls).toEqual(['/1/apps/kiwi/shop/logs?lines=5&follow=true']);
  });

  it.each([
    ['the connection breaks', ''],
    ['the service ends the stream and goes away', ended],
  ])('takes the stream up again when %s, and says so once', async (_title, ending) => {
    let asked = 0;
    const url = await server((_, response) => {
      asked += 1;
      if (asked === 2 || asked === 3) return void response.destroy();
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      if (asked === 1 && ending !== '') response.end(line(1, 'one') + ending);
      else if (asked === 1) response.write(line(1, 'one'), () => setTimeout(() => response.destroy(), 50));
      else response.write(line(1, 'one') + line(2, 'two'));
    });
    const env = { HOOKS_URL: url, HOOKS_USER: 'kiwi', HOOKS_SECRET: 's' };
    const { code, out, err } = await cli('logs shop --follow', { env, onOutput: (soFar) => soFar.includes('two') });
    expect([code, out, asked]).toEqual([0, 'one\ntwo\n', 4]);
    expect(err).toBe('The output is interrupted; trying again.\n');
  });

  it('waits for the first line beyond a restart of the service', async () => {
    let asked = 0;
    const url = await server((_, response) => {
      asked += 1;
      if (asked === 2) return void response.destroy();
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      if (asked === 1) response.write('\n', () => setTimeout(() => response.destroy(), 50));
      else response.write(line(1, 'one'));
    });
    const env = { HOOKS_URL: url, HOOKS_USER: 'kiwi', HOOKS_SECRET: 's' };
    const { code, err } = await cli('logs shop -f -n 0', { env, onOutput: (soFar) => soFar.includes('one') });
    expect([code, err]).toEqual([0, 'The output is interrupted; trying again.\n']);
  });

  it('fails when the connection breaks and it does not follow, or before it has begun', async () => {
    const cut = await cliAt('logs shop', ['hang up']);
    expect([cut.code, cut.err]).toEqual([1, expect.stringContaining('cannot be reached')]);
    expect((await cliAt('logs shop --follow', ['hang up'])).code).toBe(1);
  });

  it('fails when the service ends the output by an error', async () => {
    const { env } = await streams([`${line(1, 'up')}{"code":"status:changes:fatal","status":500}\n`]);
    const { code, out, err } = await cli('logs shop', { env });
    expect([code, out, err]).toEqual([1, 'up\n', expect.stringContaining('status:changes:fatal')]);
  });

  it('fails with a sentence for an unknown application', async () => {
    const { code, err } = await cliAt('logs shp', [
      problem(404, 'status:db:not_found', 'You have no application "shp".'),
    ]);
    expect([code, err]).toEqual([1, expect.stringContaining('You have no application "shp".')]);
  });
});

describe('build-log', () => {
  const built = entry(7, {
    status: 'ok',
    doc: doc({ stages: [{ name: 'extract', status: 'done', started_at: '2026-03-04T05:06:07.000Z' }] }),
  });

  it('prints the newest build, of the application that is named or of all', async () => {
    const log = { status: 200, body: line(1, 'added 3 packages'), headers: { 'content-type': 'application/x-ndjson' } };
    const { code, out, calls } = await cliAt('build-log --app shop', [ok(page([entry(8), built])), log]);
    expect([code, out]).toEqual([0, 'added 3 packages\n']);
    expect(calls).toEqual([
      'GET /1/status/kiwi/webhooks/shop?limit=100&skip=0&include_docs=true',
      `GET /1/status/kiwi/changes/${built.id.slice(-32)}/build-log`,
    ]);
    expect((await cliAt('build-log', [ok(page([built])), log])).calls[0]).toContain('/1/status/kiwi/webhooks?');
  });

  it('prints the build of an entry, while it runs with --follow', async () => {
    const log = { status: 200, body: line(1, 'x'), headers: { 'content-type': 'application/x-ndjson' } };
    const { calls } = await cliAt('build-log 7 --follow', [ok(page([built])), log]);
    expect(calls[1]).toBe(`GET /1/status/kiwi/changes/${built.id.slice(-32)}/build-log?follow=true`);
  });

  it('says so when the build or the application has printed nothing', async () => {
    const quiet = { status: 200, body: '', headers: { 'content-type': 'application/x-ndjson' } };
    const build = await cliAt('build-log 7', [ok(page([built])), quiet]);
    expect([build.code, build.out, build.err]).toEqual([0, '', expect.stringContaining('#7 has printed nothing')]);
    expect((await cliAt('logs shop', [quiet])).err).toBe('shop has printed nothing.\n');
  });

  it('says so when nothing was built', async () => {
    const { code, err } = await cliAt('build-log --app shop', [ok(page([entry(8, { status: 'skipped' })]))]);
    expect([code, err]).toEqual([1, expect.stringContaining('Nothing was built yet for shop')]);
  });
});
