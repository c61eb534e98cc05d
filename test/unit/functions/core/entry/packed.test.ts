import { expect, it } from 'vitest';
import { packedJson, unpackedJson } from '../../../../../functions/core/entry/packed.ts';
import { entry } from '../../../../support/entries.ts';

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
