import { type Entry, type EntryFields, entryId } from '../../functions/core/entry/entry.ts';
import { type CiChoice, type Kind, kindOf, type Operated, type Operation } from '../../functions/core/entry/kinds.ts';
import type { AppendRequest, DeployLog, Draft, DraftFields } from '../../functions/core/ports/log.ts';

/** When everything in these tests begins, in milliseconds since 1970. */
export const AT = Date.parse('2026-01-01T00:00:00Z');
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;

/** Returns a recognisable commit id: one hex digit, forty times. */
export const sha = (digit: string): string => digit.repeat(40);

/** The repository that the entries are about. */
export const repository = { host: 'memory', owner: 'ann', name: 'shop', url: null, private: false } as const;

/** Fields of an entry of any kind: unless it is a build, they show which. */
export type Patch<F = DraftFields> = Partial<F> & {
  readonly kind?: Kind['kind'];
  readonly operation?: Operation | undefined;
  readonly pullRequest?: Operated['pullRequest'] | undefined;
  readonly ci?: CiChoice | undefined;
  readonly skipsCi?: readonly string[] | undefined;
  readonly formerName?: string;
};

/** A push of commit `aaaa…` to `master`, as the webhook drafts it. */
export function draft(patch: Patch<DraftFields> = {}): Draft {
  return {
    user: 'ann',
    uuid: '00000000-0000-4000-8000-000000000000',
    base: 'https://hooks.example.com',
    appName: null,
    status: 'queued',
    provider: 'github',
    repository,
    sha: sha('a'),
    branch: 'master',
    ref: 'refs/heads/master',
    before: null,
    forced: false,
    message: 'First',
    author: 'Ann',
    delivery: null,
    receivedAt: AT,
    updatedAt: AT,
    finishedAt: null,
    reason: null,
    error: null,
    stages: [],
    snapshot: null,
    url: null,
    logTail: [],
    stage: 'check',
    tarball: null,
    manifest: null,
    ...patch,
    kind: patch.kind === 'build' ? 'build' : kindOf(patch),
  } as Draft;
}

/** The same as an entry of the log, the user's first. */
export function entry(patch: Patch<EntryFields> = {}): Entry {
  const number = patch.number ?? 1;
  return { number, id: entryId('0'.repeat(20), number), seq: number, ...draft(patch) } as Entry;
}

/** What all stages know of a deploy that has passed the first one. */
export const checked = { status: 'running', appName: 'shop', snapshot: '1.0.0-1' } as const;

/** Writes a push into a log. */
export async function append(
  log: DeployLog,
  patch: Patch<DraftFields> = {},
  more: Partial<AppendRequest> = {},
): Promise<Entry> {
  const payload = new TextEncoder().encode('{}');
  const result = await log.append({ draft: draft(patch), payload, isNewestPush: true, dueAt: AT + MINUTE, ...more });
  if ('entry' in result) return result.entry;
  throw new Error(`It is a duplicate of ${result.duplicateOf}.`);
}

/**
 * The same beside other writers: on a busy machine one of them can lose to the others for longer than the log tries.
 */
export async function appendAmongOthers(log: DeployLog, patch: Patch = {}): Promise<Entry> {
  for (;;) {
    try {
      return await append(log, patch);
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('in conflict with other writers'))) throw error;
    }
  }
}
