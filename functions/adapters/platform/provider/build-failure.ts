import { reasonIn } from '../../../core/output/build-reason.ts';
import { oneLine } from '../../../core/text.ts';

const MAX_LOG_LINES = 100;
const MAX_LINE_LENGTH = 1000;
const MAX_REASON_LENGTH = 400;

/** Why a build or a start failed, in one sentence, and the last lines that it printed. */
export interface Failure {
  readonly reason: string;
  readonly log: readonly string[];
}

/** Returns the reason and the last lines of a failed build, from the output of a buildpack. */
export function buildFailureIn(output: readonly string[]): Failure {
  const lines = output.map((line) => line.slice(0, MAX_LINE_LENGTH)).filter((line) => line.trim() !== '');
  // The provider's own lines say that something failed, after those that say what; the buildpack adds general advice.
  const advice = lines.findLastIndex((line) => /^-----> Build failed/.test(line));
  const printed = lines
    .slice(0, advice < 0 ? undefined : advice)
    .map((line) => line.trim())
    .filter((line) => !/^(?:-----> |! )/.test(line));
  const reason = oneLine(`The build failed${reasonIn(printed)}.`, MAX_REASON_LENGTH);
  return { reason: reason ?? 'The build failed.', log: lines.slice(-MAX_LOG_LINES) };
}
