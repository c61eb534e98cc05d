/** A feed that rows are written into and that many watch, in processes of its own. */
export interface MeasuredFeed {
  readonly name: string;
  readonly port: number;
  /** The process whose memory grows with its watchers. */
  readonly pid: number;
  /** A place of its own for a measurement: nobody watches it yet and nothing is in it. */
  fresh(): Promise<Place>;
  /** Reads of its database so far, where they are counted. */
  reads?(): number;
  close(): Promise<void>;
}

/** What is watched in one measurement. */
export interface Place {
  /** What a watcher says on its connection. */
  readonly request: string;
  /** Writes a row; resolves with its `seq` when the feed has answered that it is written. */
  write(): Promise<number>;
}

/** The request of a watcher who speaks HTTP. */
export function getRequest(path: string, authorization?: string): string {
  const login = authorization ? `Authorization: ${authorization}\r\n` : '';
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${login}\r\n`;
}

/** Now, in milliseconds, by the clock that all processes of a machine share. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
