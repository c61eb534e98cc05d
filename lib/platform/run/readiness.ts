import { get } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** How to find out whether an application answers. */
export interface Probe {
  readonly port: number;
  readonly host: string;
  readonly readinessMs: number;
  readonly serverErrorMs: number;
  /** Ends the wait: the process has ended or the start was cancelled. */
  readonly signal: AbortSignal;
}

const FAST_POLL_MS = 5;
const SLOW_POLL_MS = 50;
const SLOW_AFTER_MS = 1_500;
const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Waits until the application answers `GET /` below 500 and returns `undefined`, or returns a sentence that says what
 * it did instead. Polls every 5 ms at first, because a small server is up in 40 ms and every push waits for this.
 */
export async function awaitAnswer(probe: Probe): Promise<string | undefined> {
  const began = performance.now();
  const elapsed = () => performance.now() - began;
  let firstError: number | undefined;
  let problem = `did not listen on PORT (${probe.port})`;
  while (elapsed() < probe.readinessMs && !probe.signal.aborted) {
    if (await accepts(probe)) {
      const status = await answer(probe, probe.readinessMs - elapsed());
      if (status !== undefined && status < 500) return undefined;
      problem = status === undefined ? 'did not answer GET /' : `answered ${status} to GET /`;
      firstError ??= status === undefined ? undefined : elapsed();
      // 503 is the usual answer of a server that is still warming up, so it may last for the whole time.
      const givenUp = firstError !== undefined && status !== 503 && elapsed() - firstError > probe.serverErrorMs;
      if (givenUp) return `The application ${problem}.`;
    }
    await pause(elapsed() < SLOW_AFTER_MS ? FAST_POLL_MS : SLOW_POLL_MS, undefined, { signal: probe.signal }).catch(
      () => undefined,
    );
  }
  const within = problem.startsWith('answered') ? '' : ` within ${Math.round(probe.readinessMs / 1000)} s`;
  return `The application ${problem}${within}.`;
}

function accepts({ port }: Probe): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}

/** The status of `GET /`, or `undefined` when there was none. */
function answer({ port, host, signal }: Probe, timeoutMs: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    // No agent: a kept connection would count as traffic in the application.
    const timeout = Math.max(1, Math.min(timeoutMs, ANSWER_TIMEOUT_MS));
    const headers = { host, 'user-agent': 'readiness' };
    const request = get({ host: '127.0.0.1', port, path: '/', agent: false, headers, signal, timeout });
    request.once('response', (response) => {
      resolve(response.statusCode);
      response.destroy();
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(undefined));
    request.once('close', () => resolve(undefined));
  });
}
