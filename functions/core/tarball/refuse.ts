import { DeployError, type ErrorCode } from '../errors.ts';

/** The codes with which a tarball is refused. */
export type TarCode = Extract<ErrorCode, `deploy:tar:${string}`>;

const QUOTED_CHARACTERS = 160;

/** The refusal of a tarball; `what` continues the sentence "The tarball …". */
export function refusal(code: TarCode, what: string, cause?: unknown): DeployError {
  return new DeployError(code, `The tarball ${what}.`, { cause });
}

/** A name from an archive as a sentence can show it: control characters escaped, of bearable length. */
export function quoted(name: string): string {
  const shown = name.length > QUOTED_CHARACTERS ? `${name.slice(0, QUOTED_CHARACTERS)}…` : name;
  return JSON.stringify(shown).replaceAll(/\p{Cc}/gu, '?');
}
