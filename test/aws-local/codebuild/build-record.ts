/** A phase of a build; times in epoch milliseconds. */
interface BuildPhase {
  readonly type: string;
  readonly status?: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** Why it failed, in CodeBuild's words. */
  readonly failure?: string;
}

export type BuildStatus = 'IN_PROGRESS' | 'SUCCEEDED' | 'FAILED' | 'FAULT' | 'STOPPED' | 'TIMED_OUT';

/** A build as CodeBuild keeps it. */
export interface BuildRecord {
  /** Of a UUID; the id of the build is `<project>:<uuid>`. */
  readonly uuid: string;
  readonly project: string;
  readonly number: number;
  readonly status: BuildStatus;
  readonly variables: Readonly<Record<string, string>>;
  readonly timeoutMinutes: number;
  readonly logGroup: string;
  readonly logStream: string;
  readonly phases: readonly BuildPhase[];
  readonly startedAt: number;
  readonly endedAt?: number;
  /** The idempotency token and what it was used with. */
  readonly token?: { readonly value: string; readonly request: string };
}

export function idOf({ project, uuid }: Pick<BuildRecord, 'project' | 'uuid'>): string {
  return `${project}:${uuid}`;
}
