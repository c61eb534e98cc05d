/** Shorter values (`1`, `true`) are not secret, and masking them would make a log unreadable. */
const MIN_SECRET_LENGTH = 6;

/**
 * Returns the lines without the values of these variables: an application may print its environment when it fails.
 */
export function withoutValues(
  lines: readonly string[],
  variables: Readonly<Record<string, string>>,
): readonly string[] {
  const secrets = Object.values(variables)
    .flatMap((value) => value.split('\n'))
    .filter((value) => value.length >= MIN_SECRET_LENGTH)
    .sort((one, other) => other.length - one.length);
  return lines.map((line) => secrets.reduce((text, secret) => text.replaceAll(secret, '***'), line));
}
