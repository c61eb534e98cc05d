import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';

const RecordSchema = v.object({ owner: v.string(), name: v.string(), private: v.boolean() });

/** Owner, name and visibility of a bare repository, in a file that git ignores. */
export type RepositoryRecord = v.InferOutput<typeof RecordSchema>;

/** Returns the record of a bare repository; throws when there is none. */
export function readRecord(folder: string): RepositoryRecord {
  return v.parse(RecordSchema, JSON.parse(readFileSync(join(folder, 'repohost.json'), 'utf8')));
}

/** Writes the record of a bare repository that is not in use yet. */
export function writeRecord(folder: string, record: RepositoryRecord): void {
  writeFileSync(join(folder, 'repohost.json'), `${JSON.stringify(record)}\n`);
}
