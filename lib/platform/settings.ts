import { TARBALL_LIMITS } from '../../functions/core/tarball/limits.ts';

/** Something that happened, for the log of the local start. Never holds a variable's value, a password or a token. */
export interface PlatformEvent {
  readonly type: string;
  readonly user?: string;
  readonly app?: string;
  readonly snapshot?: string;
  /** One sentence where the type alone does not say enough. */
  readonly detail?: string;
  /** The process besides `web` that it is about. */
  readonly process?: string;
  /** Whether the detail is the cause, so that none is looked for in the output. */
  readonly isCause?: boolean;
  readonly milliseconds?: number;
}

/** The service in front of the platform, as other machines reach it. */
export interface PublicService {
  /** Domains of applications have them too. */
  readonly protocol: 'http:' | 'https:';
  /** Empty for the protocol's own. */
  readonly port: string;
  /** Its own host names, which no application may have. The first one leads to this machine. */
  readonly names: readonly string[];
}

export type Log = (event: PlatformEvent) => void;

/** Times and limits; all times in milliseconds. Tests shorten them, the local start keeps the defaults. */
export interface Limits {
  /** Time limit for the first answer of an application. */
  readonly readinessMs: number;
  /** Answers of 500 and more are tolerated for this time (503: all of `readinessMs`). */
  readonly serverErrorMs: number;
  /** How long the processes of an application without `web` must run before it has started. */
  readonly settleMs: number;
  /** A one-off command whose output nobody reads for so long is ended. */
  readonly unreadMs: number;
  /** Time limit for requests of the old release once traffic has moved. */
  readonly drainMs: number;
  /** An application whose `web` is `auto` sleeps after so long without a request. */
  readonly idleMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** First pause after a crash; it doubles up to `crashPauseMaxMs`. */
  readonly crashPauseMs: number;
  readonly crashPauseMaxMs: number;
  /** This many crashes within `crashWindowMs` end the restarts. */
  readonly crashLimit: number;
  readonly crashWindowMs: number;
  /** The interval between measurements of the memory of applications that have a limit. */
  readonly memoryCheckMs: number;
  /** The interval between counts of processes. */
  readonly processCheckMs: number;
  /** This many ends for too much memory, or too many processes, within `overrunWindowMs` end the restarts. */
  readonly overrunLimit: number;
  readonly overrunWindowMs: number;
  /** How long after a tarball the process for the next one is started: the build and the start come first. */
  readonly unpackAheadMs: number;
  /** Time limit of an installation. */
  readonly installMs: number;
  /**
   * How long a verified password is remembered, unless it is changed: its next logins do not wait behind those who
   * guess.
   */
  readonly loginCacheMs: number;
  /** Bytes of an uploaded tarball, and of what it unpacks to. */
  readonly tarballBytes: number;
  readonly unpackedBytes: number;
  readonly entries: number;
  readonly bodyBytes: number;
  /** Bytes of an application's log file before it is rotated. */
  readonly logBytes: number;
  /** Bytes of the caches of all users and applications together, measured so long after the start and after builds. */
  readonly cacheBytes: number;
  readonly cacheCheckMs: number;
  /** Tarballs and built releases kept per application, those of the running one included. */
  readonly snapshots: number;
  readonly releases: number;
}

const MiB = 1024 * 1024;

/** In MB, as the configuration says it. */
export const DEFAULT_CACHE_MB = 5_000;

export const defaultLimits: Limits = {
  readinessMs: 60_000,
  serverErrorMs: 5_000,
  settleMs: 3_000,
  unreadMs: 10_000,
  drainMs: 10_000,
  idleMs: 10 * 60_000,
  graceMs: 5_000,
  crashPauseMs: 1_000,
  crashPauseMaxMs: 60_000,
  crashLimit: 5,
  crashWindowMs: 60_000,
  memoryCheckMs: 1_000,
  processCheckMs: 250,
  overrunLimit: 3,
  overrunWindowMs: 60 * 60_000,
  unpackAheadMs: 2_000,
  installMs: 20 * 60_000,
  loginCacheMs: 12 * 60 * 60_000,
  // The limits of the service: the platform must be able to unpack what the service has accepted.
  tarballBytes: TARBALL_LIMITS.bytes,
  unpackedBytes: TARBALL_LIMITS.unpackedBytes,
  entries: TARBALL_LIMITS.entries,
  bodyBytes: MiB,
  logBytes: 5 * MiB,
  cacheBytes: DEFAULT_CACHE_MB * 1_000_000,
  cacheCheckMs: 60_000,
  snapshots: 10,
  releases: 3,
};
