import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../../../lib/files/errors.ts';
import { lockInstance } from '../../../lib/process/instance-lock.ts';
import { synthesis } from '../../aws/service/synthesis.ts';
import { project, testAssembly, WAIT_LIMIT_MS } from './place.ts';

/** Synthesises the stack once for all tests that run it, also for those of another run of tests at the same time. */
export default async function setup(): Promise<void> {
  const unlock = await lock(`${testAssembly}.lock`);
  try {
    await synthesis({ project, outdir: testAssembly });
  } finally {
    unlock();
  }
}

async function lock(file: string): Promise<() => void> {
  const until = Date.now() + WAIT_LIMIT_MS;
  for (;;) {
    try {
      return await lockInstance(file);
    } catch (error) {
      if (!(error instanceof OperatorError) || Date.now() > until) throw error;
      await sleep(200);
    }
  }
}
