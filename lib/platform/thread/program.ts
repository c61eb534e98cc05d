// The platform in a separate thread: requests to applications do not wait for what the service does meanwhile. It is
// told what to do by `thread.ts`.
import { parentPort } from 'node:worker_threads';
import { NEWEST_LTS } from '../../builder/tools/node-version.ts';
import { reserveIn } from '../../files/disk-reserve.ts';
import { FULL_DISK, isFull } from '../../files/errors.ts';
import { reserveStablePorts } from '../../http/stable-ports.ts';
import { openRunner } from '../../runner/open.ts';
import type { Runners } from '../../runner/runners.ts';
import { type Platform, startPlatform } from '../platform.ts';
import type { PlatformEvent } from '../settings.ts';
import type { Call, Message, PlatformCalls, ThreadOptions } from './thread.ts';

let platform: Platform | undefined;
let runner: Runners | undefined;

const calls: PlatformCalls = {
  start,
  serveUsers: (names) => running().serveUsers(names),
  hasHost: (host) => running().hasHost(host),
  close: async () => {
    await platform?.close();
    await runner?.close();
  },
};

parentPort?.on('message', ({ id, name, args }: Call) => {
  const call: (...args: readonly never[]) => Promise<unknown> = calls[name];
  call(...(args as readonly never[])).then(
    (value) => send({ id, value }),
    (error: unknown) => send({ id, error: sent(error) }),
  );
});

async function start({ ports, reserve, ...options }: ThreadOptions): Promise<string> {
  const { platform: port } = await reserveStablePorts(ports, ['platform'], (warning) => send({ warning }));
  const told = {
    log: (event: PlatformEvent) => send({ event }),
    onDomains: (domains: readonly string[]) => send({ domains }),
  };
  const shared = { ...options, reserve: reserveIn(reserve) };
  runner = await openRunner({ folder: options.dataDir, own: process.env, reserve: shared.reserve });
  platform = await startPlatform({ ...shared, ...told, runner, port, usualNode: NEWEST_LTS });
  return platform.url;
}

function running(): Platform {
  if (!platform) throw new Error('The platform has not been started.');
  return platform;
}

/** A message has no codes of errors. */
function sent(error: unknown): Error {
  if (isFull(error)) return new Error(FULL_DISK, { cause: error });
  return error instanceof Error ? error : new Error(String(error));
}

function send(message: Message): void {
  parentPort?.postMessage(message);
}
