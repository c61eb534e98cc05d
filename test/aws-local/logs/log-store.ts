import { ACCOUNT, REGION } from '../clients.ts';

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

/** Log groups with their streams. */
export interface LogStore {
  /** Appends to a stream; the group and the stream are made when they do not exist. */
  append(group: string, stream: string, events: readonly LogEvent[]): void;
  /** Returns the events of a stream in the order in which they came; undefined when there is no such stream. */
  events(group: string, stream: string): readonly StoredEvent[] | undefined;
  /** Returns the names of a group's streams; undefined when there is no such group. */
  streams(group: string): readonly string[] | undefined;
  /** Returns the tags of a group; undefined when there is no such group. */
  tags(group: string): Readonly<Record<string, string>> | undefined;
  /** Returns false when there is one. */
  createGroup(group: string, tags?: Readonly<Record<string, string>>): boolean;
  /** Returns false when there is none. */
  deleteGroup(group: string): boolean;
}

export function openLogStore(): LogStore {
  const groups = new Map<string, Map<string, LogEvent[]>>();
  const tagsOf = new Map<string, Readonly<Record<string, string>>>();
  const createGroup: LogStore['createGroup'] = (group, tags = {}) => {
    if (groups.has(group)) return false;
    groups.set(group, new Map());
    tagsOf.set(group, tags);
    return true;
  };
  return {
    append: (group, stream, events) => {
      createGroup(group);
      const streams = groups.get(group);
      streams?.set(stream, [...(streams.get(stream) ?? []), ...events]);
    },
    events: (group, stream) =>
      groups
        .get(group)
        ?.get(stream)
        ?.map((event, index) => ({ ...event, stream, index })),
    streams: (group) => {
      const streams = groups.get(group);
      return streams && [...streams.keys()];
    },
    tags: (group) => tagsOf.get(group),
    createGroup,
    deleteGroup: (group) => {
      tagsOf.delete(group);
      return groups.delete(group);
    },
  };
}

/** Returns the ARN of a stream, which permissions to write it name. */
export function streamArn(group: string, stream: string): string {
  return `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:${group}:log-stream:${stream}`;
}
