import { describe, expect, it } from 'vitest';
import type { DocumentedEntry } from '../../../../lib/client/entry.ts';
import { Drawing, type DrawingOptions } from '../../../../lib/terminal/draw.ts';

const at = '2026-03-04T05:06:07.000Z';

function entry(
  more: Partial<Omit<DocumentedEntry, 'doc'>> = {},
  doc: Partial<DocumentedEntry['doc']> = {},
): DocumentedEntry {
  return {
    id: `http://service/1/status/kiwi/changes/${'ab'.repeat(10)}000000000007`,
    app_name: 'hello',
    status: 'running',
    provider: 'github',
    commit: `octo/hello/${'c0ffee12'.repeat(5)}`,
    seq: 1,
    ...more,
    doc: {
      branch: 'main',
      message: 'A page',
      received_at: at,
      finished_at: null,
      reason: null,
      stages: [],
      url: null,
      log_tail: [],
      ...doc,
    },
  } as DocumentedEntry;
}

const stage = (name: string, status: 'running' | 'done' | 'failed') => ({
  name,
  status,
  started_at: at,
  finished_at: status === 'running' ? null : '2026-03-04T05:06:07.209Z',
  attempts: 1,
  detail: null,
});

function drawn(
  entries: readonly DocumentedEntry[],
  screen: { isTTY?: boolean; columns?: number } = {},
  options: DrawingOptions = {},
) {
  let text = '';
  const write = (piece: string) => {
    text += piece;
  };
  const drawing = new Drawing({ ...screen, write }, options);
  for (const one of entries) drawing.entry(one);
  return text;
}

describe('The drawing of a deploy', () => {
  it('shows what a deploy that is live warns of, before its address', () => {
    const live = { url: 'http://hello.localhost', finished_at: at };
    const warning = 'The release before wrote a.db.';
    expect(drawn([entry({ status: 'ok', warning }, live)])).toMatch(
      /warning {2}The release before wrote a\.db\.\n.*live after/,
    );
  });

  it('shortens a digest', () => {
    const fetched = { ...stage('fetch', 'done'), detail: `777 bytes, sha256 ${'3a222fa4'.repeat(8)}` };
    expect(drawn([entry({}, { stages: [fetched] as DocumentedEntry['doc']['stages'] })])).toMatch(/sha256 3a222fa4…$/m);
  });

  it('says that an operation is done which leaves no address', () => {
    const done = entry({ status: 'ok' }, { operation: 'stop', finished_at: '2026-03-04T05:06:09.000Z' });
    expect(drawn([done])).toBe('#7 octo/hello  main c0ffee12  stop  “A page”\n#7 done after 2.0 s\n');
  });

  it('says why a deploy is held, and when it expires', () => {
    const reason = 'Waiting for Travis CI.';
    const text = drawn([entry({ status: 'held', expires_at: at }, { reason })]);
    expect(text).toMatch(/#7 held {2}Waiting for Travis CI\. {2}Expires 2026-03-0\d \d\d:06:07\.\n/);
    expect(drawn([entry({ status: 'held' }, { reason })])).toContain('#7 held  Waiting for Travis CI.\n');
  });

  it('prints each line once, however often the entry is shown', () => {
    const first = entry({}, { stages: [stage('check', 'done')] });
    const live = entry(
      { status: 'ok' },
      { stages: first.doc.stages, url: 'http://app', finished_at: '2026-03-04T05:06:09.000Z' },
    );
    expect(drawn([first, first, live, live, first])).toBe(
      '#7 octo/hello  main c0ffee12  “A page”\n#7   ✓ check     209 ms\n#7 live after 2.0 s: http://app\n',
    );
  });

  it('shows the line of the application above an error, and not the frames of Node below', () => {
    const own = ['server.js:13', '}}}', 'SyntaxError: Unexpected token', '    at listen (/app/node:internal/x.js:1:2)'];
    const frames = Array.from(
      { length: 9 },
      (_, at) => `    at Module._load (node:internal/modules/cjs/loader:${at}:32)`,
    );
    const log_tail = [...own, ...frames, '    at node:internal/main/run_main_module:28:49', 'Node.js v20.20.2'];
    const text = drawn([entry({ status: 'crashed' }, { reason: 'It ended.', log_tail })]);
    expect(text.split('\n').slice(2, -1)).toEqual([...own, 'Node.js v20.20.2'].map((line) => `#7     ${line}`));
  });

  it('says when the application crashes after its deploy, and when it answers again', () => {
    const live = entry({ status: 'ok', seq: 5 }, { url: 'http://app', finished_at: '2026-03-04T05:06:09.000Z' });
    const crashed = entry({ status: 'crashed', seq: 6 }, { reason: 'It exits with 1.', log_tail: ['boom'] });
    const again = entry({ status: 'ok', seq: 7 }, { url: 'http://app', finished_at: '2026-03-04T05:06:09.000Z' });
    const text = drawn([live, crashed, crashed, live, again]);
    expect(text.split('\n').slice(1)).toEqual([
      '#7 live after 2.0 s: http://app',
      '#7 crashed  hello: It exits with 1.',
      '#7     boom',
      '#7 ok  hello answers again: http://app',
      '',
    ]);
    expect(drawn([crashed])).toContain('#7 crashed  hello: It exits with 1.\n#7     boom\n');
  });

  it('overwrites the line of the current stage on a terminal, and no longer than it is wide', () => {
    const running = entry({}, { stages: [stage('extract', 'running')], reason: 'x'.repeat(200) });
    const text = drawn([running], { isTTY: true, columns: 40 }, { env: { NO_COLOR: '1' } });
    const [, live = ''] = text.split('\n');
    expect(live.startsWith('\r\u001b[2K#7   … build')).toBe(true);
    expect(live.replace('\r\u001b[2K', '')).toHaveLength(39);
    expect(drawn([running])).not.toContain('build');
  });

  it('has colours only on a terminal, and not when they are not wanted', () => {
    const skipped = entry({ status: 'skipped' }, { reason: 'Another branch.' });
    expect(drawn([skipped], { isTTY: true }, { env: {} })).toContain('\u001b[33mskipped');
    expect(drawn([skipped], { isTTY: true }, { env: { NO_COLOR: '1' } })).not.toContain('\u001b[33m');
    expect(drawn([skipped], {}, { env: {} })).not.toContain('\u001b[');
  });

  it('names what was done by hand', () => {
    expect(drawn([entry({}, { operation: 'restart' })])).toBe('#7 octo/hello  main c0ffee12  restart  “A page”\n');
  });

  it('begins with the date when it is wanted', () => {
    expect(drawn([entry()], {}, { dated: true })).toMatch(/^#7 2026-03-0\d \d\d:\d\d:\d\d octo\/hello/);
  });
});
