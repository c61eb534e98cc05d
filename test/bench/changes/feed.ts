/** A feed under measurement, in processes of its own. */
export interface MeasuredFeed {
  readonly port: number;
  /** The process whose memory grows with the number of watchers. */
  readonly pid: number;
  /** Returns an empty channel without watchers, for one measurement. */
  fresh(): Promise<Place>;
  close(): Promise<void>;
}

/** What the watchers of one measurement follow. */
interface Place {
  /** What a watcher sends on its connection. */
  readonly request: string;
  /** Writes a row; resolves with its id when the feed has confirmed the write. */
  write(): Promise<string>;
}

/** Returns the request of an HTTP watcher. A row's address has the host that the request names. */
export function getRequest(address: string, authorization?: string): string {
  const { host, pathname, search } = new URL(address);
  const login = authorization ? `Authorization: ${authorization}\r\n` : '';
  return `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n${login}\r\n`;
}

/** Returns the time in milliseconds, by the clock that all processes of the machine share. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
