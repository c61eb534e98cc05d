/** The most bytes of the headers of a request, and of an answer, on each way to an application; Node's own is 16 KiB. */
export const HEADER_BYTES = 64 * 1024;

/** A server of this machine. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** Whether it gets its own address as Host, and not that of the request. */
  readonly ownHost?: boolean;
  /** Whether it gets no `Authorization` header, which was for what stands before it. */
  readonly withoutLogin?: boolean;
  /** The value of a `Set-Cookie` that the answers to requests get, but those to upgrades. */
  readonly cookie?: string | undefined;
  /** Whether no other program has taken its port. */
  readonly isStillOwn?: () => boolean;
  /** Called when nothing listens at the address. */
  readonly onRefused?: () => void;
  /** Returns another server after that, for a request of which nothing has been lost; undefined when there is none. */
  readonly other?: () => Promise<Target | undefined>;
}
