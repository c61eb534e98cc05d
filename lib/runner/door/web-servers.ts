import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Target } from '../../http/forwarding/target.ts';

/** A server of an application, or another runner (`isDoor`), which has to see what it is asked with. */
export interface AppTarget extends Target {
  readonly isDoor?: boolean;
}

/** A server and the number of its open requests. */
export interface Server extends AppTarget {
  /** Its name in a cookie, of which visitors learn nothing. */
  readonly id: string;
  busy: number;
  /** Grows with each request of all servers. */
  usedLast: number;
  /** Of `performance.now()`. */
  refusedAt: number;
  /** Resolves when it is known what became of it after it has refused. */
  settled?: Promise<void> | undefined;
  idle: () => void;
}

export function unused(server: Target): Server {
  const id = randomBytes(9).toString('base64url');
  return { ...server, id, busy: 0, usedLast: 0, refusedAt: Number.NEGATIVE_INFINITY, idle: () => undefined };
}

const COOKIE = 'hooks-affinity';
const NAMED = /(?:^|;\s{0,9})hooks-affinity=([\w-]{1,40})/;

/** Returns the id of the server from which a visitor has a cookie; undefined without one. */
export function affinityOf({ headers }: IncomingMessage): string | undefined {
  return NAMED.exec(headers.cookie ?? '')?.[1];
}

/** Returns the cookie that brings a visitor back to a server, until the browser is closed. */
export function affinityCookie({ id }: Server): string {
  return `${COOKIE}=${id}; Path=/; HttpOnly; SameSite=Lax`;
}

/**
 * Returns the server for a request: the one that is wanted by its id, else that with the fewest open requests; of several
 * the one that was used longest ago.
 */
export function chosen(servers: readonly Server[], wanted: string | undefined): Server | undefined {
  const known = wanted === undefined ? undefined : servers.find(({ id }) => id === wanted);
  if (known && !isRefusing(known)) return known;
  return servers.reduce<Server | undefined>((best, one) => (!best || isBefore(one, best) ? one : best), undefined);
}

/** One that refuses connections, as one that has just crashed, would have the fewest open requests. */
function isBefore(one: Server, other: Server): boolean {
  const refuses = isRefusing(one);
  if (refuses !== isRefusing(other)) return !refuses;
  return one.busy < other.busy || (one.busy === other.busy && one.usedLast < other.usedLast);
}

/** After it has refused a connection, a server gets others only when all do. */
const REFUSING_MS = 1_000;

export function isRefusing(server: Server | undefined): boolean {
  return server === undefined || performance.now() - server.refusedAt < REFUSING_MS;
}

const LOOK_MS = 20;

/**
 * Resolves when a server that refuses connections is not one of the application any more, because its end was noticed, or
 * after a second: it may listen again.
 */
export function settled(server: Server, isThere: (server: Server) => boolean): Promise<void> {
  const look = async () => {
    const end = performance.now() + REFUSING_MS;
    while (performance.now() < end && isThere(server)) await pause(LOOK_MS);
    server.settled = undefined;
  };
  server.settled ??= look();
  return server.settled;
}

export function countIn(server: Server, used: number): void {
  server.busy += 1;
  server.usedLast = used;
}

export function countOut(server: Server): void {
  server.busy -= 1;
  if (server.busy === 0) server.idle();
}

/** Resolves when a server has no open requests, after that time at the latest. */
export function drained(server: Server | undefined, timeoutMs: number): Promise<void> {
  if (!server || server.busy === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs);
    server.idle = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}
