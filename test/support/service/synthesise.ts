import { synthesis } from '../../../lib/local/synthesis.ts';
import { forgetGrants, reviewGrants } from './grants.ts';
import { project, testAssembly } from './place.ts';

/**
 * Synthesises the stack once for all tests that run it. After a run of all of them it prints what functions may do
 * though no test needs it.
 */
export default async function setup(): Promise<() => void> {
  forgetGrants();
  await synthesis({ project, outdir: testAssembly });
  return () => {
    const rows = reviewGrants();
    if (rows.length > 0) console.warn(['Remove these grants, or list them with a reason:', ...rows].join('\n'));
  };
}
