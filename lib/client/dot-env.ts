/** A `.env`, or a line of it, that cannot be read. The message names the line and quotes nothing: it may be a secret. */
export class DotEnvError extends Error {
  override readonly name = 'DotEnvError';
}

const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*/;
const QUOTED = { "'": /^'([^']*)'/, '"': /^"((?:[^"\\]|\\[\s\S])*)"/, '`': /^`([^`]*)`/ } as const;
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/**
 * Returns the variables of a `.env`, the last value of each. Values may be in quotes, and then have several lines;
 * `\n`, `\"` and the like are read in double quotes only. `#` begins a comment after a space. Throws a `DotEnvError`.
 */
export function readDotEnv(text: string): Readonly<Record<string, string>> {
  const values = new Map<string, string>();
  if (text.includes('\0')) throw new DotEnvError('It is UTF-16, or not a text file; save it as UTF-8.');
  let rest = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const total = rest.length;
  while (rest !== '') {
    const blank = /^[ \t]*(?:#[^\n]*)?(?:\n|$)/.exec(rest);
    if (blank) {
      rest = rest.slice(blank[0].length);
      continue;
    }
    const [start, name] = ASSIGNMENT.exec(rest) ?? [];
    if (start === undefined || name === undefined) throw unreadable(text, total - rest.length, 'is not NAME=value');
    const { value, length } = valueAt(rest.slice(start.length));
    if (value === null) throw unreadable(text, total - rest.length, 'has a quote that does not end, or text after it');
    values.set(name, value);
    rest = rest.slice(start.length + length);
  }
  return Object.fromEntries(values);
}

/** Returns the variables of a `.env` that an application may be given, and a sentence on those that it may not. */
export function importedFrom(text: string): {
  readonly variables: ReturnType<typeof readDotEnv>;
  readonly leftOut: string;
} {
  const { PORT, HOST, ...variables } = readDotEnv(text);
  const setByPlatform = Object.entries({ PORT, HOST }).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return {
    variables,
    leftOut: setByPlatform.length > 0 ? `Left out, because the platform sets them: ${setByPlatform.join(', ')}.` : '',
  };
}

function valueAt(text: string): { readonly value: string | null; readonly length: number } {
  const [line = ''] = /^[^\n]*\n?/.exec(text) ?? [];
  const quote = text[0] as keyof typeof QUOTED;
  if (!Object.hasOwn(QUOTED, quote)) return { value: line.replace(/(?:^|[ \t])#.*/, '').trim(), length: line.length };
  const [whole = '', inner = ''] = QUOTED[quote].exec(text) ?? [];
  const end = /^[ \t]*(?:#[^\n]*)?(?:\n|$)/.exec(text.slice(whole.length));
  if (whole === '' || !end) return { value: null, length: 0 };
  const value = quote === '"' ? inner.replace(/\\([\s\S])/g, (pair, one: string) => escaped(pair, one)) : inner;
  return { value, length: whole.length + end[0].length };
}

/** A backslash before another letter, as in a path of Windows, stays. */
function escaped(pair: string, one: string): string {
  return ESCAPED[one] ?? (/["\\$`]/.test(one) ? one : pair);
}

function unreadable(text: string, at: number, problem: string): DotEnvError {
  const line = text.replaceAll('\r\n', '\n').slice(0, at).split('\n').length;
  return new DotEnvError(`Line ${line} ${problem}.`);
}

/** Returns variables as a `.env`, which `readDotEnv`, dotenv and shells read alike where they can. */
export function dotEnvText(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${quoted(value)}\n`)
    .join('');
}

function quoted(value: string): string {
  if (/^[\w.,:/@%+=-]*$/.test(value)) return value;
  if (!/['\r]/.test(value)) return `'${value}'`;
  const inner = value
    .replace(/["\\$`]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
  return `"${inner}"`;
}
