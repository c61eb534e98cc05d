import type { AppOutput, OutputLine } from '../../../../core/ports/apps/app-output.ts';
import { providerAppOutput } from '../../provider/app-output.ts';
import type { ScalingoParts } from '../parts.ts';
import { followLog, isOwn, type LogLine, lastLogLines } from './app-log.ts';

/** Repeated when a log is followed, so that no line between the last lines and the stream is missed. */
const LINES_BEFORE_FOLLOWING = 200;

/** Returns the output of applications on Scalingo. */
export function scalingoAppOutput(parts: ScalingoParts): AppOutput {
  return providerAppOutput(parts, {
    last: async (run, wanted) => (await lastLogLines(run, parts, wanted)).flatMap(outputLine),
    follow: async (run, { after, signal }) => {
      const lines = after === undefined ? 0 : LINES_BEFORE_FOLLOWING;
      // Without lines of before, all that come are new, whatever the clocks say.
      const at = after ?? new Date(0).toISOString();
      return { at, batches: outputLines(followLog(run, { lines, signal }, parts)) };
    },
  });
}

async function* outputLines(
  batches: AsyncGenerator<readonly LogLine[]>,
): AsyncGenerator<readonly OutputLine[], undefined> {
  for await (const lines of batches) yield lines.flatMap(outputLine);
  return undefined;
}

/** The router's line for each request would hide what the application prints. */
function outputLine(logged: LogLine): OutputLine[] {
  const { at, source, line } = logged;
  return source === 'router' ? [] : [{ at, stream: isOwn(logged) ? 'stdout' : 'platform', line }];
}
