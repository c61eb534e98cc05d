import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { OperatorError } from './operator-error.ts';

/** What a JSON file of secrets holds, or `empty` when there is none yet; parsed by `read`, which throws on a wrong shape. */
export function readPrivate<T>(file: string, read: (value: unknown) => T, empty: T): T {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return empty;
    throw new OperatorError(`The file ${file} cannot be read: check its permissions.`, { cause: error });
  }
  try {
    return read(JSON.parse(text));
  } catch {
    // Without the cause: a parser's message quotes the text, and the text is secret.
    throw new OperatorError(`The file ${file} is damaged: restore it, or remove it to have new secrets made.`);
  }
}

/** Replaces the file in one step, readable by its owner only; a crash leaves the old or the new content, never a part. */
export function writePrivate(file: string, value: unknown): void {
  const next = `${file}.next`;
  writeFileSync(next, JSON.stringify(value), { mode: 0o600, flush: true });
  renameSync(next, file);
}
