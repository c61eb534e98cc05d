import { describe, expect, it } from 'vitest';
import {
  commitName,
  entryAddress,
  entryId,
  entryNumber,
  isAlive,
  isFinal,
  type Status,
} from '../../../../../functions/core/entry/entry.ts';
import { packedJson, unpackedJson } from '../../../../../functions/core/entry/packed.ts';
import { entry, sha } from '../../../../support/entries.ts';

describe('a status', () => {
  const table: readonly (readonly [Status, boolean, boolean])[] = [
    ['queued', false, true],
    ['running', false, true],
    ['held', false, false],
    ['ok', true, true],
    ['error', true, false],
    ['expired', true, false],
    ['skipped', true, false],
    ['duplicate', true, false],
    ['superseded', true, false],
    ['cancelled', true, false],
  ];

  it.each(table)('%s: final %s, deploys or has deployed %s', (status, final, alive) => {
    expect(isFinal(status)).toBe(final);
    expect(isAlive(status)).toBe(alive);
  });
});

describe('the id of an entry', () => {
  it('contains its number, which entryNumber returns', () => {
    const id = entryId('0123456789abcdef0123', 42);
    expect(id).toBe('0123456789abcdef0123000000000042');
    expect(entryNumber(id)).toBe(42);
  });

  it.each([
    '',
    '42',
    '0123456789abcdef0123',
    `${'g'.repeat(20)}000000000042`,
    `${'0'.repeat(32)}1`,
    `${'A'.repeat(20)}000000000042`,
  ])('is not %j', (id) => {
    expect(entryNumber(id)).toBeNull();
  });

  it('is in an address with an escaped user name', () => {
    const address = entryAddress('https://hooks.example.com', { user: 'a/b', id: 'x' });
    expect(address).toBe('https://hooks.example.com/1/status/a%2Fb/changes/x');
  });
});

describe('the commit of an entry', () => {
  it('is named by owner, repository and id, as far as they are known', () => {
    expect(commitName(entry())).toBe(`ann/shop/${sha('a')}`);
    expect(commitName(entry({ sha: null }))).toBe('ann/shop');
    expect(commitName(entry({ repository: null }))).toBeNull();
  });
});

/** Packed when entries were first packed; such ones are kept for ever. */
const KEPT = 'g5criXl5SCWJOVIAg4ofpCTtXnR42+H5qUq1AA==';
const JSON_OF_KEPT = '{"user":"ann","number":7,"status":"ok","message":"Größe"}';

it('An entry is packed to a fraction of its JSON, and unpacked as it was', () => {
  const json = JSON.stringify(entry({ message: 'Größe €', reason: null }));
  expect(packedJson(json).byteLength).toBeLessThan(json.length / 3);
  expect(unpackedJson(packedJson(json))).toBe(json);
});

it('An entry that was packed by an earlier version is unpacked', () => {
  expect(unpackedJson(Buffer.from(KEPT, 'base64'))).toBe(JSON_OF_KEPT);
});
