import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { writeStateSync } from '../../files/state-file.ts';

const RecordSchema = v.object({ owner: v.string(), name: v.string(), private: v.boolean() });

/** Owner, name and visibility of a bare repository, in a file that git ignores. */
export type RepositoryRecord = v.InferOutput<typeof RecordSchema>;

/** Whether a folder is a repository of this host. */
export function hasRecord(folder: string): boolean {
  return existsSync(fileIn(folder));
}

/** Returns the record of a bare repository; throws when there is none. */
export function readRecord(folder: string): RepositoryRecord {
  return v.parse(RecordSchema, JSON.parse(readFileSync(fileIn(folder), 'utf8')));
}

/** Writes the record of a bare repository. */
export function writeRecord(folder: string, record: RepositoryRecord): void {
  writeStateSync(fileIn(folder), record);
}

function fileIn(folder: string): string {
  return join(folder, 'repohost.json');
}
