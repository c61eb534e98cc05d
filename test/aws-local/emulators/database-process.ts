import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../../../lib/files/errors.ts';
import { freePort, listen } from '../../../lib/http/ports.ts';
import { spawnWatched, type WatchedCommand } from '../../../lib/process/command.ts';
import type { GroupRegistry } from '../../../lib/process/group-registry.ts';
import type { Finding } from '../permissions/guard.mjs';
import { OPERATOR } from '../permissions/operator.ts';
import type { Permissions } from '../permissions/permissions.ts';

/** Reads that do not ask for consistency are behind the writes, by a time that the seed decides. */
export interface Lag {
  readonly seed: number;
  /** The shortest and the longest time, in milliseconds. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** The command that starts the emulator, and where its processes are recorded. */
export interface DatabaseCommand {
  readonly binary: string;
  readonly file: string;
  readonly groups: GroupRegistry;
  /** The permissions of callers; default: only the operator may do anything. */
  readonly permissions?: Pick<Permissions, 'principals' | 'report'> | undefined;
  /** For the reads of functions; without it, every read is consistent. */
  readonly lag?: Lag | undefined;
}

/** The emulator while it runs. */
export interface DatabaseProcess {
  readonly command: WatchedCommand;
  readonly endpoint: string;
  /** Whether only this process can reach it; else every user of this machine can. */
  readonly isIsolated: boolean;
}

const START_LIMIT_MS = 60_000;
const START_ATTEMPTS = 5;
const FRONT = fileURLToPath(new URL('database-front.mjs', import.meta.url));
/** Another program has taken the port, or the network had just been made: another attempt finds another one. */
const NO_PORT = /already in use|address in use|address not available/i;

/**
 * Starts the emulator with a process in front of it that checks signatures. Both are in a network of their own where
 * the system allows one: the emulator knows no access control, so its port must not be within the reach of others.
 *
 * @param explain translates what the emulator printed before it ended
 */
export async function startDatabase(
  wanted: DatabaseCommand,
  explain: (words: string) => OperatorError,
  attempts = START_ATTEMPTS,
): Promise<DatabaseProcess> {
  const { command, endpoint, isIsolated } = await spawnDatabase(wanted);
  try {
    await ready(command, explain);
    return { command, endpoint, isIsolated };
  } catch (error) {
    if (attempts === 1 || !NO_PORT.test(command.errors())) throw error;
    return startDatabase(wanted, explain, attempts - 1);
  }
}

async function spawnDatabase({ binary, file, groups, permissions, lag }: DatabaseCommand): Promise<DatabaseProcess> {
  const inside = await freePort();
  const server = createServer();
  const port = await listen(server, 0);
  const network = ownNetwork();
  const [program = 'sh', ...before] = [
    ...(network ?? []),
    'sh',
    '-c',
    network ? `${LOOPBACK_UP} && ${BOTH}` : BOTH,
    'sh',
  ];
  const front = [process.execPath, FRONT, String(inside)];
  const database = [binary, 'serve', '--host', '127.0.0.1', '--port', String(inside), '--db-path', file];
  const command = spawnWatched(program, [...before, ...front, ...database], { groups, channel: true });
  // The front has the listening socket from here on, and this process closes its own.
  const replica = lag && { ...lag, binary, port: await freePort() };
  command.handOver({ principals: permissions?.principals ?? [OPERATOR], replica }, server);
  command.onMessage((message) => {
    if (isFinding(message)) permissions?.report(message.finding);
  });
  return { command, endpoint: `http://127.0.0.1:${port}`, isIsolated: network !== undefined };
}

function isFinding(message: unknown): message is { readonly finding: Finding } {
  return typeof message === 'object' && message !== null && 'finding' in message;
}

/** The front in the background; the emulator becomes the leader of the group. It gets no channel to this process. */
const BOTH = '"$1" "$2" "$3" & shift 3; exec "$@" 3>&-';
const LOOPBACK_UP = '{ ip link set lo up || ifconfig lo up; } 2>/dev/null';

let network: readonly string[] | null | undefined;

/** Returns the command that runs another one in a network of its own; undefined where the system allows none. */
function ownNetwork(): readonly string[] | undefined {
  if (network !== undefined) return network ?? undefined;
  const flags = process.getuid?.() === 0 ? ['--net'] : ['--user', '--map-root-user', '--net'];
  const { status } = spawnSync('unshare', [...flags, 'sh', '-c', LOOPBACK_UP], { stdio: 'ignore' });
  network = status === 0 ? ['unshare', ...flags] : null;
  return network ?? undefined;
}

async function ready(command: WatchedCommand, explain: (words: string) => OperatorError): Promise<void> {
  const limit = new AbortController();
  const first = await Promise.race([
    command.message,
    command.ended.then(() => 'ended'),
    sleep(START_LIMIT_MS, 'late', { signal: limit.signal }),
  ]);
  limit.abort();
  if (first === 'ready') return;
  await command.stop();
  if (first === 'ended') throw explain(command.errors());
  throw new OperatorError(`The DynamoDB emulator did not answer within ${START_LIMIT_MS / 1000} seconds: try again.`);
}
