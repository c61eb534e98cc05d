import { stripVTControlCharacters, styleText } from 'node:util';
import type { Row } from '../changes-client/row.ts';

/** A colour of `styleText`. */
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
const MAX_REASON_LENGTH = 160;

/** Returns a change as one line: time, entry, application, status and reason. `seenAt` is for rows without a time. */
export function changeLine(row: Row, { colour, seenAt }: { colour: boolean; seenAt: Date }): string {
  // The caller decides on colours, not the output of this process.
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

/** Returns the application, the repository while the application is unknown, or the provider for a call without a commit. */
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

/** Text from outside must not move the cursor or end the line. */
function plain(text: string): string {
  return stripVTControlCharacters(text).replace(/\p{Cc}+/gu, ' ');
}

function shortened(text: string): string {
  return text.length > MAX_REASON_LENGTH ? `${text.slice(0, MAX_REASON_LENGTH - 1)}…` : text;
}
