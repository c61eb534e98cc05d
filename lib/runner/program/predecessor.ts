import { once } from 'node:events';
import { Server } from 'node:net';
import { adoptSocket } from '../../http/ports.ts';
import type { Report, RunnerEvent } from '../calls.ts';
import type { Predecessor } from '../door/app-port.ts';
import type { HeldPort } from '../door/service-ports.ts';

/** What a runner that is replaced sends to its successor; a socket comes with the message `socketOf`. */
export type HandoverMessage =
  | { readonly socketOf: string }
  | { readonly given: string }
  | { readonly event: RunnerEvent };

/** What the successor sends: the application that it takes over, and whether it must have ended first. */
export interface TakeRequest {
  readonly take: string;
  readonly isAlone: boolean;
}

/** The front door, as an application. */
export const DOOR = '';

/** A port of the service, as an application. */
export function portKey({ name, host }: HeldPort): string {
  return `:${name} ${host}`;
}

interface RunnerBefore extends Predecessor {
  /** Reports the events that happen there, from the takeover of the front door on. */
  follow(report: Report): void;
}

/** Returns the runner that has started this one as its successor; undefined when a service has. */
export function predecessor(): RunnerBefore | undefined {
  if (!process.connected) return undefined;
  const waiting = new Map<string, { readonly server: Server; readonly done: () => void }>();
  let report: Report = () => {};
  const gone = once(process, 'disconnect').then(() => {
    for (const { done } of waiting.values()) done();
  });
  process.on('message', (message: HandoverMessage, handle: unknown) => {
    if ('event' in message) report(message.event);
    else if ('given' in message) waiting.get(message.given)?.done();
    else {
      const to = waiting.get(message.socketOf)?.server;
      if (to && handle instanceof Server) adoptSocket(to, handle);
    }
  });
  const take = async (key: string, server: Server, isAlone = false) => {
    if (!process.connected) return;
    const given = new Promise<void>((done) => waiting.set(key, { server, done }));
    const request: TakeRequest = { take: key, isAlone };
    process.send?.(request);
    await given;
  };
  const follow = (to: Report) => {
    report = to;
  };
  return { gone, take, follow };
}
