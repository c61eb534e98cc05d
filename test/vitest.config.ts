import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { inOne, projects } from './projects.ts';
import { keepTemporaryFilesHere } from './support/temporary-files.ts';

keepTemporaryFilesHere();
/**
 * More than the cores, because tests wait for processes and pauses half of their time: with four on two cores, a sixth of
 * the processor time is left. Each may run a whole service with its applications in about a gigabyte.
 */
const WORKERS = Math.min(Math.ceil(2.5 * availableParallelism()), 8);

/** Longer than what the helpers wait for, so that their errors say what did not happen. */
const patient = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } };

/**
 * What lasts longest is begun first, also where a file of contracts is small: otherwise a run ends with one worker that is
 * not done yet.
 */
const LONGEST = [
  'test/unit/lib/page/views.long',
  'test/unit/lib/platform/output.long',
  'test/service/push-to-deploy',
  'test/aws/functions/',
  'test/service/',
  'test/aws/service/',
  'test/unit/functions/pipeline',
  'test/unit/lib/',
];

/** Project after project: a worker that gets a file of another project ends, and the next loads all modules again. */
class ProjectByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex((folder) => moduleId.includes(folder));
      return place < 0 ? LONGEST.length : place;
    };
    const longestFirst = (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
    const projects = longestFirst.map(({ project }) => project.name);
    const order = ({ project }: TestSpecification) => projects.indexOf(project.name);
    return longestFirst.toSorted((one, other) => order(one) - order(other));
  }
}

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    globalSetup: ['test/support/watch-parents.ts', 'test/support/temporary-files.ts'],
    setupFiles: ['test/support/cheap-passwords.ts'],
    reporters: ['default', 'test/support/failed-tests.ts'],
    // A minute for milliseconds of work: beside other programs a test may wait for its turn.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // What is polled for comes late on a busy machine; the default is one second.
    expect: { poll: { timeout: 30_000 } },
    // The projects load the same modules: each is transformed once, and again when it has changed. `npm ci` removes the cache.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: ProjectByProject },
    pool: 'forks',
    maxWorkers: WORKERS,
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    projects: [
      // A worker loads what the files import once, in a third of the time; so what a test changes in its process, it
      // undoes. It takes files of one project only: `default` is `unit`, `programs` and `service` in one.
      { extends: true, test: { name: 'default', isolate: false, ...inOne, ...patient } },
      { extends: true, test: { name: 'unit', isolate: false, ...projects.unit } },
      { extends: true, test: { name: 'programs', isolate: false, ...projects.programs, ...patient } },
      { extends: true, test: { name: 'service', isolate: false, ...projects.service, ...patient } },
      { extends: true, test: { name: 'long', isolate: false, ...projects.long, ...patient } },
      { extends: true, test: { name: 'looks', ...projects.looks } },
      { extends: true, test: { name: 'stack', isolate: false, ...projects.stack } },
      { extends: true, test: { name: 'emulated', isolate: false, ...projects.emulated } },
      { extends: true, test: { name: 'emulators', isolate: false, ...projects.emulators } },
      { extends: true, test: { name: 'alone', ...projects.alone } },
      {
        extends: true,
        test: {
          name: 'aws',
          ...projects.aws,
          ...patient,
          isolate: false,
          // What is polled for takes requests to the stack.
          expect: { poll: { ...patient.expect.poll, interval: 250 } },
          env: { SERVICE: 'stack' },
          globalSetup: ['test/support/service/synthesise.ts', 'test/support/service/review-grants.ts'],
        },
      },
    ],
  },
});
