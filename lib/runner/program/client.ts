import { setTimeout as pause } from 'node:timers/promises';
import { linesIn } from '../../../functions/core/lines.ts';
import { hasCode } from '../../files/errors.ts';
import { forwarder } from '../../http/forwarder.ts';
import { HttpError } from '../../http/http-error.ts';
import { type LocalAnswer, localFetch } from '../../http/local-fetch.ts';
import type { Refusal } from '../../http/refusal.ts';
import type { RunnerCalls } from '../calls.ts';
import type { FrontDoor } from '../door/front-door.ts';
import type { ListenAnswer, ServicePort } from '../door/service-ports.ts';
import { ANSWERED, type Hello, STREAMED } from './protocol.ts';
import type { Launch } from './spawn.ts';

/** A runner that has been killed is there again after that time. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 50;

/** Returns the calls of the runner behind a socket. */
export function runnerClient(socketPath: string): RunnerCalls {
  const answered = ANSWERED.map((name) => [
    name,
    async (...args: unknown[]) => {
      const signal = args.find((one) => one instanceof AbortSignal);
      const sent = args.filter((one) => one !== signal);
      return JSON.parse(await (await patiently(socketPath, name, sent, signal)).text());
    },
  ]);
  const streamed = STREAMED.map((name) => [
    name,
    async (...args: unknown[]) => {
      const signal = args.pop() as AbortSignal;
      return pieces((await patiently(socketPath, name, args, signal)).body, signal);
    },
  ]);
  return Object.fromEntries([...answered, ...streamed]);
}

/** The front door of a runner in another process. */
export interface RemoteDoor extends Pick<FrontDoor, 'serve' | 'upgrade'> {
  port(): number;
}

const NO_ANSWER: Refusal = {
  status: 502,
  sentence: 'What runs the applications does not answer; try again in a moment.',
};

export function remoteDoor(port: () => number): RemoteDoor {
  const forward = forwarder(NO_ANSWER);
  const target = () => ({ host: '127.0.0.1', port: port() });
  return {
    port,
    serve: (request, response) => forward.web(request, response, target()),
    upgrade: (request, socket, head) => forward.upgrade(request, socket, head, target()),
  };
}

/** Returns what the runner says of itself; undefined when there is none. */
export async function helloOf(socketPath: string): Promise<Hello | undefined> {
  try {
    return JSON.parse(await (await ask(socketPath, 'hello', [])).text());
  } catch {
    return undefined;
  }
}

/** Makes the runner listen on these ports for the service. Throws an `HttpError` with the system's error in its sentence. */
export async function listenFor(socketPath: string, wanted: readonly ServicePort[]): Promise<ListenAnswer> {
  return JSON.parse(await (await ask(socketPath, 'listen', wanted)).text());
}

/** Has a runner start the one that replaces it; returns the process id of that. */
export async function replaceRunner(socketPath: string, launch: Launch): Promise<{ readonly pid: number }> {
  return { pid: JSON.parse(await (await ask(socketPath, 'replace', launch)).text()) };
}

/** Waits for a runner that is being started. */
async function patiently(...call: Parameters<typeof ask>): Promise<LocalAnswer> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await ask(...call);
    } catch (error) {
      if (!isAbsent(error)) throw error;
      if (performance.now() > end) throw new HttpError(503, 'What runs the applications is being started; try again.');
      await pause(PAUSE_MS);
    }
  }
}

/** Whether nothing listens on the socket, so that nothing was asked. */
function isAbsent(error: unknown): boolean {
  return hasCode(error, 'ENOENT') || hasCode(error, 'ECONNREFUSED');
}

async function ask(
  socketPath: string,
  name: string,
  args: readonly unknown[] | readonly ServicePort[] | Launch,
  signal?: AbortSignal,
): Promise<LocalAnswer> {
  const answer = await localFetch(`http://runner/${name}`, {
    socketPath,
    method: 'POST',
    body: JSON.stringify(args),
    ...(signal && { signal }),
  });
  if (answer.ok) return answer;
  const { error, log } = JSON.parse(await answer.text());
  throw new HttpError(answer.status, error, log);
}

async function* pieces<T>(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<T, void> {
  try {
    for await (const line of linesIn(body)) yield JSON.parse(line);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
