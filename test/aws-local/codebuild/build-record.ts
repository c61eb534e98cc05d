import { randomUUID } from 'node:crypto';
import type { ProjectEnvironment } from '@aws-sdk/client-codebuild';
import { ACCOUNT, REGION } from '../clients.ts';

/** A phase of a build. */
interface BuildPhase {
  readonly type: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Once it has ended. */
  readonly status?: 'SUCCEEDED' | 'FAILED';
  /** Why it failed, in CodeBuild's words. */
  readonly failure?: string;
}

export type BuildStatus = 'IN_PROGRESS' | 'SUCCEEDED' | 'FAILED' | 'FAULT' | 'STOPPED' | 'TIMED_OUT';

/** A build as CodeBuild keeps it. */
export interface BuildRecord {
  /** Of a UUID; the id of the build is `<project>:<uuid>`. */
  readonly uuid: string;
  readonly project: string;
  readonly status: BuildStatus;
  readonly environment: ProjectEnvironment;
  readonly variables: Readonly<Record<string, string>>;
  readonly logGroup: string;
  readonly logStream: string;
  readonly phases: readonly BuildPhase[];
  readonly startedAt: number;
  /** The idempotency token and what it was used with. */
  readonly token?: { readonly value: string; readonly request: string };
}

type BuildName = Pick<BuildRecord, 'project' | 'uuid'>;

export function idOf({ project, uuid }: BuildName): string {
  return `${project}:${uuid}`;
}

function buildArn(build: BuildName): string {
  return `arn:aws:codebuild:${REGION}:${ACCOUNT}:build/${idOf(build)}`;
}

/**
 * Returns the event that CodeBuild sends when the status of a build changes, with what rules and functions may read here.
 *
 * @see https://docs.aws.amazon.com/codebuild/latest/userguide/sample-build-notifications.html#sample-build-notifications-ref
 */
export function buildEvent(build: BuildRecord): object {
  const variables = Object.entries(build.variables).map(([name, value]) => ({ name, type: 'PLAINTEXT', value }));
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'CodeBuild Build State Change',
    source: 'aws.codebuild',
    account: ACCOUNT,
    time: `${new Date().toISOString().slice(0, 19)}Z`,
    region: REGION,
    resources: [buildArn(build)],
    detail: {
      'build-status': build.status,
      'project-name': build.project,
      'build-id': buildArn(build),
      'additional-information': { environment: { 'environment-variables': variables } },
    },
  };
}
