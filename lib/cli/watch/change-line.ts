import { stripVTControlCharacters, styleText } from 'node:util';
import type { Row } from '../changes-client/row.ts';

/** A colour as `styleText` knows it. */
type Colour = 'green' | 'red' | 'yellow' | 'cyan' | 'dim';

const colours: ReadonlyMap<string, Colour> = new Map([
  ['ok', 'green'],
  ['error', 'red'],
  ['expired', 'red'],
  ['held', 'yellow'],
  ['queued', 'cyan'],
  ['running', 'cyan'],
]);

const STATUS_WIDTH = 'superseded'.length;
const LONGEST_REASON = 160;

/** A change on one line: when, which entry, of what, its status and why. `seenAt` stands in for a row without a time. */
export function changeLine(row: Row, { colour, seenAt }: { colour: boolean; seenAt: Date }): string {
  // Whether colours are welcome is the caller's to say, not that of this process's output.
  const paint = (style: Colour, text: string) => (colour ? styleText(style, text, { validateStream: false }) : text);
  const at = row.doc?.updated_at ? new Date(row.doc.updated_at) : seenAt;
  const status = plain(row.status).padEnd(STATUS_WIDTH);
  const parts = [
    paint('dim', time(at)),
    `#${entryNumber(row.id)}`,
    plain(subject(row)),
    paint(colours.get(row.status) ?? 'dim', status),
    shortened(plain(why(row))),
  ];
  return parts.join('  ').trimEnd();
}

/** The last 12 digits of an entry's id are its number. */
function entryNumber(id: string): string {
  return /(\d{12})$/.exec(id)?.[1]?.replace(/^0+(?=\d)/, '') ?? '?';
}

/** The application; before its name is known, the repository; for a call about no commit, who called. */
function subject({ app_name, commit, provider }: Row): string {
  const repository = commit?.replace(/\/[0-9a-f]{40,64}$/i, '');
  return app_name || repository || provider || '-';
}

function why({ error, doc }: Row): string {
  if (error) return [error.code, error.detail].filter(Boolean).join('  ');
  return doc?.reason ?? '';
}

function time(at: Date): string {
  return at.toTimeString().slice(0, 8);
}

/** What others wrote must not move the cursor or end the line. */
function plain(text: string): string {
  return stripVTControlCharacters(text).replace(/\p{Cc}+/gu, ' ');
}

function shortened(text: string): string {
  return text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON - 1)}…` : text;
}
