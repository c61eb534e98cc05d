import { randomUUID } from 'node:crypto';
import { ACCOUNT, REGION } from '../clients.ts';
import type { BuildRecord } from './build-record.ts';
import { buildArn } from './builder.ts';
import type { Project } from './project.ts';

/**
 * Returns the event that CodeBuild sends when the status of a build changes.
 *
 * @see https://docs.aws.amazon.com/codebuild/latest/userguide/sample-build-notifications.html#sample-build-notifications-ref
 */
export function buildEvent(build: BuildRecord, project: Project | undefined): object {
  const { type = '', image = '', computeType = '' } = project?.environment ?? {};
  const variables = Object.entries(build.variables).map(([name, value]) => ({ name, type: 'PLAINTEXT', value }));
  const phases = build.phases.map((phase) => ({
    'phase-type': phase.type,
    'start-time': time.format(phase.startedAt),
    ...(phase.status !== undefined && { 'phase-status': phase.status }),
    ...(phase.endedAt !== undefined && {
      'end-time': time.format(phase.endedAt),
      'duration-in-seconds': Math.round((phase.endedAt - phase.startedAt) / 1000),
    }),
    ...(phase.failure !== undefined && { 'phase-context': [`COMMAND_EXECUTION_ERROR: ${phase.failure}`] }),
  }));
  const current = build.phases.at(-1)?.type ?? 'SUBMITTED';
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
      'additional-information': {
        artifact: { location: '' },
        environment: {
          image,
          'privileged-mode': false,
          'compute-type': computeType,
          type,
          'environment-variables': variables,
        },
        'timeout-in-minutes': build.timeoutMinutes,
        'build-complete': build.status !== 'IN_PROGRESS',
        initiator: 'local',
        'build-start-time': time.format(build.startedAt),
        source: { type: 'NO_SOURCE' },
        logs: {
          'group-name': build.logGroup,
          'stream-name': build.logStream,
          'deep-link': `https://console.aws.amazon.com/cloudwatch/home?region=${REGION}#logEvent:group=${build.logGroup};stream=${build.logStream}`,
        },
        phases,
      },
      'current-phase': current,
      'current-phase-context': '[]',
      version: '1',
    },
  };
}

/** `Sep 1, 2017 4:14:28 PM`, as the events have it. */
const time = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });
