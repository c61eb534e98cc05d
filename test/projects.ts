/** Test files below test/unit/functions that start processes or emulators. They run in the project `programs`. */
export const STARTS_PROGRAMS: readonly string[] = [
  'test/unit/functions/adapters/platform/http/accounts-embedded.test.ts',
  'test/unit/functions/adapters/platform/in-table/accounts.test.ts',
  'test/unit/functions/adapters/platform/aws-lambda/emulated.test.ts',
  'test/unit/functions/adapters/platform/http/hosting-embedded.test.ts',
  'test/unit/functions/adapters/sealers/kms.test.ts',
  'test/unit/functions/adapters/senders/jenkins-pipeline.test.ts',
  'test/unit/functions/adapters/stores/connections.test.ts',
  'test/unit/functions/adapters/stores/failure-memory.test.ts',
  'test/unit/functions/adapters/stores/stream-leases.test.ts',
  'test/unit/functions/adapters/stores/dynamodb.test.ts',
  'test/unit/functions/adapters/stores/s3-tarballs.test.ts',
  'test/unit/functions/adapters/stores/tokens.test.ts',
  'test/unit/functions/api-pair/handler.test.ts',
  'test/unit/functions/page/views.test.ts',
  'test/unit/functions/pipeline.test.ts',
  'test/unit/hostile-text.test.ts',
];

/** Test files that feed megabytes of hostile input, which takes seconds. They run in the project `programs` too. */
export const FEEDS_MEGABYTES: readonly string[] = [
  'test/unit/functions/adapters/senders/registry.test.ts',
  'test/unit/functions/api-deploy/hostile-bodies.test.ts',
  'test/unit/functions/core/tarball/inspect.test.ts',
  'test/unit/functions/core/tarball/limits.test.ts',
];

/**
 * Test files that run in a process of their own: they count what it has open, or set the environment from which the
 * clients of AWS are made, once for each process.
 */
export const ALONE: readonly string[] = [
  'test/unit/functions/api-pair/handler.test.ts',
  'test/unit/lib/aws-local/websocket/limits.test.ts',
];

const WITHOUT_PROGRAMS = ['test/unit/functions/**/*.test.ts', 'test/unit/fakes/**/*.test.ts', 'test/unit/*.test.ts'];
const MOVED = [...STARTS_PROGRAMS, ...FEEDS_MEGABYTES];

/** The files of a project, as vitest takes them. */
export interface TestFiles {
  readonly include: string[];
  readonly exclude: string[];
}

/**
 * Tests of the service that its stack has to pass too: `npm run test:aws` runs them on the emulators.
 */
export const ON_BOTH_ENGINES: readonly string[] = [
  'test/service/applications.test.ts',
  'test/service/changes.test.ts',
  'test/service/configuration.test.ts',
  'test/service/pairing.test.ts',
  'test/service/push-to-deploy.test.ts',
];

/** The projects of the suite, with the test files of each; every test file is in exactly one, but those on both engines. */
export const projects: Record<'unit' | 'programs' | 'alone' | 'service' | 'aws', TestFiles> = {
  /** Seconds: `npm run test:unit`. */
  unit: { include: WITHOUT_PROGRAMS, exclude: MOVED },
  /** The rest of test/unit: emulators, applications, git, synthesis. */
  programs: { include: ['test/unit/lib/**/*.test.ts', ...MOVED], exclude: [...ALONE] },
  /** Those of them that share no process with others. */
  alone: { include: [...ALONE], exclude: [] },
  /** The whole service on one machine. */
  service: { include: ['test/service/**/*.test.ts'], exclude: [] },
  /** The stack, synthesised once, on emulators. */
  aws: { include: ['test/aws/**/*.test.ts', ...ON_BOTH_ENGINES], exclude: [] },
};
