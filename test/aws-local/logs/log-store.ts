import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { array, number, object, parse, string } from 'valibot';
import { replaceFileSync } from '../../../lib/files/atomic-file.ts';

/** One line of a log. */
export interface LogEvent {
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly message: string;
}

/** An event with its place. */
export interface StoredEvent extends LogEvent {
  readonly stream: string;
  /** Its number in the stream. */
  readonly index: number;
}

/** Log groups with their streams, kept in files. */
export interface LogStore {
  /** Appends to a stream; the group and the stream are made when they do not exist. */
  append(group: string, stream: string, events: readonly LogEvent[]): void;
  /** Returns the events of a stream in the order in which they came; undefined when there is no such stream. */
  events(group: string, stream: string): readonly StoredEvent[] | undefined;
  /** Returns the names of a group's streams; undefined when there is no such group. */
  streams(group: string): readonly string[] | undefined;
  groups(): readonly string[];
  /** Returns false when there is one. */
  createGroup(group: string): boolean;
  /** Returns false when there is none. */
  deleteGroup(group: string): boolean;
}

/** A stream that grows beyond this is cut to its second half, so that logs on one machine stay bounded. */
const MAX_STREAM_BYTES = 4 * 1024 * 1024;
/** The oldest streams beyond these are removed. */
const MAX_STREAMS = 50;

const Event = array(object({ timestamp: number(), message: string() }));

/** Opens the logs in a folder: a folder for each group, a file of JSON lines for each stream, for their owner only. */
export function openLogStore(folder: string): LogStore {
  const groupFolder = (group: string) => join(folder, encodeURIComponent(group));
  const streamFile = (group: string, stream: string) => join(groupFolder(group), encodeURIComponent(stream));
  const streams = (group: string) => namesIn(groupFolder(group));
  return {
    append: (group, stream, events) => {
      const file = streamFile(group, stream);
      if (!existsSync(file)) {
        mkdirSync(groupFolder(group), { recursive: true, mode: 0o700 });
        dropOldest(groupFolder(group));
      }
      appendFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''), { mode: 0o600 });
      if (statSync(file).size > MAX_STREAM_BYTES) keepHalf(file);
    },
    events: (group, stream) => {
      const file = streamFile(group, stream);
      return existsSync(file) ? eventsIn(file).map((event, index) => ({ ...event, stream, index })) : undefined;
    },
    streams,
    groups: () => namesIn(folder) ?? [],
    createGroup: (group) => mkdirSync(groupFolder(group), { recursive: true, mode: 0o700 }) !== undefined,
    deleteGroup: (group) => {
      const exists = existsSync(groupFolder(group));
      rmSync(groupFolder(group), { recursive: true, force: true });
      return exists;
    },
  };
}

function eventsIn(file: string): LogEvent[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return parse(Event, JSON.parse(`[${lines.join(',')}]`));
}

function keepHalf(file: string): void {
  const lines = readFileSync(file, 'utf8').split('\n');
  replaceFileSync(file, lines.slice(Math.ceil(lines.length / 2)).join('\n'), { secret: true });
}

function dropOldest(folder: string): void {
  const files = readdirSync(folder).map((name) => join(folder, name));
  const byAge = files.map((file) => [statSync(file).mtimeMs, file] as const).sort(([left], [right]) => right - left);
  for (const [, file] of byAge.slice(MAX_STREAMS - 1)) rmSync(file, { force: true });
}

function namesIn(folder: string): string[] | undefined {
  return existsSync(folder) ? readdirSync(folder).map(decodeURIComponent) : undefined;
}
