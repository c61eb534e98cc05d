import { parseAllDocuments, YAMLParseError } from 'yaml';
import { DeployError } from '../../../core/errors.ts';
import { isObject, lineAndColumn } from '../../../core/json.ts';
import { oneLine } from '../../../core/text.ts';

/** The largest CI configuration that is read, in bytes; the longest in use have a tenth of it. */
export const maxConfigBytes = 128 * 1024;

/**
 * The settings of a YAML file; null when the file is empty. Of several documents the first counts, as for Ruby's
 * parser. Anchors, `<<` and unknown tags are fine; a key given twice has the last value, as CI providers see it.
 *
 * Throws `deploy:provider:not_supported`, not retryable, that names the file and, where known, line and column: a file
 * that cannot be read may hold the push, so nothing is deployed.
 */
export function readYaml(text: string, path: string): Readonly<Record<string, unknown>> | null {
  const [value] = parse(text, path, 1);
  if (value === null || value === undefined) return null;
  if (isObject(value)) return value;
  throw unreadable(path, 'line 1 does not start a map of settings');
}

/**
 * The values of all documents of a YAML file, whatever they are; none when the file is empty. Limits and errors are those
 * of `readYaml`.
 */
export function readYamlDocuments(text: string, path: string): readonly unknown[] {
  return parse(text, path, Number.POSITIVE_INFINITY);
}

function parse(text: string, path: string, most: number): readonly unknown[] {
  const bytes = new TextEncoder().encode(text).byteLength;
  if (bytes > maxConfigBytes) throw unreadable(path, `it has ${bytes} bytes, at most ${maxConfigBytes} are read`);
  try {
    // Pretty errors are off: with thousands of faults, drawing each takes seconds.
    const options = { merge: true, uniqueKeys: false, prettyErrors: false, logLevel: 'error' } as const;
    const documents = parseAllDocuments(text, options).slice(0, most);
    const fault = documents.flatMap(({ errors }) => errors)[0];
    if (fault !== undefined) throw fault;
    return documents.map((document): unknown => document.toJS({ maxAliasCount: 50 }));
  } catch (error) {
    throw unreadable(path, problemOf(error, text), error);
  }
}

function problemOf(error: unknown, text: string): string {
  if (error instanceof ReferenceError) return 'its aliases cannot be resolved, or expand to far too much';
  if (!(error instanceof YAMLParseError))
    return error instanceof RangeError ? 'it nests too deeply' : 'the parser gave up';
  const { line, column } = lineAndColumn(text, error.pos[0]);
  // The parser reports its own overflowing stack as a fault of the text.
  const what = /call stack/i.test(error.message) ? 'it nests too deeply' : (oneLine(error.message, 120) ?? error.code);
  return `${what}, at line ${line}, column ${column}`;
}

function unreadable(path: string, problem: string, cause?: unknown): DeployError {
  const detail = `${path} cannot be read: ${problem}. Nothing is deployed, because it may ask to wait for CI.`;
  return new DeployError('deploy:provider:not_supported', detail, { retry: false, cause });
}
