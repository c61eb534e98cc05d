import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { project } from '../support/service/place.ts';

/** A script of the benchmark in a separate process. */
export interface Child<Ready> {
  /** What it printed when it was ready. */
  readonly ready: Ready;
  /** Ends the process by ending its standard input. */
  close(): Promise<void>;
}

/** Starts `test/bench/<script>` and waits for its first line, which is JSON. */
export async function startChild<Ready>(script: string, args: readonly string[]): Promise<Child<Ready>> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(project, 'test/bench', script), ...args], {
    cwd: project,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), failed(child, script)]);
  return {
    ready: JSON.parse(String(line)),
    close: async () => {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

async function failed(child: ChildProcess, script: string): Promise<never> {
  const [code] = await once(child, 'exit');
  throw new Error(`${script} ended with ${code} before it was ready.`);
}
