import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { project } from '../support/service/place.ts';

/** A script of the benchmark in a separate process. */
export interface Child<Ready> {
  /** What it printed when it was ready. */
  readonly ready: Ready;
  /** Ends the process by ending its standard input. Returns the last line that it printed. */
  close(): Promise<string>;
}

/** Starts `test/bench/<script>` and waits for its first line, which is JSON. */
export async function startChild<Ready>(script: string, args: readonly string[]): Promise<Child<Ready>> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(project, 'test/bench', script), ...args], {
    cwd: project,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout);
  const [line] = await Promise.race([once(lines, 'line'), failed(child, script)]);
  let last = String(line);
  lines.on('line', (text) => {
    last = text;
  });
  return {
    ready: JSON.parse(last),
    close: async () => {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'close');
      return last;
    },
  };
}

async function failed(child: ChildProcess, script: string): Promise<never> {
  const [code] = await once(child, 'exit');
  throw new Error(`${script} ended with ${code} before it was ready.`);
}
