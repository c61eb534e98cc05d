import * as v from 'valibot';
import { keyedBy } from '../../../lib/files/state-file.ts';

const code = { sha256: v.string(), bytes: v.number() };

/** The settings of a version of a function; they never change, except for `$LATEST`. */
const settings = v.object({
  role: v.string(),
  runtime: v.string(),
  handler: v.string(),
  description: v.string(),
  timeoutSeconds: v.number(),
  memoryMb: v.number(),
  architecture: v.string(),
  layers: v.array(v.string()),
  variables: keyedBy(v.string(), v.string()),
  logGroup: v.string(),
  code: v.object(code),
});
export type FunctionSettings = v.InferOutput<typeof settings>;

const revision = v.object({
  settings,
  revisionId: v.string(),
  lastModified: v.string(),
  /** Epoch milliseconds until which Lambda is still working on it. */
  busyUntil: v.number(),
  /** Whether it is being created, or only changed. */
  isNew: v.boolean(),
});
/** A state of a function. */
export type Revision = v.InferOutput<typeof revision>;

const statement = v.object({
  id: v.string(),
  qualifier: v.optional(v.string()),
  action: v.string(),
  principal: v.string(),
  urlAuthType: v.optional(v.string()),
  viaUrl: v.optional(v.boolean()),
});
/** A statement of the policy of a function. */
export type Statement = v.InferOutput<typeof statement>;

const functionRecord = v.object({
  name: v.string(),
  tags: v.record(v.string(), v.string()),
  latest: revision,
  versions: v.record(v.string(), revision),
  /** Numbers are not given twice, even after their version was deleted. */
  lastVersion: v.number(),
  aliases: v.record(v.string(), v.object({ version: v.string(), description: v.string(), revisionId: v.string() })),
  /** By qualifier. */
  urls: v.record(v.string(), v.object({ port: v.number(), createdAt: v.string() })),
  statements: v.array(statement),
  reservedConcurrency: v.optional(v.number()),
});
/** A function as Lambda keeps it. */
export type FunctionRecord = v.InferOutput<typeof functionRecord>;

/** The content of the state file. */
export const FunctionRecords = v.record(v.string(), functionRecord);
