import { basename } from 'node:path';
import { saysSomething, speaksOfError } from './says-something.ts';

/** Lines above a message in which its place is looked for. */
const MOST_ABOVE = 2;
const MARKS = new Set('│|╭┌╰,─-[]>→ \t');
/** A file with a line and a column, or without. */
const PLACE = /^[\w@./[\]()~+-]+\.\w{1,9}(?:[: (]\d{1,9}(?:[:,]\d{1,9}(?:-\d{1,9})?)?\)?)?:?$/;

/** Returns the place that is all a line says, without the marks around it: `./app/page.jsx`, `╭─[ a.js:1:2 ]`. */
export function placeIn(line: string): string | undefined {
  const text = line
    .trim()
    .replace(/^\[plugin [^\]]{1,80}\] |^ERROR in /, '')
    .replace(/ {2}root stylesheet$/, '');
  const characters = [...text];
  const start = characters.findIndex((one) => !MARKS.has(one));
  const end = characters.findLastIndex((one) => !MARKS.has(one));
  const bare = start < 0 ? '' : characters.slice(start, end + 1).join('');
  return PLACE.test(bare) ? bare.replace(/:$/, '') : undefined;
}

/** Returns the place of a message that does not have it: in the line above it, or some lines below before the next message. */
export function placeNear(lines: readonly string[], at: number, mostBelow: number): string | undefined {
  const message = lines[at] ?? '';
  const above = lines.slice(Math.max(0, at - MOST_ABOVE), at).toReversed();
  const isMessage = (line: string) => placeIn(line) === undefined && saysSomething(line) && speaksOfError(line);
  const around = [upTo(isMessage, lines.slice(at + 1, at + 1 + mostBelow)), upTo(saysSomething, above)].flat();
  const place = around.flatMap((line) => placeIn(line) ?? []).find(isOwn);
  if (place === undefined || message.includes(place)) return undefined;
  const [file = ''] = place.split(/[: (]\d/, 1);
  return file === place && message.includes(basename(file)) ? undefined : place;
}

/** Returns the place of the first frame of a stack that is in no dependency, and in nothing that a tool has written. */
export function ownFrame(stack: readonly string[]): string | undefined {
  const frames = upTo((line) => !/^\s+at /.test(line), stack);
  const places = frames.flatMap(
    (line) => /[ (](?:file:\/\/)?([^\s():]{1,400}\.\w{1,9}:\d{1,9}):\d{1,9}\)?$/.exec(line)?.[1] ?? [],
  );
  return places.find((place) => isOwn(place) && !/(?:^|\/)\./.test(place));
}

function upTo(isEnd: (line: string) => boolean, lines: readonly string[]): readonly string[] {
  const end = lines.findIndex(isEnd);
  return end < 0 ? lines : lines.slice(0, end);
}

function isOwn(place: string): boolean {
  return !place.includes('node_modules/') && !/^(?:node|file|https?):/.test(place);
}
