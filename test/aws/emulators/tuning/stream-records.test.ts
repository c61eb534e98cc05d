import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startDynamoDb } from '../../../aws-local/emulators/dynamodb.ts';
import { indexStreamRecords } from '../../../aws-local/tuning/stream-records.ts';

describe("the emulator's stream records", () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stream-records-'));
    file = join(folder, 'database.sqlite');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('stream records are indexed from the first start on, so that the cost of a write is constant', async () => {
    await (await startDynamoDb({ file })).close();
    const query =
      'SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 FROM _stream_records WHERE table_name = ?';
    expect(JSON.stringify(planOf(file, query))).toMatch(/SEARCH .* INDEX stream_order/);
  });

  it('stream records are deleted after a day, except the newest, whose number the next one continues', async () => {
    await (await startDynamoDb({ file })).close();
    insert(file, ['1', 0], ['2', 0], ['3', Math.floor(Date.now() / 1000)]);
    expect(await indexStreamRecords(file)).toBe(true);
    expect(numbersIn(file)).toEqual(['3']);
  });

  it('a missing or damaged database is not changed', async () => {
    expect(await indexStreamRecords(file)).toBe(false);
    await writeFile(file, 'this is no database at all, but it is longer than a header would be'.repeat(20));
    expect(await indexStreamRecords(file)).toBe(false);
  });
});

function opened<T>(file: string, work: (database: InstanceType<typeof sqlite.Database>) => T): T {
  const database = new sqlite.Database(file);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    return work(database);
  } finally {
    database.close();
  }
}

function planOf(file: string, query: string): unknown {
  return opened(file, (database) => database.all(`EXPLAIN QUERY PLAN ${query}`, ['log']));
}

function insert(file: string, ...records: [sequence: string, at: number][]): void {
  opened(file, (database) => {
    for (const [sequence, at] of records) {
      database.run(
        `INSERT INTO _stream_records (table_name, event_name, keys_json, sequence_number, shard_id, created_at)
         VALUES ('log', 'INSERT', '{}', ?, 'shard', ?)`,
        [sequence, at],
      );
    }
  });
}

function numbersIn(file: string): unknown[] {
  return opened(file, (database) =>
    database.all('SELECT sequence_number FROM _stream_records').map((row) => row.sequence_number),
  );
}
