import { describe, expect, it } from 'vitest';
import { Status } from '../../../../functions/api/shapes/entry.ts';
import { entriesIn, entryIn, hasEnded, idOf, numberOf, shaOf, subjectOf } from '../../../../lib/client/entry.ts';
import { cannedLog } from '../../../support/browser/canned/entries.ts';

const { rows: entries } = cannedLog('http://127.0.0.1');
const [row] = entries;
const id = `http://127.0.0.1/1/status/demo/changes/${'a'.repeat(20)}000000000001`;

describe('the rows of an answer', () => {
  it('are taken as they are', () => {
    expect(entriesIn(entries)).toEqual(entries);
  });

  it.each([
    undefined,
    null,
    'text',
    {},
    { ...row, id: undefined },
    { ...row, id: 'http://127.0.0.1/' },
    { ...row, seq: '7' },
    { ...row, seq: null },
    { ...row, status: undefined },
    { code: 'status:changes:timeout', status: 408, last_seq: 7 },
  ])('without %j, which is no entry', (other) => {
    expect(entriesIn([other, row])).toEqual([row]);
  });

  it.each([undefined, null, {}, 'text', 7])('are none in %j', (answer) => {
    expect(entriesIn(answer)).toEqual([]);
  });

  it('have a status that this page does not know, and lists without what they should not have', () => {
    const stage = { name: 'check', status: 'done' };
    const doc = { stages: [null, {}, stage, 'check'], log_tail: [1, 'a line', null] };
    expect(entryIn({ id, seq: 1, status: 'paused', doc })).toEqual({
      ...{ id, seq: 1, status: 'paused' },
      doc: { stages: [stage], log_tail: ['a line'] },
    });
    expect(entryIn({ id, seq: 1, status: 'ok', doc: {} })?.doc).toEqual({ stages: [], log_tail: [] });
    expect(entryIn({ id, seq: 1, status: 'ok', doc: null })).toEqual({ id, seq: 1, status: 'ok' });
  });
});

describe('an entry', () => {
  it('has its id at the end of its address, and its number at the end of its id', () => {
    expect([idOf({ id }), numberOf({ id })]).toEqual([id.slice(-32), 1]);
  });

  it('is named by its application, else its repository, else who called', () => {
    const [one] = entriesIn(entries);
    const sha = 'ab'.repeat(20);
    if (!one) throw new Error('There is no entry.');
    expect(subjectOf({ ...one, app_name: 'shop' })).toBe('shop');
    expect(subjectOf({ ...one, app_name: null, commit: `octo/hello/${sha}` })).toBe('octo/hello');
    expect(subjectOf({ ...one, app_name: null, commit: null, provider: 'manual' })).toBe('manual');
    expect([shaOf({ commit: `octo/hello/${sha}` }), shaOf({ commit: 'octo/hello' })]).toEqual([sha, null]);
  });

  it('has not ended while it waits or runs, or has a status that this version does not know', () => {
    const ended = ['ok', 'crashed', 'error', 'expired', 'skipped', 'duplicate', 'superseded', 'cancelled'];
    expect(Status.options.filter((status) => hasEnded({ status })).sort()).toEqual(ended.sort());
    expect(hasEnded({ status: 'paused' })).toBe(false);
  });
});
