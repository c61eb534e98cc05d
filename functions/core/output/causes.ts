import { namesSomething, saysSomething } from './says-something.ts';

/** Lines below an error in which Node prints what it has besides. */
const MOST_BELOW = 60;
const MOST_CAUSES = 3;
/** An error in a property of another one, or in its list: `[cause]: Error: …`, `original: Error: …`, `[errors]: [`. */
const CAUSE = /^(\s+)(?:\[?\w+\]?: )?\[?((?:[A-Z]\w*)?(?:Error|Exception)(?: \[\w+\])?: .+?)\]?(?: \{)?$/;
const isThrown = /^\W*(?:[A-Z]\w*)?(?:Error|Exception|Rejection)(?: \[\w+\])?:/;
/** What an error is about, when its message does not say it. */
const SUBJECT = /^\s+(?:input|path|url|hostname): '([^']{0,200})'/;

/**
 * Returns a message with the causes that are printed below it, each within the one before it, and with its subject when the last of
 * them names nothing. A message that says nothing gives way to its cause.
 */
export function withCauses(message: string, below: readonly string[]): string {
  const end = below.slice(0, MOST_BELOW).findIndex((line) => /^Node\.js v/.test(line));
  const block = below.slice(0, end < 0 ? MOST_BELOW : end);
  const said = [...(isThrown.test(message) || saysSomething(message) ? [message] : []), ...causesIn(block)];
  if (said.length === 0) return message;
  const chain = said.filter((one, at) => !said.slice(0, at).some((earlier) => earlier.includes(one)));
  const subject = block.flatMap((line) => SUBJECT.exec(line)?.[1] ?? [])[0];
  const isNamed =
    subject === undefined || chain.some((one) => one.includes(subject)) || namesSomething(said.at(-1) ?? '');
  const ending = isNamed ? [] : [`'${subject}'`];
  return [...chain, ...ending].map((one, at, all) => (at < all.length - 1 ? one.replace(/[.:]$/, '') : one)).join(': ');
}

function causesIn(block: readonly string[]): readonly string[] {
  const causes: string[] = [];
  let depth = 0;
  for (const line of block) {
    const [, indent = '', cause = ''] = CAUSE.exec(line) ?? [];
    if (indent.length <= depth || causes.length === MOST_CAUSES) continue;
    depth = indent.length;
    causes.push(cause.replace(/^Error: /, ''));
  }
  return causes;
}
