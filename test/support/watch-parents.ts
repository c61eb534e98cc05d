import { watchParents } from '../../lib/process/parent-watch.ts';

/** Ends the run when whoever started it is gone, so that a kill of npm leaves nothing behind. */
export default function setup(): void {
  watchParents(() => process.exit(1));
}
