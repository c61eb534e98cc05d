import { watchParents } from '../lib/local/parent-watch.ts';
import { synthesis } from '../lib/local/synthesis.ts';
import { project, testAssembly } from './local/place.ts';

/**
 * Synthesises the stack once for all tests that run it, and ends the run when whoever started it is gone, so that a kill
 * of npm leaves nothing behind.
 */
export default async function setup(): Promise<void> {
  watchParents(() => process.exit(1));
  await synthesis({ project, outdir: testAssembly });
}
