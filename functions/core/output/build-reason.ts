import { stripVTControlCharacters } from 'node:util';
import { shortLines } from './short-lines.ts';

/** Lines around what a build in CodeBuild prints: CodeBuild's own lines come before and after. */
export const BUILD_BEGINS = '--- build begins';
export const BUILD_ENDS = '--- build ends';
/** The prefix of the line with the reason of its failure. */
export const BUILD_FAILED = '--- error: ';

const LONGEST_REASON = 300;
/** Lines of npm that say how it was called, not what went wrong. */
const npmDetail = /^(?:code|path|command|syscall|errno|workspace|location|A complete log|Lifecycle script|\s)/;
const npmLine = /^npm (?:error|ERR!) ?/;
/** Lines that repeat that something failed, after the line that says what. */
const noise =
  /^(?:npm (?:error|ERR!|notice|warn)|\s*at |\s*ELIFECYCLE|error Command failed|info Visit|Node\.js v|\s*$)/;
const words = /\b(?:[A-Z]\w*Error|ERR_\w+|error|failed|fatal|cannot|not found)\b/i;

/**
 * Returns what the output of a failed command says about the reason, as the end of a sentence: npm's error code and
 * message, else the first line that speaks of an error, else the last line. Empty when nothing was printed.
 */
export function reasonIn(output: readonly string[]): string {
  const lines = shortLines(output).map((line) => stripVTControlCharacters(line));
  const text = fromNpm(lines) ?? firstError(lines) ?? lines.findLast((line) => !noise.test(line)) ?? '';
  // One sentence: the full stop is the caller's.
  const short = text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .slice(0, LONGEST_REASON)
    .replace(/[.:]+$/, '');
  return short === '' ? '' : `: ${short}`;
}

function fromNpm(lines: readonly string[]): string | undefined {
  const errors = lines.flatMap((line) => (npmLine.test(line) ? [line.replace(npmLine, '')] : []));
  const message = errors.find((line) => line.trim() !== '' && !npmDetail.test(line));
  const code = errors.find((line) => line.startsWith('code '))?.slice(5);
  // A number is the exit code of a script, whose own output says more.
  if (message === undefined || code === undefined || /^\d+$/.test(code)) return undefined;
  return `${code}: ${message}`;
}

function firstError(lines: readonly string[]): string | undefined {
  const own = lines.filter((line) => !noise.test(line));
  const at = own.findIndex((line) => words.test(line) && !line.startsWith('> '));
  // "error during build:" is a heading; the line below it has the message.
  return own[at]?.trimEnd().endsWith(':') ? `${own[at]} ${own[at + 1] ?? ''}` : own[at];
}
