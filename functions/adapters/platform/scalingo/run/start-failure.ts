import { isObject, parseJson } from '../../../../core/json.ts';
import { lastError } from '../../../../core/output/diagnosis.ts';
import type { Failure } from '../../provider/build-failure.ts';
import { DID_NOT_START, linesSince, shownFailure } from '../../provider/start-failure.ts';
import type { ScalingoParts } from '../parts.ts';
import { isOwn, lastLogLines } from './app-log.ts';
import { readValues } from './variables.ts';

const CODE = 'deploy:platform:start_app';
/** Scalingo unpacks images there. */
const FOLDER = '/app';

interface FailedStart {
  readonly run: string;
  /** When it began; RFC 3339. */
  readonly since: string;
  /** The output of the deployment, which is shown when the application has printed nothing. */
  readonly output?: readonly string[];
}

/** Returns why a version did not start, and what it printed, without the values of its variables. */
export async function startFailure(status: string, failed: FailedStart, parts: ScalingoParts): Promise<Failure> {
  const own = await printed(failed, parts);
  const log = own.length > 0 ? own : (failed.output ?? []).filter((line) => line.trim() !== '');
  return shownFailure({ reason: reasonOf(status, own), log }, () => readValues(failed.run, { code: CODE, parts }));
}

/** Returns the application's output since its start. */
async function printed({ run, since }: FailedStart, parts: ScalingoParts): Promise<readonly string[]> {
  const read = async () => (await lastLogLines(run, parts)).filter(isOwn);
  const lines = await linesSince({ read, since, isComplete: (all) => all.length > 0 }, parts.clock);
  return lines.map(({ line }) => line);
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

/** Returns a failure that is stored as JSON in the item of a snapshot. */
export function failureIn(text: string): Failure {
  const parsed = parseJson(text);
  const { reason, log } = parsed.ok && isObject(parsed.value) ? parsed.value : {};
  const lines = Array.isArray(log) ? log.filter((line) => typeof line === 'string') : [];
  return { reason: typeof reason === 'string' ? reason : DID_NOT_START, log: lines };
}
