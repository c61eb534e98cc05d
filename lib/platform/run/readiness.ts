import { get } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Target } from '../../http/forwarder.ts';
import type { PortOwner } from '../../http/port-owner.ts';

/** Options of the readiness check. */
export interface Probe {
  readonly port: number;
  readonly host: string;
  readonly readinessMs: number;
  readonly serverErrorMs: number;
  /** Whose the socket is that takes connections to an address. */
  readonly ownerOf: (address: Target) => Promise<PortOwner>;
  /** Ends the wait: the process has ended or the start was cancelled. */
  readonly signal: AbortSignal;
}

/** The pause between two attempts is this part of the time that has passed, within these bounds. */
const PAUSE_PART = 1 / 20;
const SHORTEST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;
const ANSWER_TIMEOUT_MS = 10_000;

/** The address at which the application answers, or a sentence that says what it did instead. */
export type Answered =
  | { readonly address: Target }
  | {
      readonly problem: string;
      /** Whether another program has the port: it may be free of such on another one. */
      readonly isTaken?: true;
    };

/** `localhost` is one of these, depending on the machine and on the version of Node. */
const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * Waits until the application answers `GET /` below 500, on either loopback address. Polls every 2 ms at first, because
 * a small server is up in 40 ms and every push waits for this.
 */
export async function awaitAnswer(probe: Probe): Promise<Answered> {
  const began = performance.now();
  const elapsed = () => performance.now() - began;
  let firstError: number | undefined;
  let checked: string | undefined;
  let problem = `did not listen on PORT (${probe.port})`;
  while (elapsed() < probe.readinessMs && !probe.signal.aborted) {
    const address = await listening(probe.port);
    if (address) {
      const answering = answer(probe, address, probe.readinessMs - elapsed());
      // Any program may listen on the port before the application does, whose traffic it would get.
      if (checked !== address.host && (await probe.ownerOf(address)) === 'another') {
        return {
          problem: `Another program listens on port ${probe.port}, the PORT of the application.`,
          isTaken: true,
        };
      }
      checked = address.host;
      const status = await answering;
      if (status !== undefined && status < 500) return { address };
      problem = status === undefined ? 'did not answer GET /' : `answered ${status} to GET /`;
      firstError ??= status === undefined ? undefined : elapsed();
      // 503 is the usual answer of a server that is still warming up, so it may last for the whole time.
      const givenUp = firstError !== undefined && status !== 503 && elapsed() - firstError > probe.serverErrorMs;
      if (givenUp) return { problem: `The application ${problem}.` };
    }
    const pauseMs = Math.min(Math.max(elapsed() * PAUSE_PART, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
    await pause(pauseMs, undefined, { signal: probe.signal }).catch(() => undefined);
  }
  const within = problem.startsWith('answered') ? '' : ` within ${Math.round(probe.readinessMs / 1000)} s`;
  return { problem: `The application ${problem}${within}.` };
}

async function listening(port: number): Promise<Target | undefined> {
  const open = await Promise.all(LOOPBACK.map((host) => accepts({ host, port })));
  const host = LOOPBACK.find((_, at) => open[at]);
  return host === undefined ? undefined : { host, port };
}

function accepts(address: Target): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ ...address });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}

/** The status of `GET /`, or `undefined` when there was none. */
function answer({ host, signal }: Probe, address: Target, timeoutMs: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    // No agent: a kept connection would count as traffic in the application.
    const timeout = Math.max(1, Math.min(timeoutMs, ANSWER_TIMEOUT_MS));
    const headers = { host, 'user-agent': 'readiness' };
    const request = get({ ...address, path: '/', agent: false, headers, signal, timeout });
    request.once('response', (response) => {
      resolve(response.statusCode);
      response.destroy();
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(undefined));
    request.once('close', () => resolve(undefined));
  });
}
