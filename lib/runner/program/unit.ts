import { createRequire } from 'node:module';
import { bundledRunner, openFolder, programOptions, type RunnerOptions, versionOf } from './start.ts';

/** Runs the runner of a folder in this process, which a service manager has started. Throws `OperatorError`. */
export async function runHere(options: Omit<RunnerOptions, 'warn'>): Promise<void> {
  const { folder } = options;
  await openFolder(folder);
  const program = await bundledRunner();
  process.argv[2] = JSON.stringify(programOptions(options, versionOf(program)));
  process.chdir(folder);
  createRequire(program)(program);
}
