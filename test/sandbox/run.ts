// `npm run test:sandbox` runs these tests against the stack that is deployed. With `--deploy` it deploys one of its own first, after it
// has said what that costs and has been told to go on (`--yes` does not ask), and deletes it afterwards, also after a failure or Ctrl-C.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { exitOf } from '../../lib/process/command.ts';
import { testSandbox } from './own-stack.ts';

// Ctrl-C ends the step that runs; what was deployed is deleted all the same.
if (process.argv.includes('--deploy')) process.on('SIGINT', () => undefined);
process.exitCode = await testSandbox({
  given: process.argv.slice(2),
  run: async (program, args, env) => (await exitOf(spawn(program, args, { stdio: 'inherit', env }))).code ?? 1,
  // It synthesises the stack, which takes seconds.
  expectedCost: async (stack) => (await import('./expected-cost.ts')).expectedCost(stack),
  isConfirmed,
  now: () => performance.now(),
  print: (text) => console.log(text),
});

async function isConfirmed(stack: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    console.error('There is no terminal to ask at: --yes deploys without asking.');
    return false;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`Type ${stack} to go on: `).catch(() => '');
  terminal.close();
  return answer.trim() === stack;
}
