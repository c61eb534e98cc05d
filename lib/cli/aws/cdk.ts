import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitOf } from '../../process/command.ts';
import type { Call } from '../command.ts';
import { Failure } from '../errors.ts';
import type { Account } from './account.ts';

/** Runs the command line of the CDK with these arguments and returns its exit code. */
export type Cdk = (
  args: readonly string[],
  call: Pick<Call, 'env' | 'signal' | 'warn'>,
  account: Pick<Account, 'region'>,
) => Promise<number>;

const project = fileURLToPath(new URL('../../../', import.meta.url));
const program = join(project, 'node_modules', 'aws-cdk', 'bin', 'cdk');

/** The SDK's warning about the Node version does not apply: the functions run on a newer one. */
const WITHOUT_WARNING = { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' };

/**
 * The CDK of this checkout, which synthesises the stack and shows its own progress on standard error. It is a child
 * process, because its package has no interface for programs.
 */
export const cdkProgram: Cdk = async (args, { env, signal, warn }, { region }) => {
  if (!existsSync(program)) throw new Failure('The CDK is not installed: "npm ci" installs it, and "npm run deploy".');
  const child = spawn(process.execPath, [program, ...args], {
    cwd: project,
    stdio: ['inherit', 2, 2],
    // The CDK has its own default region.
    env: { ...env, AWS_REGION: region, AWS_DEFAULT_REGION: region, ...WITHOUT_WARNING },
    signal,
    killSignal: 'SIGINT',
  });
  // The error of an abort; a program that exists is started.
  child.on('error', () => undefined);
  const { code } = await exitOf(child);
  if (signal.aborted) warn('What CloudFormation has begun goes on; the same command waits for it and continues.');
  signal.throwIfAborted();
  return code ?? 1;
};
