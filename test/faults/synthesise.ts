import { synthesis } from '../../lib/local/synthesis.ts';
import { project, testAssembly } from '../support/service/place.ts';

/** Synthesises the stack, unless it is as the sources are. The grants of a run of the other tests stay recorded. */
export default async function setup(): Promise<void> {
  await synthesis({ project, outdir: testAssembly });
}
