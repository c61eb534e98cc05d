import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/**
 * Adds the names of the tests that failed to the file FAILED_TESTS, one per line, so that `.ci/run` can print those of
 * all its runs at its end. Without the variable it does nothing.
 */
export default class FailedTests implements Reporter {
  readonly #file = process.env.FAILED_TESTS;

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly { readonly message: string }[]): void {
    if (!this.#file) return;
    const unhandled = unhandledErrors.map(({ message }) => `Unhandled error: ${message.split('\n')[0]}`);
    const names = [...modules.flatMap(failuresOf), ...unhandled];
    appendFileSync(this.#file, names.map((name) => `${name}\n`).join(''));
  }
}

/** The failed tests of a file; the file itself when it could not be collected, or a hook of it failed. */
function failuresOf(module: TestModule): string[] {
  const file = relative(process.cwd(), module.moduleId);
  const failed = [...module.children.allTests('failed')].map((test) => `${file} > ${test.fullName}`);
  if (failed.length > 0 || module.ok()) return failed;
  return [`${file} > the file itself: it did not load, or a hook failed`];
}
