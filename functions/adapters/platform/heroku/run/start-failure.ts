import { DeployError } from '../../../../core/errors.ts';
import { type Exit, whyItEnded } from '../../../../core/output/diagnosis.ts';
import { linesSince, shownFailure } from '../../provider/start-failure.ts';
import type { HerokuParts } from '../parts.ts';
import { readConfig } from './config.ts';
import { isOwn, type LogLine, lastLogLines } from './log-session.ts';
import type { NotUp } from './until-up.ts';

const CODE = 'deploy:platform:start_app';
/** Heroku unpacks slugs there. */
const FOLDER = '/app';

interface FailedRelease {
  readonly run: string;
  /** When the release was made; RFC 3339. */
  readonly since: string;
}

/** Returns why a release does not run, with what it printed, without the values of its variables. */
export async function startFailure(error: NotUp, release: FailedRelease, parts: HerokuParts): Promise<DeployError> {
  const lines = await printed(release, parts);
  const own = lines.filter(isOwn).map(({ line }) => line);
  const failure = { reason: reasonOf(error.why, lines, own), log: own };
  const shown = await shownFailure(failure, () => readConfig(release.run, { code: CODE, parts }));
  return new DeployError(CODE, shown.reason, { retry: false, logTail: shown.log, cause: error });
}

/** Returns the lines that were printed since the release. */
export function printed({ run, since }: FailedRelease, parts: HerokuParts): Promise<readonly LogLine[]> {
  const read = () => lastLogLines(run, parts);
  return linesSince({ read, since, isComplete: (lines) => lines.some(isEnd) }, parts.clock);
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
