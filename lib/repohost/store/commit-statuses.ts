import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as v from 'valibot';
import type { Folders, RepositoryName } from './folders.ts';

/** The body of `POST /repos/{owner}/{repo}/statuses/{sha}`, with GitHub's limits. */
export const NewStatus = v.object({
  state: v.picklist(['pending', 'success', 'failure', 'error']),
  target_url: v.optional(v.nullable(v.pipe(v.string(), v.url())), null),
  description: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(140))), null),
  context: v.optional(v.string(), 'default'),
});

const Stored = v.object({ ...NewStatus.entries, id: v.number(), created_at: v.string(), creator: v.string() });

export type StoredStatus = v.InferOutput<typeof Stored>;

/** The statuses of commits, in one append-only file per commit. */
export interface CommitStatuses {
  add(repository: RepositoryName, sha: string, status: Omit<StoredStatus, 'id' | 'created_at'>): Promise<StoredStatus>;
  /** Newest first, as GitHub lists them. */
  list(repository: RepositoryName, sha: string): Promise<readonly StoredStatus[]>;
}

export function commitStatusesIn(folders: Folders): CommitStatuses {
  return {
    async add(repository, sha, status) {
      const file = folders.statuses(repository, sha);
      const created_at = new Date().toISOString();
      const id = createHash('sha256').update(`${sha}${created_at}${status.context}`).digest().readUInt32BE(0);
      const stored = { ...status, id, created_at };
      await mkdir(dirname(file), { recursive: true });
      await appendFile(file, `${JSON.stringify(stored)}\n`);
      return stored;
    },
    async list(repository, sha) {
      const text = await readFile(folders.statuses(repository, sha), 'utf8').catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
        throw error;
      });
      return text.split('\n').flatMap(parseLine).reverse();
    },
  };
}

/** Leaves out a line that a crash cut off. */
function parseLine(line: string): StoredStatus[] {
  try {
    return [v.parse(Stored, JSON.parse(line))];
  } catch {
    return [];
  }
}
