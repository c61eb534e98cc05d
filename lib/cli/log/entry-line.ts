import { type Entry, numberOf, shaOf, subjectOf } from '../../client/entry.ts';
import { type Colour, dateTime, type Paint } from '../../terminal/draw.ts';
import { reasonOf } from '../service/entry.ts';

/** The colours of the statuses; all others are dim. */
export const statusColours: ReadonlyMap<string, Colour> = new Map([
  ['ok', 'green'],
  ['error', 'red'],
  ['crashed', 'red'],
  ['expired', 'red'],
  ['held', 'yellow'],
  ['queued', 'cyan'],
  ['running', 'cyan'],
]);

const SHA_LENGTH = 8;

/** Returns an entry as the cells of a line: number, time, application, status, commit, and why or where. */
export function entryCells(entry: Entry, paint: Paint): string[] {
  const { doc, status } = entry;
  return [
    `#${numberOf(entry)}`,
    paint('dim', doc ? dateTime(doc.received_at) : ''),
    subjectOf(entry),
    paint(statusColours.get(status) ?? 'dim', status),
    [doc?.branch, shaOf(entry)?.slice(0, SHA_LENGTH)].filter(Boolean).join(' '),
    outcome(entry),
  ];
}

/** Why the entry has its status; for one that is live, its message and address. */
function outcome(entry: Entry): string {
  const { doc, status } = entry;
  const message = doc?.message ? `“${doc.message}”` : '';
  if (status !== 'ok') return [doc?.operation, reasonOf(entry) || message, expiry(entry)].filter(Boolean).join('  ');
  return [doc?.operation, message, entry.url ?? doc?.url].filter(Boolean).join('  ');
}

function expiry({ status, expires_at }: Entry): string {
  return status === 'held' && expires_at ? `Expires ${dateTime(expires_at)}.` : '';
}
