import { describe, expect, it } from 'vitest';
import { changeOf as fromItem } from '../../../../../functions/adapters/stores/dynamodb/items.ts';
import { changeOf as fromRow } from '../../../../../functions/adapters/stores/sqlite/documents.ts';
import type { Entry } from '../../../../../functions/core/entry/entry.ts';
import { packedJson } from '../../../../../functions/core/entry/packed.ts';
import { entry } from '../../../../support/entries.ts';

const fromDynamodb = (json: string) => fromItem({ doc: { B: packedJson(json) } });
const fromSqlite = (json: string) => fromRow({ doc: json, patch: '{}' });
const pullRequest = { number: 7, parent: 'shop' };

describe.each([
  ['DynamoDB', fromDynamodb],
  ['SQLite', fromSqlite],
])('an entry of version 1.0.0 in %s, which has no kind', (_, read) => {
  it.each<readonly [string, boolean, Entry]>([
    ['a push', false, entry({ ci: { waits: true, because: 'The hook says so' }, skipsCi: ['travis'] })],
    ['the result of a build', true, entry({ kind: 'build', provider: 'travis' })],
    ['a preview', false, entry({ pullRequest })],
    ['an operation on a preview', false, entry({ operation: 'rollback', pullRequest })],
    [
      'the call that closes a pull request',
      false,
      entry({ operation: 'remove', pullRequest: { ...pullRequest, closed: true } }),
    ],
    ['a removal with its place in the order', false, entry({ operation: 'remove', order: 9 })],
  ])('is read as %s', (_what, fromBuild, stored) => {
    const { kind: __, order: place, ...others } = stored;
    expect(read(JSON.stringify({ ...others, fromBuild, place }))).toEqual(stored);
  });
});
