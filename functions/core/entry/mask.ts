import { MAX_LINE_CHARACTERS } from '../output/short-lines.ts';

/** Replaces a secret. */
const MASK = '***';
// Limits, because an entry is copied with each of its changes.
const MAX_DETAIL_CHARACTERS = 1000;
const MAX_TAIL_CHARACTERS = 500;
const MAX_LINES = 40;

// Names of secrets, also at the end of an identifier: `DB_PASSWORD`, `"apiToken"`, `_authToken`.
const secretName =
  '(?:passw(?:or)?d|passphrase|pwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credentials?)';
const value = String.raw`(?:"[^"]*"|'[^']*'|[^\s"',;&)}\]]+)`;

// Anybody's text runs through them: each looks at a run of characters from one place only, so that they stay linear.
const masks: readonly (readonly [RegExp, string])[] = [
  // Credentials in an address, also with a slash in them; a port is not a password.
  [/(:\/\/)[^\s/?#@'"]*@/g, `$1${MASK}@`],
  [/(?<![^\s@])(?=[^\s@]+@)([^\s@]*?:\/\/)[^\s:@/]+:(?!\d{1,5}\/)[^\s@]+@/g, `$1${MASK}@`],
  [/(\bauthorization["']?\s*[:=]\s*["']?)(?:(?:basic|bearer|token|digest)\s+)?[^\s"']+/gi, `$1${MASK}`],
  [/(\bbearer\s+)[\w~+/.=-]{6,}/gi, `$1${MASK}`],
  [/(\b[Bb]asic\s+)(?=\S*[A-Z\d=])[\w+/=-]{8,}/g, `$1${MASK}`],
  // Tokens with the prefix of their issuer:
  // https://docs.github.com/authentication/keeping-your-account-and-data-secure/about-authentication-to-github
  // https://docs.gitlab.com/security/tokens/#token-prefixes
  // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids
  [/\b(?:gh[a-z]_|github_pat_|glpat-|gl[a-z]{2,6}-|npm_|ATBB|ATCTT|xox[a-z]-|sk_live_|sk-)[\w-]{16,}/g, MASK],
  [/\b(?:AKIA|ASIA)[A-Z\d]{12,}/g, MASK],
  [/(?<![\w-])(?=[\w-]+\.[\w-]+\.)([\w-]*?)\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, `$1${MASK}`],
  [new RegExp(`(${secretName}(?=\\s)(?<=-[\\w-]*)\\s+)${value}`, 'gi'), `$1${MASK}`],
  // A compiler's "Unexpected token: …" contains no secret, nor does `hooks env set TOKEN=-`, which reads it.
  [new RegExp(`((?<!unexpected )${secretName}["']?\\s*[:=]\\s*)(?!-(?:["'\\s]|$))${value}`, 'gi'), `$1${MASK}`],
  [new RegExp(`(\\b_auth["']?\\s*[:=]\\s*)${value}`, 'gi'), `$1${MASK}`],
];

/**
 * Returns a string with its secrets masked: credentials in addresses, values of `Authorization` and `Bearer`, tokens
 * with a prefix of GitHub, GitLab, AWS, npm and others, JSON web tokens, and the values of `password=` and similar
 * names. It masks too much rather than too little, but cannot recognise a secret without any of these.
 */
export function masked(text: string): string {
  return masks.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), text);
}

/**
 * Returns a sentence for an entry: masked, without direction marks, at most 1000 characters, the last one `…` when it
 * was cut.
 */
export function maskedDetail(text: string): string {
  return cut(masked(withoutMarks(text.slice(0, MAX_DETAIL_CHARACTERS * 4))), MAX_DETAIL_CHARACTERS);
}

/** Returns the end of a program's output for an entry: masked, the last 40 lines, at most 500 characters each. */
export function maskedTail(lines: readonly string[]): readonly string[] {
  return withoutKeys(lines.slice(-MAX_LINES * 4))
    .slice(-MAX_LINES)
    .map((line) => cut(masked(printable(line.slice(0, MAX_TAIL_CHARACTERS * 4))), MAX_TAIL_CHARACTERS));
}

/**
 * Returns a function that masks the lines of an output one after the other, and cuts them to 2000 characters; those of
 * a private key become empty.
 */
export function lineMasker(): (line: string) => string {
  const partOfKey = keyFinder();
  return (line) => {
    const part = partOfKey(line);
    if (part !== 'none') return part === 'first' ? MASK : '';
    return cut(masked(printable(line.slice(0, MAX_LINE_CHARACTERS * 2))), MAX_LINE_CHARACTERS);
  };
}

function withoutKeys(lines: readonly string[]): readonly string[] {
  const partOfKey = keyFinder();
  return lines.flatMap((line) => {
    const part = partOfKey(line);
    if (part === 'first') return [MASK];
    return part === 'rest' ? [] : [line];
  });
}

/** Finds private keys, which have many lines. Only the first and the last line identify them. */
function keyFinder(): (line: string) => 'first' | 'rest' | 'none' {
  let inKey = false;
  return (line) => {
    const begins = /-----BEGIN [\w ]*PRIVATE KEY-----/.test(line);
    const isInside = inKey && !begins;
    inKey = (inKey || begins) && !/-----END [\w ]*PRIVATE KEY-----/.test(line);
    if (begins) return 'first';
    return isInside ? 'rest' : 'none';
  };
}

const ESCAPE = '\u001b';
const BELL = '\u0007';
const terminalSequence = new RegExp(
  `${ESCAPE}(?:\\[[\\d;?]*[ -/]*[@-~]|\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?|.)`,
  'g',
);

/** Returns a line without escape sequences, control characters and direction marks. */
function printable(line: string): string {
  return withoutMarks(line.replace(terminalSequence, '').replace(/(?!\t)\p{Cc}/gu, ''));
}

/** Direction marks show a text in another order than it has (https://trojansource.codes). */
function withoutMarks(text: string): string {
  return text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '');
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  // Never between the two halves of a surrogate pair.
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Returns what is logged of an event: errors with stack and causes, in which secrets are masked. */
export function traceRecord(event: string, fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { error, ...rest } = fields;
  return { event, ...rest, ...(error !== undefined && { error: described(error) }) };
}

/** Errors may quote remote services. */
function described(error: unknown): unknown {
  if (!(error instanceof Error)) return masked(String(error));
  const { name, message, stack, cause } = error;
  return {
    name,
    message: masked(message),
    stack: stack && masked(stack),
    ...(cause !== undefined && { cause: described(cause) }),
  };
}
