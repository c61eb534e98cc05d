import { parseArgs } from 'node:util';
import { OperatorError } from '../processes/operator-error.ts';

/** Where the applications of one machine run. */
export const PLATFORMS = ['embedded', 'aws-lambda'] as const;
export type PlatformName = (typeof PLATFORMS)[number];

/** What the arguments of a start say. */
export interface StartArguments {
  readonly platform: PlatformName;
  /** Whether functions run as strictly as on AWS. */
  readonly strict: boolean;
}

const OPTIONS = {
  platform: { type: 'string', default: 'embedded' },
  strict: { type: 'boolean', default: false },
} as const;

/**
 * Reads the arguments of a start: `--platform aws-lambda`, without which the platform is the embedded one, and
 * `--strict`.
 *
 * @throws OperatorError for any other argument
 */
export function startArguments(words: readonly string[]): StartArguments {
  const { platform, strict } = parsed(words);
  const known = PLATFORMS.find((name) => name === platform);
  if (known === undefined || strict === undefined) throw unknownArguments(words);
  return { platform: known, strict };
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS }).values;
  } catch {
    throw unknownArguments(words);
  }
}

function unknownArguments(words: readonly string[]): OperatorError {
  const known = `--platform ${PLATFORMS.join(' or ')}, and --strict`;
  return new OperatorError(`npm start knows the options ${known}, not ${words.join(' ')}.`);
}
