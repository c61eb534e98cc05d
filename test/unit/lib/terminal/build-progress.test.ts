import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { client } from '../../../../lib/client/client.ts';
import type { DocumentedEntry } from '../../../../lib/client/entry.ts';
import type { OutputLine } from '../../../../lib/client/output.ts';
import { BuildProgress, shownBuild } from '../../../../lib/terminal/build-progress.ts';
import { apiServer } from '../../../support/api-server.ts';

function entry(status: 'running' | 'done' | 'failed', stage = 'extract'): DocumentedEntry {
  const stages = [{ name: stage, status, started_at: '', finished_at: null, detail: null }];
  const finished_at = status === 'failed' ? '2026-01-02T03:04:05Z' : null;
  const doc = { branch: 'main', message: null, received_at: '', reason: null, url: null, log_tail: ['tail'] };
  const row = { id: `${'a'.repeat(20)}000000000007`, app_name: 'shop', provider: 'github', commit: null, seq: 1 };
  return { ...row, status: 'running', doc: { ...doc, stages, finished_at } } as unknown as DocumentedEntry;
}

const line = (text: string): OutputLine => ({ at: '2026-01-02T03:04:05Z', stream: 'stdout', line: text });

/** A build whose output is sent line by line, and ends when `end` is called. */
function build(limits: object = {}) {
  const printed: string[] = [];
  const sent: OutputLine[] = [];
  const state = { ended: false, asked: 0, aborted: false };
  async function* output(signal: AbortSignal) {
    state.asked += 1;
    signal.addEventListener('abort', () => {
      state.aborted = true;
    });
    while (!signal.aborted) {
      const next = sent.shift();
      if (next !== undefined) yield next;
      else if (state.ended) return;
      else await setTimeout(1);
    }
  }
  const progress = new BuildProgress({
    output,
    print: (text) => printed.push(text),
    whole: 'hooks build-log 7',
    limits: { afterMs: 0, quietMs: 60_000, restMs: 200, ...limits },
  });
  const end = (status: 'done' | 'failed' = 'done') => {
    state.ended = true;
    return progress.seen(entry(status));
  };
  return { progress, printed, sent, state, end };
}

describe('The output of a build in progress', () => {
  it('is printed line by line while it runs, and its end is waited for', async () => {
    const { progress, printed, sent, end } = build();
    sent.push(line('npm ci'), line(' '));
    await progress.seen(entry('running'));
    await expect.poll(() => printed).toEqual(['    npm ci']);
    sent.push(line('added 12 packages'));
    const drawn = await end();
    expect(printed).toEqual(['    npm ci', '    added 12 packages']);
    expect(drawn.doc.log_tail).toEqual(['tail']);
  });

  it('has no notices of a package manager about itself and the packages of others', async () => {
    const { progress, printed, sent, end } = build();
    const noise = [
      'npm warn deprecated inflight@1.0.6: This module is not supported',
      'npm WARN old lockfile',
      'npm warn install-scripts',
      'npm notice New major version of npm available! 11.0.0 -> 12.0.0',
      'Progress: resolved 208, reused 0, downloaded 12, added 0',
    ];
    sent.push(...noise.map(line), line('npm error code E404'), line('added 12 packages'));
    await progress.seen(entry('running'));
    await expect.poll(() => printed.at(-1)).toBe('    added 12 packages');
    await end();
    expect(printed).toEqual(['    npm error code E404', '    added 12 packages']);
  });

  it('is not asked for when the build ends at once', async () => {
    const { progress, state, end } = build({ afterMs: 50 });
    await progress.seen(entry('running', 'fetch'));
    await progress.seen(entry('running'));
    await end('failed');
    await setTimeout(100);
    expect(state.asked).toBe(0);
  });

  it('replaces the last lines of a failed build, unless not all of it was printed', async () => {
    const all = build();
    all.sent.push(line('TypeError'));
    await all.progress.seen(entry('running'));
    await expect.poll(() => all.printed).toHaveLength(1);
    expect((await all.end('failed')).doc.log_tail).toEqual([]);
    expect((await all.progress.seen(entry('failed'))).doc.log_tail).toEqual([]);

    const cut = build({ lines: 1 });
    cut.sent.push(line('one'), line('two'));
    await cut.progress.seen(entry('running'));
    await expect.poll(() => cut.sent).toEqual([]);
    expect((await cut.end('failed')).doc.log_tail).toEqual(['tail']);
  });

  it('is no flood: what is beyond the limit is counted, with the command that prints it', async () => {
    const { progress, printed, sent, end } = build({ lines: 2 });
    sent.push(...['a', 'b', 'c', 'd'].map(line));
    await progress.seen(entry('running'));
    await expect.poll(() => sent).toEqual([]);
    await end();
    expect(printed).toEqual(['    a', '    b', '    … 2 more lines: hooks build-log 7']);
  });

  it('moves no cursor and fills no screen with one line', async () => {
    const { progress, printed, sent, end } = build();
    sent.push(line(`\u001b[2J\u001b[31mred\rx\u0007${'y'.repeat(1000)}`));
    await progress.seen(entry('running'));
    await expect.poll(() => printed).toHaveLength(1);
    await end();
    expect(printed[0]).toMatch(/^ {4}red x y{10,}$/);
    expect(printed[0]?.length).toBeLessThan(250);
  });

  it('of a build that prints nothing says that it goes on', async () => {
    const { progress, printed, end } = build({ quietMs: 5 });
    await progress.seen(entry('running'));
    await expect.poll(() => printed.length).toBeGreaterThan(1);
    await end();
    expect(printed[0]).toMatch(/^ {4}… building for \d+ s$/);
    const before = printed.length;
    await setTimeout(30);
    expect(printed).toHaveLength(before);
  });

  it.each(['is lost', 'stays open'])('whose connection %s holds up nothing', async (what) => {
    const printed: string[] = [];
    async function* output(signal: AbortSignal) {
      yield line('one');
      if (what === 'is lost') throw new Error('reset');
      await setTimeout(60_000, undefined, { signal });
    }
    const limits = { afterMs: 0, restMs: 20 };
    const progress = new BuildProgress({ output, print: (text) => printed.push(text), whole: '', limits });
    await progress.seen(entry('running'));
    await expect.poll(() => printed).toEqual(['    one']);
    expect((await progress.seen(entry('failed'))).doc.log_tail).toEqual(['tail']);
  });

  it('is ended when nobody looks on', async () => {
    const { progress, state } = build();
    await progress.seen(entry('running'));
    await expect.poll(() => state.asked).toBe(1);
    progress.close();
    expect(state.aborted).toBe(true);
  });

  it('is read on when the service ends its stream at a time limit', async () => {
    const stream = (...lines: readonly object[]) => ({
      status: 200,
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.map((one) => `${JSON.stringify(one)}\n`).join(''),
    });
    const limit = { code: 'status:changes:timeout', status: 408 };
    const { url } = await apiServer(stream(line('npm ci'), limit), stream(line('npm ci'), line('built')));
    const shown = shownBuild(client({ url, user: 'ada', secret: 's' }), entry('running'), () => {});
    const printed: string[] = [];
    for await (const one of shown.output(new AbortController().signal)) printed.push(one.line);
    expect([printed, shown.whole]).toEqual([['npm ci', 'built'], 'hooks build-log 7']);
  });
});
