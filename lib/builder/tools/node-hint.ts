import { shortLines } from '../../../functions/core/output/short-lines.ts';

/** The newest release with long-term support: https://github.com/nodejs/Release#release-schedule */
export const NEWEST_LTS = '26';

/** Errors of Node, or of frameworks that check its version, when the Node is too old. */
const TOO_OLD: readonly RegExp[] = [
  /\brequires? (?:at least )?Node(?:\.js)?\b|\bNode(?:\.js)? (?:version )?.{0,40}\b(?:is not supported|is required)\b/i,
  /ERR_PNPM_UNSUPPORTED_ENGINE|The engine "node" is incompatible|npm error notsup Required: .*"node"/,
  /ERR_REQUIRE_ESM|ERR_UNKNOWN_BUILTIN_MODULE|No such built-in module: node:|ERR_UNKNOWN_FILE_EXTENSION.*\.ts\b/,
  /requested module 'node:[\w/]+' does not provide an export named|: bad option: --/,
  // Functions and globals that came with Node 20 to 26.
  /\.(?:difference|symmetricDifference|intersection|union|isSubsetOf|isSupersetOf|withResolvers|fromAsync|groupBy|toSorted|toReversed|toSpliced|styleText|globSync|registerHooks) is not a function/,
  /\b(?:File|CustomEvent|WebSocket|navigator|Iterator|URLPattern|Temporal) is not defined/,
  /Invalid regular expression flags|SyntaxError: Unexpected token 'with'/,
];
/** Errors of old packages on a Node that is too new for them. */
const TOO_NEW: readonly RegExp[] = [
  /ERR_OSSL_EVP_UNSUPPORTED|digital envelope routines::unsupported|\bprimordials is not defined/,
];

/**
 * Returns a sentence, with a full stop and a space before it, when an output looks like that of a Node that is too old or too new
 * for the application; else nothing. `node` is the version that it ran on, such as `v20.11.0`; default: the one that Node
 * prints when an application ends with an error.
 */
export function nodeHint(output: readonly string[], node = printedNode(output)): string {
  if (node === undefined) return '';
  const lines = shortLines(output);
  const says = (patterns: readonly RegExp[]) => lines.some((line) => patterns.some((one) => one.test(line)));
  const remedy = `name another one in package.json: "engines": { "node": "`;
  if (Number.parseInt(node.slice(1), 10) < Number(NEWEST_LTS) && says(TOO_OLD)) {
    return `. Node ${node} may be too old for it; ${remedy}${NEWEST_LTS}.x" }`;
  }
  return says(TOO_NEW) ? `. Node ${node} is too new for its packages; update them, or ${remedy}16.x" }` : '';
}

/** Returns a sentence, as `nodeHint`, when a command of a build has asked git for what a tarball does not have. */
export function gitHint(output: readonly string[]): string {
  const asksGit = shortLines(output).some((line) => line.includes('fatal: not a git repository'));
  return asksGit ? '. What is built is no clone: the id of the commit is in the variable SOURCE_VERSION' : '';
}

const REFUSED = /\b(?:40[134]|E401|E403|E404|ENEEDAUTH|YN00(?:35|41)|unauthorized|forbidden|not found)\b/i;

/**
 * Returns a sentence, as `nodeHint`, when a registry has refused a package and the settings of the package manager name a
 * variable that is not set: `${NPM_TOKEN}`.
 */
export function tokenHint(
  output: readonly string[],
  settings: string,
  variables: Readonly<Record<string, string>>,
): string {
  const lines = settings.split('\n').filter((line) => !/^\s{0,9}[#;]/.test(line));
  const named = lines.flatMap((line) => [...line.matchAll(/\$\{(\w{1,100})\}/g)]);
  const missing = named.map(([, name = '']) => name).find((name) => !variables[name]);
  if (missing === undefined || !shortLines(output).some((line) => REFUSED.test(line))) return '';
  return `. Its settings name the variable ${missing}, which is not set: "hooks env set ${missing}=-"`;
}

function printedNode(output: readonly string[]): string | undefined {
  return /^Node\.js (v\d+\.\d+\.\d+)$/.exec(output.findLast((line) => line.startsWith('Node.js v')) ?? '')?.[1];
}
