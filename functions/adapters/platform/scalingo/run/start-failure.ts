import { isObject, parseJson } from '../../../../core/json.ts';
import { lastError } from '../../../../core/output/diagnosis.ts';
import { oneLine } from '../../../../core/text.ts';
import type { BuildFailure } from '../../provider/build-failure.ts';
import { withoutValues } from '../../without-values.ts';
import type { ScalingoParts } from '../parts.ts';
import { isOwn, type LogLine, lastLogLines } from './app-log.ts';
import { readVariables } from './variables.ts';

const CODE = 'deploy:platform:start_app';
/** Where Scalingo unpacks what it runs. */
const FOLDER = '/app';
const MAX_LOG_LINES = 100;
const MAX_REASON_LENGTH = 400;
const LOG_TRIES = 4;
const LOG_PAUSE_MS = 1_000;

interface FailedStart {
  readonly run: string;
  /** When it began; RFC 3339. */
  readonly since: string;
  /** What the deployment has printed, which says less than the application. */
  readonly output?: readonly string[];
}

/** Returns why a version did not start, and what it printed, without the values of its variables. */
export async function startFailure(status: string, failed: FailedStart, parts: ScalingoParts): Promise<BuildFailure> {
  const own = await printed(failed, parts);
  const shown = own.length > 0 ? own : (failed.output ?? []).filter((line) => line.trim() !== '');
  const reason = oneLine(reasonOf(status, own), MAX_REASON_LENGTH) ?? GENERAL;
  const variables = await readVariables(failed.run, { code: CODE, parts }).catch(() => null);
  // Without the variables their values cannot be taken out of the lines.
  const [first = GENERAL, ...log] = variables
    ? withoutValues(
        [reason, ...shown.slice(-MAX_LOG_LINES)],
        Object.fromEntries(variables.map(({ name, value }) => [name, value])),
      )
    : [GENERAL];
  return { reason: first, log };
}

const GENERAL = 'The application did not start.';

/** Returns what the application has printed since. The last lines reach the log some seconds late. */
async function printed({ run, since }: FailedStart, parts: ScalingoParts): Promise<readonly string[]> {
  for (let tries = 1; ; tries += 1) {
    const all = await lastLogLines(run, parts).catch((): readonly LogLine[] => []);
    const lines = all.filter((line) => isOwn(line) && Date.parse(line.at) >= Date.parse(since));
    if (lines.length > 0 || tries === LOG_TRIES) return lines.map(({ line }) => line);
    await parts.clock.sleep(LOG_PAUSE_MS);
  }
}

/** Returns a sentence in the words of the other platforms. https://developers.scalingo.com/deployments */
export function reasonOf(status: string, own: readonly string[]): string {
  if (status === 'timeout-error') {
    return 'The application did not listen on the port of the variable PORT within 60 seconds.';
  }
  const why = lastError(own, FOLDER) ?? endedWith(own);
  return status === 'hook-error' ? `The command "postdeploy" of the Procfile failed: ${why}` : why;
}

function endedWith(own: readonly string[]): string {
  const last = own.findLast((line) => line.trim() !== '' && !line.startsWith('Node.js v'));
  const end = 'The process ended before it answered';
  return last === undefined ? `${end}, without printing anything.` : `${end}; its last line was: ${last.trim()}`;
}

/** Returns a failure that is kept as JSON in the item of a snapshot. */
export function failureIn(text: string): BuildFailure {
  const parsed = parseJson(text);
  const { reason, log } = parsed.ok && isObject(parsed.value) ? parsed.value : {};
  const lines = Array.isArray(log) ? log.filter((line) => typeof line === 'string') : [];
  return { reason: typeof reason === 'string' ? reason : GENERAL, log: lines };
}
