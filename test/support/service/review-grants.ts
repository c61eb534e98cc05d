import { appendFileSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { forgetGrants, notEvaluated, reviewGrants } from './grants.ts';

/** Lists the principals that are not evaluated, and makes a run of all tests fail when functions may do what no test needs, and nobody has reviewed that. */
export default function setup(tests: TestProject): () => Promise<void> {
  forgetGrants();
  return async () => {
    for (const line of notEvaluated()) console.log(`Not evaluated by the emulators: ${line}`);
    const difference = (await isWhole(tests)) ? reviewGrants() : null;
    if (difference === null) return;
    console.error(difference);
    // Where the names of failed tests are collected, as by failed-tests.ts.
    if (process.env.FAILED_TESTS)
      appendFileSync(process.env.FAILED_TESTS, 'grants that differ from the reviewed list\n');
    process.exitCode = 1;
  };
}

/** Whether every test of every file has run and passed: what was not tried may need any grant. */
async function isWhole(tests: TestProject): Promise<boolean> {
  const { testFiles } = await tests.globTestFiles();
  const run = tests.vitest.state.getTestModules().filter(({ project: { name } }) => name === tests.name);
  const passed = run.filter(
    (module) => module.ok() && [...module.children.allTests()].every((test) => test.result().state === 'passed'),
  );
  const names = new Set(passed.map(({ moduleId }) => moduleId));
  return testFiles.every((file) => names.has(file));
}
