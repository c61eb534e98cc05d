import type { AppOutput, OutputLine } from '../../../../core/ports/apps/app-output.ts';
import { providerAppOutput } from '../../provider/app-output.ts';
import type { HerokuParts } from '../parts.ts';
import { type LogLine, lastLogLines, openLog, readLog } from './log-session.ts';

/** Returns the output of applications on Heroku. */
export function herokuAppOutput(parts: HerokuParts): AppOutput {
  return providerAppOutput(parts, {
    last: async (run) => (await lastLogLines(run, parts)).flatMap(outputLine),
    follow: async (run, { signal }) => {
      const session = await openLog(run, true, parts);
      return { at: session.at, batches: outputLines(readLog(session, signal, parts)) };
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
function outputLine({ at, source, line }: LogLine): OutputLine[] {
  if (source === 'heroku[router]') return [];
  const isOwn = source.startsWith('app[') && source !== 'app[api]';
  return [{ at, stream: isOwn ? 'stdout' : 'platform', line }];
}
