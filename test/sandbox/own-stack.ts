import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deletion } from './checklist/creation.ts';

const STACK = 'hooks-sandbox';

/** What the tests of the sandbox are run with. */
export interface Sandbox {
  /** The arguments after `npm run test:sandbox --`. */
  readonly given: readonly string[];
  /** Runs a program; returns its exit code. */
  run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number>;
  /** Returns the sentences that say what a stack of its own costs. */
  expectedCost(stack: string): Promise<string>;
  /** Whether somebody types the name of the stack. */
  isConfirmed(stack: string): Promise<boolean>;
  /** Milliseconds. */
  now(): number;
  print(text: string): void;
}

/**
 * Runs the tests of the sandbox, with `--deploy` against a stack of its own, which it deletes afterwards. Returns the
 * exit code of the first step that failed.
 */
export async function testSandbox(sandbox: Sandbox): Promise<number> {
  const { given, run } = sandbox;
  const others = given.filter((one) => one !== '--deploy' && one !== '--yes');
  const npm = (args: readonly string[], env: NodeJS.ProcessEnv) => run('npm', ['run', '--silent', ...args], env);
  const tests = (env: NodeJS.ProcessEnv) =>
    run('npx', ['vitest', 'run', '--config', 'test/sandbox/vitest.config.ts', ...others], env);
  if (!given.includes('--deploy')) return tests(process.env);
  sandbox.print(await sandbox.expectedCost(STACK));
  const checked = await npm(['deploy', '--', '--stack', STACK, '--dry-run'], process.env);
  if (checked !== 0) return checked;
  if (!given.includes('--yes') && !(await sandbox.isConfirmed(STACK))) return 1;
  // A login of its own: the one of this machine stays.
  const home = mkdtempSync(join(tmpdir(), 'sandbox-'));
  const env = { ...process.env, XDG_CONFIG_HOME: home, SANDBOX_STACK: STACK };
  let status: number;
  let isDeleted = false;
  try {
    const deployed = await npm(['deploy', '--', '--stack', STACK, '--parameters', 'DefaultBranch=main'], env);
    const sample = deployed === 0 ? await run('.ci/deploy-sample', [], env) : deployed;
    status = sample === 0 ? await tests(env) : sample;
  } finally {
    isDeleted = await deleteStack(sandbox, () => npm(['destroy', '--', '--stack', STACK, '--yes'], env));
    rmSync(home, { recursive: true, force: true });
  }
  return status === 0 && !isDeleted ? 1 : status;
}

/** Returns whether the stack was deleted, in the time that is expected. */
async function deleteStack({ now, print }: Sandbox, destroy: () => Promise<number>): Promise<boolean> {
  const begun = now();
  if ((await destroy()) !== 0) {
    print(`The stack ${STACK} is still there: npm run destroy -- --stack ${STACK}`);
    return false;
  }
  const { title, expected, answer } = deletion;
  try {
    print(`${title}: ${answer(now() - begun)} (expected: ${expected})`);
    return true;
  } catch (error) {
    print(`${title}: ${error instanceof Error ? error.message : error}`);
    return false;
  }
}
