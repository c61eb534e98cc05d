import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../../lib/client/entry.ts';
import {
  emptyLog,
  endedSince,
  hasMore,
  type Log,
  namesIn,
  newestOf,
  rowsOf,
  withPage,
  withRows,
} from '../../../../lib/page/model/log.ts';

const ALL = { app: '', branch: '', statuses: [] };

function entry(number: number, seq: number, change: Partial<Entry> = {}): Entry {
  const id = `http://127.0.0.1/1/status/demo/changes/${'a'.repeat(20)}${String(number).padStart(12, '0')}`;
  return {
    id,
    seq,
    app_name: 'shop',
    uuid: 'u',
    status: 'ok',
    provider: 'github',
    commit: null,
    reason: null,
    url: null,
    ...change,
  };
}

const numbers = (rows: readonly Entry[]) => rows.map(({ id }) => Number(id.slice(-12)));

describe('the log that the page knows', () => {
  it('keeps the later state of an entry, in whatever order two states come', () => {
    const running = entry(1, 2, { status: 'running' });
    const page = withPage(emptyLog, '', { total: 1, skip: 0, rows: [entry(1, 5)] });
    expect(rowsOf(withRows(page, [running]), ALL)[0]?.status).toBe('ok');
    expect(rowsOf(withRows(page, [entry(1, 6, { status: 'crashed' })]), ALL)[0]?.status).toBe('crashed');
    expect(withRows(page, [running])).toBe(page);
  });

  it('keeps the document of an entry when a row comes without one', () => {
    const doc = { branch: 'main' } as Entry['doc'] & object;
    const page = withPage(emptyLog, '', { total: 1, skip: 0, rows: [entry(1, 5, { doc })] });
    expect(rowsOf(withRows(page, [entry(1, 6)]), ALL)[0]?.doc).toBe(doc);
  });

  it('replaces a document that was kept when that of the same change comes', () => {
    const docOf = (seq: number) => ({ branch: 'main', seq }) as unknown as Entry['doc'] & object;
    const page = withPage(emptyLog, '', { total: 1, skip: 0, rows: [entry(1, 5, { doc: docOf(5) })] });
    const [kept, later] = [withRows(page, [entry(1, 6)]), entry(1, 6, { doc: docOf(6) })];
    const replaced = withRows(kept, [later]);
    expect(rowsOf(replaced, ALL)[0]?.doc).toBe(later.doc);
    expect(withRows(replaced, [later])).toBe(replaced);
  });

  it('takes the begin of a stage, which is no change, and keeps it when the change before comes late', () => {
    const docOf = (...stages: readonly string[]) =>
      ({ seq: 5, stages: stages.map((status) => ({ status })) }) as unknown as Entry['doc'] & object;
    const between = entry(1, 5, { status: 'running', doc: docOf('done') });
    const building = entry(1, 5, { status: 'running', doc: docOf('done', 'running') });
    const known = withRows(emptyLog, [between]);
    const begun = withRows(known, [building]);
    expect(begun.ordered).toEqual([building]);
    expect(withRows(begun, [between])).toBe(begun);
    expect(withRows(known, [between])).toBe(known);
  });

  it('reads the feed from the newest change of the first page on, also when an older entry has changed last', () => {
    const rows = [entry(3, 7), entry(2, 9), entry(1, 2)];
    expect(withPage(emptyLog, '', { total: 3, skip: 0, rows }).since).toBe(9);
    expect(withPage(emptyLog, '', { total: 0, skip: 0, rows: [] }).since).toBe(0);
  });

  it('shows no row below a gap: an entry that was opened by its address, or read for one application', () => {
    const first = withPage(emptyLog, '', { total: 9, skip: 0, rows: [entry(9, 20), entry(8, 19)] });
    const opened = withRows(first, [entry(2, 3)]);
    expect(numbers(rowsOf(opened, ALL))).toEqual([9, 8]);
    const ofApp = withPage(opened, 'blog', {
      total: 1,
      skip: 0,
      rows: [entry(1, 1, { app_name: 'blog' })],
    });
    expect(numbers(rowsOf(ofApp, ALL))).toEqual([9, 8]);
    expect(numbers(rowsOf(ofApp, { ...ALL, app: 'blog' }))).toEqual([1]);
    expect([hasMore(ofApp, ''), hasMore(ofApp, 'blog')]).toEqual([true, false]);
  });

  it('knows the newest entry of an application only as far as the list of all was read', () => {
    const rows = [entry(9, 20), entry(8, 19, { status: 'error' }), entry(7, 18, { app_name: 'blog' })];
    const read = withRows(withPage(emptyLog, '', { total: 9, skip: 0, rows }), [entry(2, 3, { app_name: 'old' })]);
    expect(newestOf(read, 'shop')?.seq).toBe(20);
    expect(newestOf(read, 'blog')?.seq).toBe(18);
    expect([newestOf(read, 'old'), newestOf(emptyLog, 'shop')]).toEqual([null, null]);
  });

  it('is searched once for the newest entries of all applications, until it changes', () => {
    let looked = 0;
    const rows = Array.from({ length: 1000 }, (_, at) => entry(at + 1, at + 1, { app_name: `app-${at % 500}` }));
    const log = withPage(emptyLog, '', { total: 1000, skip: 0, rows });
    const ordered = log.ordered.map((one) => ({
      ...one,
      get app_name() {
        looked += 1;
        return one.app_name;
      },
    }));
    const counted = { ...log, ordered };
    for (let key = 0; key < 3; key += 1) {
      for (let at = 0; at < 500; at += 1) expect(newestOf(counted, `app-${at}`)?.seq).toBe(at + 501);
    }
    expect(looked).toBe(1000);
    expect(newestOf(withRows(log, [entry(1001, 1001, { app_name: 'app-7' })]), 'app-7')?.seq).toBe(1001);
  });

  it('goes on where the last page ended, also when new entries have moved the pages', () => {
    const first = withPage(emptyLog, '', { total: 4, skip: 0, rows: [entry(4, 8), entry(3, 7)] });
    const pushed = withRows(first, [entry(5, 9)]);
    const second = withPage(pushed, '', { total: 5, skip: 2, rows: [entry(3, 7), entry(2, 6)] });
    expect(numbers(rowsOf(second, ALL))).toEqual([5, 4, 3, 2]);
    expect(second.extents.get('')).toEqual({ total: 5, read: 4, floor: 2 });
    const last = withPage(second, '', { total: 5, skip: 4, rows: [entry(1, 5)] });
    expect(hasMore(last, '')).toBe(false);
  });

  it('is in the order of the numbers, newest first, in whatever order its rows come', () => {
    const seqs = fc.uniqueArray(fc.integer({ min: 1, max: 60 }));
    const arriving = fc.array(fc.record({ number: fc.integer({ min: 1, max: 30 }), seqs }));
    fc.assert(
      fc.property(arriving, (parts) => {
        const whole = withPage(emptyLog, '', { total: 0, skip: 0, rows: [] });
        const log = parts.reduce<Log>(
          (known, { number, seqs }) =>
            withRows(
              known,
              seqs.map((seq) => entry(number, seq)),
            ),
          whole,
        );
        const expected = [...log.entries.values()].sort((one, other) => (one.id < other.id ? 1 : -1));
        expect(log.ordered).toEqual(expected);
        expect(rowsOf(log, ALL)).toEqual(expected);
      }),
    );
  });

  it('keeps the rows that have not changed as they are, so that they are not drawn again', () => {
    const rows = [entry(3, 7), entry(2, 6), entry(1, 5)];
    const before = withPage(emptyLog, '', { total: 3, skip: 0, rows });
    const after = withRows(before, [entry(4, 8), entry(2, 9)]);
    expect(numbers(after.ordered)).toEqual([4, 3, 2, 1]);
    expect(after.ordered[1]).toBe(before.ordered[0]);
    expect(after.ordered[3]).toBe(before.ordered[2]);
  });

  it('names the entries that have ended since, and none that had ended before it was read', () => {
    const rows = [entry(9, 21, { status: 'running' }), entry(8, 20), entry(7, 19, { status: 'queued' })];
    const before = withPage(emptyLog, '', { total: 9, skip: 0, rows });
    expect(numbers(endedSince(emptyLog, before))).toEqual([8]);
    const after = withRows(before, [
      entry(9, 22),
      entry(8, 23, { status: 'crashed' }),
      entry(7, 24, { status: 'running' }),
    ]);
    expect(numbers(endedSince(before, after))).toEqual([9, 8]);
    const older = withPage(after, '', { total: 9, skip: 3, rows: [entry(6, 12)] });
    expect(endedSince(after, older)).toEqual([]);
  });

  it('names each application and each branch once', () => {
    const doc = { branch: 'main' } as Entry['doc'] & object;
    const rows = [entry(3, 3, { doc }), entry(2, 2, { doc, app_name: null }), entry(1, 1)];
    const log = withPage(emptyLog, '', { total: 3, skip: 0, rows });
    expect(namesIn(log)).toEqual({ apps: ['shop'], branches: ['main'] });
  });

  it('filters by status and by branch', () => {
    const rows = [
      entry(3, 3, { status: 'error', doc: { branch: 'main' } as Entry['doc'] & object }),
      entry(2, 2, { doc: { branch: 'side' } as Entry['doc'] & object }),
    ];
    const log = withPage(emptyLog, '', { total: 2, skip: 0, rows });
    expect(numbers(rowsOf(log, { ...ALL, statuses: ['error', 'crashed'] }))).toEqual([3]);
    expect(numbers(rowsOf(log, { ...ALL, branch: 'side' }))).toEqual([2]);
  });
});
