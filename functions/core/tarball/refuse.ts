import { DeployError, type ErrorCode } from '../errors.ts';

export type TarCode = Extract<ErrorCode, `deploy:tar:${string}`>;

const QUOTED_CHARACTERS = 160;

/** Returns the error that refuses a tarball; `what` continues the sentence "The tarball …". */
export function refusal(code: TarCode, what: string, cause?: unknown): DeployError {
  return new DeployError(code, `The tarball ${what}.`, { cause });
}

/** Returns a name from an archive for a sentence: in quotes, shortened, without control characters. */
export function quoted(name: string): string {
  const shown = name.length > QUOTED_CHARACTERS ? `${name.slice(0, QUOTED_CHARACTERS)}…` : name;
  return JSON.stringify(shown).replaceAll(/\p{Cc}/gu, '?');
}
