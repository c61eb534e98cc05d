/** The files of a project, as vitest takes them. */
export interface TestFiles {
  readonly include: string[];
  readonly exclude: string[];
}

/**
 * The projects of the suite. A file says by its folder and by the end of its name where it belongs:
 * `.slow`: starts processes or takes megabytes of input. `.long`: takes many seconds, for what is seldom or what other files
 * of `npm test` show in short. `.looks`: compares pictures of the page. `.alone`: shares no
 * process with other files, because it counts what its process has open, or sets the environment from which the clients
 * of AWS are made. `.both`: holds on the engine and on the stack.
 */
export const projects = {
  /** Seconds: `npm run test:unit`. */
  unit: {
    include: ['test/unit/**/*.test.ts'],
    exclude: ['test/unit/lib/**/*.test.ts', ...['slow', 'long', 'looks'].map((end) => `test/unit/**/*.${end}.test.ts`)],
  },
  /** The rest of test/unit: applications, git, the command line. */
  programs: {
    include: ['test/unit/lib/**/*.test.ts', 'test/unit/**/*.slow.test.ts'],
    exclude: ['test/unit/lib/stack/**/*.test.ts', 'test/unit/**/*.long.test.ts', 'test/unit/**/*.looks.test.ts'],
  },
  /** The whole service on one machine. */
  service: { include: ['test/service/**/*.test.ts'], exclude: ['test/service/**/*.long.test.ts'] },
  /** The rest of these three, which `npm test` has no time for: `npm run test:long`. */
  long: { include: ['unit', 'service'].map((folder) => `test/${folder}/**/*.long.test.ts`), exclude: [] },
  /** Pictures of the page: `npm run test:looks`. */
  looks: { include: ['test/unit/**/*.looks.test.ts'], exclude: [] },
  /** The template of the stack. From here on: `npm run test:aws`. */
  stack: { include: ['test/unit/lib/stack/**/*.test.ts'], exclude: [] },
  /** What talks to AWS, on emulators. */
  emulated: {
    include: ['builder', 'cli', 'functions'].map((folder) => `test/aws/${folder}/**/*.test.ts`),
    exclude: ['test/aws/**/*.alone.test.ts'],
  },
  /** The emulators themselves: `npm run test:emulators`. */
  emulators: { include: ['test/aws/emulators/**/*.test.ts'], exclude: ['test/aws/**/*.alone.test.ts'] },
  alone: { include: ['test/aws/**/*.alone.test.ts'], exclude: [] },
  /** The stack, synthesised once, on emulators. */
  aws: { include: ['test/aws/*.test.ts', 'test/aws/service/*.test.ts', 'test/service/**/*.both.test.ts'], exclude: [] },
} satisfies Record<string, TestFiles>;

/** What `npm test` runs: `unit`, `programs` and `service`. */
export const inOne: TestFiles = {
  include: ['unit', 'service'].map((folder) => `test/${folder}/**/*.test.ts`),
  exclude: ['test/unit/lib/stack/**/*.test.ts', ...['long', 'looks'].map((end) => `test/**/*.${end}.test.ts`)],
};
