import { Composer, type CST, Lexer, Parser, YAMLParseError } from 'yaml';
import { DeployError } from '../../../core/errors.ts';
import { isObject, lineAndColumn } from '../../../core/json.ts';
import { encodingProblem, oneLine } from '../../../core/text.ts';

/** The largest CI configuration that is read; the longest in use have a tenth of it. */
const MAX_CONFIG_BYTES = 128 * 1024;
/** Deeper than any configuration nests. The composer recurses, and near the end of its stack V8 can end the process. */
const MAX_DEPTH = 100;
/** Three times as many as in the longest configurations in use; as many errors take a tenth of a second. */
const MAX_LEXEMES = 10_000;

/**
 * Returns the map of settings of a YAML file; an empty one for an empty file. Of several documents the first counts, as
 * in Ruby's parser. Anchors, `<<` and unknown tags are accepted; of a repeated key the last value counts, as for the CI
 * providers.
 *
 * Throws `deploy:provider:not_supported`, not retryable, that names the file and, where known, line and column: a file
 * that cannot be read may hold the push, so nothing is deployed.
 */
export function readYamlMap(text: string, path: string): Readonly<Record<string, unknown>> {
  const value = firstDocument(text, path) ?? {};
  if (isObject(value)) return value;
  throw unreadable(path, 'line 1 does not start a map of settings');
}

function firstDocument(text: string, path: string): unknown {
  const bytes = new TextEncoder().encode(text).byteLength;
  const encoding = encodingProblem(text);
  if (encoding !== null) throw unreadable(path, `it ${encoding}`);
  if (bytes > MAX_CONFIG_BYTES) throw unreadable(path, `it has ${bytes} bytes, at most ${MAX_CONFIG_BYTES} are read`);
  try {
    // Pretty errors are off: with thousands of errors, formatting them takes seconds.
    const options = { merge: true, uniqueKeys: false, prettyErrors: false, logLevel: 'error' } as const;
    const composer = new Composer(options);
    const [document] = composer.compose(tokensOf(text), false, text.length);
    if (document?.errors[0] !== undefined) throw document.errors[0];
    return document?.toJS({ maxAliasCount: 50 });
  } catch (error) {
    throw unreadable(path, problemOf(error, text), error);
  }
}

/** A file is refused before anything of it is composed. */
class LimitExceeded extends Error {
  override readonly name = 'LimitExceeded';
}

/** Returns the syntax tree of a YAML text, which nothing has walked yet. Throws `LimitExceeded`. */
function tokensOf(text: string): readonly CST.Token[] {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    lexemes += 1;
    if (lexemes > MAX_LEXEMES) throw new LimitExceeded(`it has more than ${MAX_LEXEMES} words and signs`);
    tokens.push(...parser.next(lexeme));
    // The composer recurses once for each open collection.
    if (parser.stack.length > MAX_DEPTH) throw new LimitExceeded(`it nests deeper than ${MAX_DEPTH} levels`);
  }
  return [...tokens, ...parser.end()];
}

function problemOf(error: unknown, text: string): string {
  if (error instanceof ReferenceError) return 'its aliases cannot be resolved, or expand to far too much';
  if (error instanceof LimitExceeded) return error.message;
  if (!(error instanceof YAMLParseError)) return 'the parser gave up';
  const { line, column } = lineAndColumn(text, error.pos[0]);
  return `${oneLine(error.message, 120) ?? error.code}, at line ${line}, column ${column}`;
}

function unreadable(path: string, problem: string, cause?: unknown): DeployError {
  const detail = `${path} cannot be read: ${problem}. Nothing is deployed, because it may ask to wait for CI; "hooks redeploy" deploys the commit all the same.`;
  return new DeployError('deploy:provider:not_supported', detail, { retry: false, cause });
}
