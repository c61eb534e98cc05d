/** Stands where a secret stood. */
const MASK = '***';
/** Characters of a detail, of a line of a log, and lines of a log: an entry is copied with each of its changes. */
const DETAIL = 1000;
const LINE = 500;
const LINES = 40;

// Names whose value is a secret, wherever they end an identifier: `DB_PASSWORD`, `"apiToken"`, `_authToken`.
const secretName =
  '(?:passw(?:or)?d|passphrase|pwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credentials?)';
const value = String.raw`(?:"[^"]*"|'[^']*'|[^\s"',;&)}\]]+)`;

const masks: readonly (readonly [RegExp, string])[] = [
  // Credentials in an address, also those with a slash in them; what looks like a port is none.
  [/(:\/\/)[^\s/?#@'"]*@/g, `$1${MASK}@`],
  [/(:\/\/)[^\s:@/]+:(?!\d{1,5}\/)[^\s@]+@/g, `$1${MASK}@`],
  [/(\bauthorization["']?\s*[:=]\s*["']?)(?:(?:basic|bearer|token|digest)\s+)?[^\s"']+/gi, `$1${MASK}`],
  [/(\bbearer\s+)[\w~+/.=-]{6,}/gi, `$1${MASK}`],
  [/(\b[Bb]asic\s+)(?=\S*[A-Z\d=])[\w+/=-]{8,}/g, `$1${MASK}`],
  // What the issuers made recognisable: https://docs.github.com/authentication/keeping-your-account-and-data-secure/about-authentication-to-github#githubs-token-formats,
  // https://docs.gitlab.com/security/tokens/#token-prefixes, https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids
  [/\b(?:gh[a-z]_|github_pat_|glpat-|gl[a-z]{2,6}-|npm_|ATBB|ATCTT|xox[a-z]-|sk_live_|sk-)[\w-]{16,}/g, MASK],
  [/\b(?:AKIA|ASIA)[A-Z\d]{12,}/g, MASK],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, MASK],
  [new RegExp(`((?:--?)(?:[\\w-]*)${secretName}\\s+)${value}`, 'gi'), `$1${MASK}`],
  // A compiler's "Unexpected token: …" gives nothing away.
  [new RegExp(`((?<!unexpected )${secretName}["']?\\s*[:=]\\s*)${value}`, 'gi'), `$1${MASK}`],
  [new RegExp(`(\\b_auth["']?\\s*[:=]\\s*)${value}`, 'gi'), `$1${MASK}`],
];

/**
 * The text without what looks like a secret: credentials in addresses, `Authorization` and `Bearer` values, the tokens
 * that GitHub, GitLab, AWS, npm and others mark as theirs, JSON web tokens, and the values of `password=` and its like.
 * It takes too much rather than too little. Of a secret without any mark it cannot know.
 */
export function masked(text: string): string {
  return masks.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), text);
}

/** A sentence for an entry: masked, at most 1000 characters, the last one `…` when it was cut. */
export function maskedDetail(text: string): string {
  return cut(masked(text.slice(0, DETAIL * 4)), DETAIL);
}

/** The end of what a program printed, for an entry: masked, the last 40 lines, at most 500 characters each. */
export function maskedTail(lines: readonly string[]): readonly string[] {
  return withoutKeys(lines.slice(-LINES * 4))
    .slice(-LINES)
    .map((line) => cut(masked(printable(line.slice(0, LINE * 4))), LINE));
}

/** A private key fills many lines, of which only the first and the last tell what it is. */
function withoutKeys(lines: readonly string[]): readonly string[] {
  let inKey = false;
  return lines.flatMap((line) => {
    const begins = /-----BEGIN [\w ]*PRIVATE KEY-----/.test(line);
    const hidden = inKey && !begins;
    inKey = (inKey || begins) && !/-----END [\w ]*PRIVATE KEY-----/.test(line);
    if (begins) return [MASK];
    return hidden ? [] : [line];
  });
}

// Named, because a control character in a pattern is easily overlooked.
const controlStart = '\u001b';
const bell = '\u0007';
const terminalSequence = new RegExp(
  `${controlStart}(?:\\[[\\d;?]*[ -/]*[@-~]|\\][^${bell}${controlStart}]*(?:${bell}|${controlStart}\\\\)?|.)`,
  'g',
);

/** Without the sequences that colour a terminal, or command it. */
function printable(line: string): string {
  return line.replace(terminalSequence, '').replace(/(?!\t)\p{Cc}/gu, '');
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  // Never between the two halves of a character.
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
