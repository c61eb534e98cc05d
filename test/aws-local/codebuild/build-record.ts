import * as v from 'valibot';
import { keyedBy } from '../../../lib/files/state-file.ts';

const phase = v.object({
  type: v.string(),
  status: v.optional(v.string()),
  startedAt: v.number(),
  endedAt: v.optional(v.number()),
  /** Why it failed, in CodeBuild's words. */
  failure: v.optional(v.string()),
});
/** A phase of a build; times in epoch milliseconds. */
export type BuildPhase = v.InferOutput<typeof phase>;

const buildRecord = v.object({
  /** Of a UUID; the id of the build is `<project>:<uuid>`. */
  uuid: v.string(),
  project: v.string(),
  number: v.number(),
  status: v.picklist(['IN_PROGRESS', 'SUCCEEDED', 'FAILED', 'FAULT', 'STOPPED', 'TIMED_OUT']),
  variables: keyedBy(v.string(), v.string()),
  timeoutMinutes: v.number(),
  logGroup: v.string(),
  logStream: v.string(),
  phases: v.array(phase),
  startedAt: v.number(),
  endedAt: v.optional(v.number()),
  /** The idempotency token and what it was used with. */
  token: v.optional(v.object({ value: v.string(), request: v.string() })),
});
/** A build as CodeBuild keeps it. */
export type BuildRecord = v.InferOutput<typeof buildRecord>;
export type BuildStatus = BuildRecord['status'];

/** The content of the state file, oldest first. */
export const BuildRecords = v.array(buildRecord);

/** How a build was, without what its variables hold: they may be secret. */
export function idOf({ project, uuid }: Pick<BuildRecord, 'project' | 'uuid'>): string {
  return `${project}:${uuid}`;
}
