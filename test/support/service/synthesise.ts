import { synthesis } from '../../../lib/local/synthesis.ts';
import { project, testAssembly } from './place.ts';

/** Synthesises the stack once for all tests that run it. */
export default async function setup(): Promise<void> {
  await synthesis({ project, outdir: testAssembly });
}
