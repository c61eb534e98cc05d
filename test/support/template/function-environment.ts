import { stageNames } from '../../../functions/core/pipeline/pipeline.ts';

const platformParts = [
  ...['bucket', 'project', 'functionPrefix', 'appRole', 'adapterLayer', 'architecture', 'sealingKey'],
  ...['appTimeoutSeconds', 'appConcurrency'],
];

/** The variables that the functions read when they load; nothing at these addresses is called. */
export const functionEnvironment = {
  AWS_REGION: 'us-east-1',
  ...Object.fromEntries(
    [
      'LOG_TABLE',
      'PAYLOADS_TABLE',
      'CONNECTIONS_TABLE',
      'TARBALL_BUCKET',
      'TOKEN_KEY',
      'DEFAULT_BRANCH',
      'INTERNAL_API',
    ].map((name) => [name, 'test']),
  ),
  ...Object.fromEntries(
    [...stageNames, 'report'].map((name) => [`QUEUE_${name.toUpperCase()}`, 'http://127.0.0.1:1/q']),
  ),
  PLATFORM_TABLE: 'test',
  PLATFORM_PARTS: JSON.stringify(Object.fromEntries(platformParts.map((name) => [name, 'test']))),
  SIGNALS_URL: 'wss://127.0.0.1:1',
  INTERNAL_POST: 'https://127.0.0.1:1/inside',
  PUBLIC_POST: 'https://127.0.0.1:1/outside',
  CHANGES_SECONDS: '300',
  STREAMS_PER_USER: '5',
  STREAMS_IN_ALL: '5',
  HOLD_MINUTES: '60',
  RECONCILE_MINUTES: '60',
  PREVIEW_DAYS: '14',
  RETRY_BASE_SECONDS: '30',
  REPOSITORY_HOSTS: JSON.stringify([
    { name: 'github', kind: 'github', api: 'https://api.github.com', web: 'https://github.com' },
  ]),
};
