import { linesIn } from '../../../functions/core/lines.ts';
import { forwarder } from '../../http/forwarder.ts';
import type { Refusal } from '../../http/refusal.ts';
import type { RunnerCalls } from '../calls.ts';
import type { FrontDoor } from '../door/front-door.ts';
import type { ListenAnswer, ServicePort } from '../door/service-ports.ts';
import { type AskingOptions, asking, send } from './asking.ts';
import { LIMIT_MS } from './liveness.ts';
import { ANSWERED, type Hello, STREAMED } from './protocol.ts';
import type { Launch } from './spawn.ts';

/** Returns the calls of the runner behind a socket. */
export function runnerClient(socketPath: string, options: AskingOptions = {}): RunnerCalls {
  const { ask, stream } = asking(socketPath, options);
  const answered = ANSWERED.map((name) => [
    name,
    (...args: unknown[]) => {
      const signal = args.find((one) => one instanceof AbortSignal);
      return ask({ name, args: args.filter((one) => one !== signal), signal });
    },
  ]);
  const streamed = STREAMED.map((name) => [
    name,
    async (...args: unknown[]) => {
      const signal = args.pop() as AbortSignal;
      return pieces(await stream({ name, args, signal }), signal);
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

/**
 * Returns what the runner says of itself; undefined when there is none. A runner that hangs is asked
 * again and `hangs` is called each time; without `hangs` it counts as none.
 */
export async function helloOf(socketPath: string, hangs?: () => void): Promise<Hello | undefined> {
  for (;;) {
    const signal = AbortSignal.timeout(LIMIT_MS);
    try {
      return JSON.parse(await (await send(socketPath, { name: 'hello', args: [], signal })).text());
    } catch {
      if (!signal.aborted || !hangs) return undefined;
      hangs();
    }
  }
}

/** Makes the runner listen on these ports for the service. Throws an `HttpError` with the system's error in its sentence. */
export async function listenFor(socketPath: string, wanted: readonly ServicePort[]): Promise<ListenAnswer> {
  return JSON.parse(await (await send(socketPath, { name: 'listen', args: wanted })).text());
}

/** Makes a runner start its successor; returns the process id of that. */
export async function replaceRunner(socketPath: string, launch: Launch): Promise<{ readonly pid: number }> {
  return { pid: JSON.parse(await (await send(socketPath, { name: 'replace', args: launch })).text()) };
}

async function* pieces<T>(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<T, void> {
  try {
    for await (const line of linesIn(body)) yield JSON.parse(line);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
