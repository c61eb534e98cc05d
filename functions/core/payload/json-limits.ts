/** Deeper than any sender nests. Code that walks the value later can recurse without exhausting its stack. */
const MAX_DEPTH = 100;
/**
 * Five times the values of GitHub's largest push, which has 2048 commits. Parsing five million bytes of `{},` would
 * take a second and a hundred megabytes; counting takes a fiftieth of that.
 */
const MAX_VALUES = 250_000;
/** Twice the fields of GitHub's largest push. Parsing objects that all differ costs microseconds a field. */
const MAX_FIELDS = 100_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Returns which limit a JSON text exceeds, as the end of a sentence; null when it exceeds none. The text is not
 * validated. Linear in time.
 */
export function exceededLimit(text: string): string | null {
  let depth = 0;
  let values = 0;
  let fields = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) values += 1;
    else if (code === COLON) fields += 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
    if (depth > MAX_DEPTH) return `nests deeper than ${MAX_DEPTH} levels`;
    if (values > MAX_VALUES) return `has more than ${MAX_VALUES} values`;
    if (fields > MAX_FIELDS) return `has more than ${MAX_FIELDS} fields`;
  }
  return null;
}

/** Returns the index of the quote that ends the string that starts at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let from = start + 1; ; ) {
    const end = text.indexOf('"', from);
    if (end === -1) return text.length;
    let escapes = end;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1;
    // An odd number of backslashes escapes the quote.
    if ((end - escapes) % 2 === 0) return end;
    from = end + 1;
  }
}
