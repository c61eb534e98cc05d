import { TARBALL_LIMITS } from '../../functions/core/tarball/limits.ts';
import { RUNNER_LIMITS } from '../runner/settings.ts';

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

export type Log = (event: PlatformEvent) => void;

/** The service in front of the platform, as other machines reach it. */
export interface PublicService {
  /** Domains of applications have them too. */
  readonly protocol: 'http:' | 'https:';
  /** Empty for the protocol's own. */
  readonly port: string;
  /** Its own host names, which no application may have. The first one leads to this machine. */
  readonly names: readonly string[];
}

/** Times and limits; all times in milliseconds. Tests shorten them, the local start keeps the defaults. */
export interface Limits {
  /** The interval between counts of processes. */
  readonly processCheckMs: number;
  /** The interval between measurements of the memory of builds. */
  readonly memoryCheckMs: number;
  /** What a step of a build may use at least, in MB: it needs more than the application. */
  readonly buildMemoryMb: number;
  /** Time limit of an installation. */
  readonly installMs: number;
  /** Bytes of an uploaded tarball, and of what it unpacks to. */
  readonly tarballBytes: number;
  readonly unpackedBytes: number;
  readonly entries: number;
  /** Bytes of the caches of all users and applications together, which are measured after builds. */
  readonly cacheBytes: number;
  /** The interval between looks at them and at the free bytes of the disk. */
  readonly cacheCheckMs: number;
  /** Tarballs and built releases kept per application, those of the running one included. */
  readonly snapshots: number;
  readonly releases: number;
}

/** In MB, as the configuration says it. */
export const DEFAULT_CACHE_MB = 5_000;

export const defaultLimits: Limits = {
  processCheckMs: RUNNER_LIMITS.processCheckMs,
  memoryCheckMs: RUNNER_LIMITS.memoryCheckMs,
  buildMemoryMb: 1_024,
  installMs: 20 * 60_000,
  // The limits of the service: the platform must be able to unpack what the service has accepted.
  tarballBytes: TARBALL_LIMITS.bytes,
  unpackedBytes: TARBALL_LIMITS.unpackedBytes,
  entries: TARBALL_LIMITS.entries,
  cacheBytes: DEFAULT_CACHE_MB * 1_000_000,
  cacheCheckMs: 60_000,
  snapshots: 10,
  releases: 3,
};
