import type { ChildProcess } from 'node:child_process';
import type { Server } from 'node:http';
import type { Server as Socket } from 'node:net';
import { HttpError } from '../../http/http-error.ts';
import { socketsOf } from '../../http/ports.ts';
import type { EventId, NumberedEvent } from '../calls.ts';
import { connectionsEnded } from '../door/proxy.ts';
import type { ServicePorts } from '../door/service-ports.ts';
import type { Runners } from '../runners.ts';
import { DOOR, type HandoverMessage, portKey, type TakeRequest } from './predecessor.ts';
import { type Launch, spawnRunner } from './spawn.ts';

interface SuccessorParts {
  readonly runners: Runners;
  /** The front door. */
  readonly door: Server;
  /** The ports of the service. */
  readonly service: ServicePorts;
  /** For the connections of the front door. */
  readonly drainMs: number;
  /** For those that wait for the service, which is being started. */
  readonly waitMs: number;
  /** Called when the successor asks for the first time. */
  readonly begun: () => void;
  /** Called when everything has been handed over and has ended. */
  readonly ended: () => void;
}

/** What has not been asked for by then ends with this runner. */
const LIMIT_MS = 10 * 60_000;

/**
 * Starts the runner that replaces this one, and gives it the front door and each application when it asks for it. Returns
 * its process id. When it ends before it has asked for anything, nothing has changed.
 */
export function startSuccessor(launch: Launch, parts: SuccessorParts): number {
  const { runners, door, service, drainMs, waitMs, begun, ended } = parts;
  const held = service.held();
  const options = { ...launch.options, held };
  const child = spawnRunner({ ...launch, options }, { folder: '.', own: process.env, isSuccessor: true });
  if (child.pid === undefined) throw new HttpError(500, 'The runner that replaces this one could not be started.');
  const handedOver = new Map<string, Promise<void>>();
  const finish = async () => {
    await Promise.all(handedOver.values());
    // One-off commands have no time limit, and neither have runs of cron.
    await runners.runsEnded();
    child.off('exit', lost);
    ended();
  };
  const handOver = ({ take: key, isAlone }: TakeRequest) => {
    if (handedOver.size === 0) {
      begun();
      setTimeout(finish, LIMIT_MS);
      void passEvents(runners, child);
    }
    const sendDone = () => sent(child, { given: key });
    const send = async (sockets: readonly Socket[]) => {
      for (const socket of sockets) await sent(child, { socketOf: key }, socket);
      if (!isAlone) await sendDone();
    };
    const port = held.find((one) => portKey(one) === key);
    const left = async () => {
      if (port) return send(service.sockets(port));
      if (key !== DOOR) return runners.handOver(key, { sockets: send, ended: isAlone ? sendDone : undefined });
      await send(socketsOf(door));
      await Promise.all([connectionsEnded(door, drainMs), service.leave(waitMs)]);
    };
    handedOver.set(
      key,
      left().catch(() => undefined),
    );
    if (handedOver.has(DOOR) && runners.keys().every((one) => handedOver.has(one))) void finish();
  };
  /** The service starts another one, and a shell kills what runs here. */
  const lost = () => void (handedOver.size > 0 && process.exit(1));
  child.once('exit', lost);
  child.on('message', handOver);
  return child.pid;
}

function sent(child: ChildProcess, message: HandoverMessage, socket?: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    child.send(message, socket, (error) => (error ? reject(error) : resolve()));
  });
}

/** Passes on what happens here, and what nobody has taken yet. */
async function passEvents(runners: Runners, child: ChildProcess): Promise<void> {
  for (let last: EventId | null = null; child.connected; ) {
    const events: readonly NumberedEvent[] = await runners.events(last);
    for (const { event } of events) await sent(child, { event }).catch(() => {});
    last = events.at(-1)?.id ?? last;
  }
}
