/** Words that say no more than that something was done, and failed. */
const SAYS_NOTHING = new Set(
  `npm name a an the of in on at to with from for by and or during after while was were is are be has have it its this that all
  error errors err failed failure fail failing fatal exception rejection uncaught unhandled unknown aborted abort stop exit exited
  exiting code status signal could not cannot can unable oops something went wrong occurred
  build building built compile compiled compiling compilation bundle bundles bundling client server environment production
  command process script task run running runs start starting started load loading config configuration file stage step
  fetch request warning warnings warn info ms s see read more here information page pages rendering prerendering`.split(
    /\s+/,
  ),
);

/** Marks of tools before a message: `[vite]`, `(ssr)`, `➤ YN0000`. */
const TAG = /\[[\w:@./ -]{1,40}\]|\(\w+\)|\bYN\d{4}\b/g;
/** A path or an address with a line in it, or a position alone. */
const PLACE =
  /^(?:\[plugin[):,]*|\(?(?:file:|https?:|\.{0,2}\/|[\w@~-]+[./])[\w@.,[\]()/~:+-]*|[\d:.,-]+(?:(?:m?s|\))[):,]*)?)$/;
/** A frame of a stack, the source that is shown with a line number or as the origin of an exception, Node's remark on it. */
const FRAME =
  /^\(Use `node --trace|^\W*(?:\[\w[\w-]*\]\s*)?at (?:\S+ \(|\S+:\d+|async |new |Object|<)|^\s*(?:>\s*)?\d+\s*[│|]|^\s*throw\b|^node:internal\//;
/** How many have failed, which says of none what is wrong. */
const SUMMARY = /\b(?:\d+ (?:failed|errors?|problems?)|failed to compile \d+ files?)\b/i;
/** One line alone is a rule between parts. */
const CARETS = /^[\s│|·╵]*(?:[\^~]|──)[\s^~─]*$/;

/**
 * Whether a line says what went wrong, or anything: not one of brackets and boxes, of a stack or of shown source, one that announces
 * the lines below or work that goes on, one that is a place alone, or says only that something has failed.
 */
export function saysSomething(line: string): boolean {
  // A colon after a place precedes the source.
  if (/(?<!\d\)?):\s*$|[[{(]\s*$|(?:\.{3}|…)\s*$/.test(line) || FRAME.test(line) || SUMMARY.test(line)) return false;
  const words = line.replace(TAG, ' ').split(/[\s"'`,;!?|│║]+/);
  return words.some((word) => {
    const bare = bareWord(word).toLowerCase();
    return /\p{L}{2}/u.test(bare) && !SAYS_NOTHING.has(bare) && !PLACE.test(bare);
  });
}

const SPEAKS_OF_ERROR =
  /\b(?:[A-Z]\w*Error|ERR_\w+|error|failed|fail|fatal|invalid|cannot|not (?:found|supported)|no (?:such|\w+ (?:matching|(?:were |was )?found))|can['’]t|(?:could|does)(?:n['’]t| not)|must be)\b|^[\s\d:│└├─┬]*[✕✖✘×⨯] |^\s+x \S|^\s*not ok \d/i;

/** Whether a line has a word, or begins with a mark, that messages of errors have. */
export function speaksOfError(line: string): boolean {
  return SPEAKS_OF_ERROR.test(line);
}

/** Returns a word without the marks around it. */
function bareWord(word: string): string {
  const characters = [...word];
  const start = characters.findIndex((one) => /[\p{L}\p{N}./@$]/u.test(one));
  const end = characters.findLastIndex((one) => /[\p{L}\p{N}/]/u.test(one));
  return start === -1 ? '' : characters.slice(start, end + 1).join('');
}

/** Returns the lines without frames of stacks, and without the source that is shown above carets. */
export function withoutSource(lines: readonly string[]): readonly string[] {
  return lines.filter((line, index) => !FRAME.test(line) && !CARETS.test(line) && !CARETS.test(lines[index + 1] ?? ''));
}

/** Whether a line names a thing: in quotes, a path, a file, a variable, a port or a version. */
export function namesSomething(line: string): boolean {
  return /["'`][^"'`]+["'`]|\.?\/\w|\b(?!Node\.js)[\w-]+\.[a-z]{2,5}\b|\b(?!ERR_)[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|:\d|@[\d^~]/.test(
    line,
  );
}
