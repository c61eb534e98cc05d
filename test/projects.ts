/** Test files below test/unit, beside those of test/unit/lib, that start processes. They run in the project `programs`. */
export const STARTS_PROGRAMS: readonly string[] = [
  'test/unit/functions/adapters/platform/http/accounts-embedded.test.ts',
  'test/unit/functions/adapters/platform/http/hosting-embedded.test.ts',
  'test/unit/functions/adapters/senders/jenkins-pipeline.test.ts',
  'test/unit/functions/page/views.test.ts',
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
  'test/aws/functions/api-pair/handler.test.ts',
  'test/aws/emulators/websocket/limits.test.ts',
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

/** Folders of what needs an emulator, and no stack of the service. */
const ON_EMULATORS = ['cli', 'emulators', 'functions'].map((folder) => `test/aws/${folder}/**/*.test.ts`);

type Project = 'unit' | 'programs' | 'service' | 'emulators' | 'alone' | 'aws';

/** The projects of the suite, with the test files of each; every test file is in exactly one, but those on both engines. */
export const projects: Record<Project, TestFiles> = {
  /** Seconds: `npm run test:unit`. */
  unit: { include: WITHOUT_PROGRAMS, exclude: MOVED },
  /** The rest of test/unit: applications, git, synthesis. */
  programs: { include: ['test/unit/lib/**/*.test.ts', ...MOVED], exclude: [] },
  /** The whole service on one machine. */
  service: { include: ['test/service/**/*.test.ts'], exclude: [] },
  /** The emulators, and what talks to AWS, on them. From here on: `npm run test:aws`. */
  emulators: { include: ON_EMULATORS, exclude: [...ALONE] },
  /** Those of them that share no process with others. */
  alone: { include: [...ALONE], exclude: [] },
  /** The stack, synthesised once, on emulators. */
  aws: { include: ['test/aws/*.test.ts', 'test/aws/service/*.test.ts', ...ON_BOTH_ENGINES], exclude: [] },
};
