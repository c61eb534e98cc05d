import { OperatorError } from '../processes/operator-error.ts';

/** Where the applications of one machine run. */
export const PLATFORMS = ['embedded', 'aws-lambda'] as const;
export type PlatformName = (typeof PLATFORMS)[number];

/**
 * Returns the platform that the arguments of a start name: `--platform aws-lambda`. Without the option it is the
 * embedded one.
 *
 * @throws OperatorError for any other argument
 */
export function platformNamed(words: readonly string[]): PlatformName {
  const [option, value, ...more] = words.flatMap((word) => word.split(/^(--platform)=/).filter(Boolean));
  if (option === undefined) return 'embedded';
  const known = PLATFORMS.find((name) => name === value);
  if (option === '--platform' && known !== undefined && more.length === 0) return known;
  throw new OperatorError(`npm start knows one option, --platform ${PLATFORMS.join(' or ')}, not ${words.join(' ')}.`);
}
