import { DeployError } from '../../../../core/errors.ts';
import { type Exit, whyItEnded } from '../../../../core/output/diagnosis.ts';
import { oneLine } from '../../../../core/text.ts';
import { withoutValues } from '../../without-values.ts';
import type { HerokuParts } from '../parts.ts';
import { readConfig } from './config.ts';
import { type LogLine, lastLogLines } from './log-session.ts';
import type { NotUp } from './until-up.ts';

const CODE = 'deploy:platform:start_app';
/** Where Heroku unpacks what it runs. */
const FOLDER = '/app';
const MAX_LOG_LINES = 100;
const MAX_REASON_LENGTH = 400;
const LOG_TRIES = 4;
const LOG_PAUSE_MS = 1_000;

interface FailedRelease {
  readonly run: string;
  /** When the release was made. */
  readonly since: string;
}

/** Returns why a release does not run, with what it printed, without the values of its variables. */
export async function startFailure(error: NotUp, release: FailedRelease, parts: HerokuParts): Promise<DeployError> {
  const lines = await printed(release, parts);
  const own = lines.filter(({ source }) => source.startsWith('app[') && source !== 'app[api]').map(({ line }) => line);
  const detail = oneLine(reasonOf(error.why, lines, own), MAX_REASON_LENGTH) ?? 'The application did not start.';
  const variables = await readConfig(release.run, { code: CODE, parts }).catch(() => null);
  // Without the variables their values cannot be taken out of the lines.
  const shown = variables
    ? withoutValues([detail, ...own.slice(-MAX_LOG_LINES)], variables)
    : ['The application did not start.'];
  const [reason = '', ...logTail] = shown;
  return new DeployError(CODE, reason, { retry: false, logTail, cause: error });
}

/** Returns what has been printed since the release. The last lines reach the log some seconds late. */
export async function printed({ run, since }: FailedRelease, parts: HerokuParts): Promise<readonly LogLine[]> {
  for (let tries = 1; ; tries += 1) {
    const all = await lastLogLines(run, parts).catch(() => []);
    const lines = all.filter(({ at }) => Date.parse(at) >= Date.parse(since));
    if (lines.some(isEnd) || tries === LOG_TRIES) return lines;
    await parts.clock.sleep(LOG_PAUSE_MS);
  }
}

function isEnd({ source, line }: LogLine): boolean {
  return source.startsWith('heroku[') && /Process exited with status|Error R1\d|to crashed/.test(line);
}

/** Returns a sentence in the words of the embedded platform. https://devcenter.heroku.com/articles/error-codes */
export function reasonOf(why: NotUp['why'], lines: readonly LogLine[], own: readonly string[]): string {
  if (why === 'late') return 'The application did not start within 80 seconds.';
  const system = lines.filter(({ source }) => source.startsWith('heroku[')).map(({ line }) => line);
  if (system.some((line) => /Error R10/.test(line))) {
    return 'The application did not listen on the port of the variable PORT within 60 seconds.';
  }
  const status = system.flatMap((line) => /Process exited with status (\d+)/.exec(line)?.[1] ?? []).at(-1);
  const exit: Exit = { code: Number(status ?? 1), signal: null };
  const ended = whyItEnded(own, exit, FOLDER);
  return why === 'crashed' ? ended : `The command "release" of the Procfile failed: ${ended}`;
}
