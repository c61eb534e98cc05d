import { get } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { ABORTED, unless } from '../../files/errors.ts';
import { HEADER_BYTES, type Target } from '../../http/forwarding/target.ts';
import type { PortOwner } from '../../http/port-owner.ts';
import type { HealthCheck } from '../calls.ts';

/** Returns the owner of the socket that accepts connections to an address. */
export type OwnerOf = (address: Target) => Promise<PortOwner>;

interface Probe {
  readonly port: number;
  readonly host: string;
  readonly readinessMs: number;
  readonly serverErrorMs: number;
  /** What it is asked for, and for how long; null: anything below 500 at `/`. */
  readonly health: HealthCheck | null;
  readonly ownerOf: OwnerOf;
  /** The ports on which the application listens; none where the system does not tell. */
  readonly ports: () => Promise<readonly number[]>;
  /** Returns what the author can do when it listens on another port. */
  readonly remedy: (port: number) => string;
  /** The port that it has printed. */
  readonly printedPort: () => number | undefined;
  /** The address to which it could not connect, by what it has printed. */
  readonly refusedAddress: () => string | undefined;
  /** Ends the wait: the process has ended or the start was cancelled. */
  readonly signal: AbortSignal;
}

/** The pause between two attempts is this part of the time that has passed, within these bounds. */
const PAUSE_PART = 1 / 60;
const SHORTEST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;
const ANSWER_TIMEOUT_MS = 10_000;
const FIRST_LINE = /^[^\r\n]{1,200}/;
/** All of /proc is read for it. */
const PORTS_EVERY_MS = 500;
/** An application may open another port before its own. */
const OTHER_PORT_MS = 1_500;

/** The address at which the application answers, or a sentence that says what it did instead. */
type Answered =
  | { readonly address: Target }
  | {
      readonly problem: string;
      /** Whether another program has the port: it may be free of such on another one. */
      readonly isTaken?: true;
    };

/** `localhost` is one of these, depending on the machine and on the version of Node. */
const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * Waits until the application answers `GET /` below 500, or its own path below 400, on either loopback address. Polls every
 * 2 ms at first, because a small server is up in 40 ms and every push waits for this.
 */
export async function awaitAnswer(probe: Probe): Promise<Answered> {
  const began = performance.now();
  const elapsed = () => performance.now() - began;
  let firstError: number | undefined;
  let checked: string | undefined;
  let problem = `did not listen on PORT (${probe.port})`;
  let last = '';
  const elsewhere = otherPort(probe, elapsed);
  const { path, seconds } = probe.health ?? { path: '/', seconds: probe.readinessMs / 1000 };
  const readinessMs = seconds * 1000;
  while (elapsed() < readinessMs && !probe.signal.aborted) {
    const address = await listening(probe.port);
    if (address) {
      const answering = answer(probe, { address, path }, readinessMs - elapsed());
      // Any program may listen on the port before the application does, whose traffic it would get. An application that has
      // just ended is no owner either, but its port is closed.
      if (checked !== address.host && (await probe.ownerOf(address)) === 'another' && (await accepts(address))) {
        return {
          problem: `Another program listens on port ${probe.port}, the PORT of the application.`,
          isTaken: true,
        };
      }
      checked = address.host;
      const { status, text } = (await answering) ?? {};
      if (status !== undefined && status < (probe.health ? 400 : 500)) return { address };
      // The end of the time cuts the last request, which tells nothing after an answer.
      if (status !== undefined || firstError === undefined || elapsed() + 1 < readinessMs) {
        problem = status === undefined ? `did not answer GET ${path}` : `answered ${status} to GET ${path}`;
        last = probe.health && text ? `; its last answer was: ${text}` : '';
      }
      firstError ??= status === undefined ? undefined : elapsed();
      // A path of its own, and 503, the usual answer of a server that is still warming up, have the whole time.
      const mayLast = probe.health !== null || status === 503;
      const givenUp = firstError !== undefined && !mayLast && elapsed() - firstError > probe.serverErrorMs;
      if (givenUp) return { problem: `The application ${problem}.` };
    } else {
      const other = await elsewhere.look();
      if (other !== undefined) return { problem: `The application ${other}.` };
    }
    const pauseMs = Math.min(Math.max(elapsed() * PAUSE_PART, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
    await unless(ABORTED, pause(pauseMs, undefined, { signal: probe.signal }));
  }
  const within = problem.startsWith('answered') && !probe.health ? '' : ` within ${Math.round(seconds)} s`;
  const instead = problem.startsWith('did not listen') ? elsewhere.instead() : '';
  return { problem: `The application ${problem}${within}${instead || last}.` };
}

/** Whether the application listens at the address at which it has answered, or does again within that time. */
export async function stillListens(address: Target, ownerOf: OwnerOf, reopenMs: number): Promise<boolean> {
  for (const end = performance.now() + reopenMs; performance.now() < end; await pause(LONGEST_PAUSE_MS)) {
    if ((await accepts(address)) && (await ownerOf(address)) !== 'another') return true;
  }
  return false;
}

/** So many answers in a row that are none, or 400 and more, and it is ended. */
const UNHEALTHY = 3;

interface HealthWatch extends Asker {
  readonly address: Target;
  readonly path: string;
  readonly everyMs: number;
}

/**
 * Asks for the path as long as it answers well. Returns what it did instead, and until when (by `performance.now()`) it was well;
 * undefined when the signal has ended this.
 */
export async function untilUnhealthy({ everyMs, ...watch }: HealthWatch) {
  const { path, signal } = watch;
  let wellUntil = performance.now();
  for (let failures = 0; !signal.aborted; ) {
    await unless(ABORTED, pause(everyMs, undefined, { signal, ref: false }));
    const { status } = (await answer(watch, watch, everyMs)) ?? {};
    const isWell = status !== undefined && status < 400;
    failures = isWell ? 0 : failures + 1;
    if (isWell) wellUntil = performance.now();
    if (failures < UNHEALTHY || signal.aborted) continue;
    const what = status === undefined ? 'did not answer' : `answered ${status} to`;
    return { how: `${what} GET ${path} ${UNHEALTHY} times in a row`, wellUntil };
  }
  return undefined;
}

/**
 * Looks for another port than PORT on which the application listens. `look` says so when a page is served there, which is what
 * a fixed port looks like; `instead` names the ports of which that is not known, such as that of metrics.
 */
function otherPort(probe: Probe, elapsed: () => number) {
  let looked = 0;
  let since: number | undefined;
  let others: readonly number[] = [];
  return {
    look: async (): Promise<string | undefined> => {
      if (elapsed() - looked < PORTS_EVERY_MS) return undefined;
      looked = elapsed();
      others = (await probe.ports()).filter((port) => port !== probe.port);
      if (others.length === 0) return undefined;
      since ??= elapsed();
      if (elapsed() - since < OTHER_PORT_MS) return undefined;
      for (const port of others) {
        const address = await listening(port);
        const { status } = (address && (await answer(probe, { address, path: '/' }, PORTS_EVERY_MS))) ?? {};
        if (status !== undefined && status < 400)
          return `listens on port ${port}, not on PORT (${probe.port}): ${probe.remedy(port)}`;
      }
      return undefined;
    },
    instead: () => {
      const [first] = others;
      if (first !== undefined) return `; it listens on port ${others.join(' and ')} instead: ${probe.remedy(first)}`;
      const refused = probe.refusedAddress();
      if (refused !== undefined) return `; it could not connect to ${refused} (ECONNREFUSED)`;
      const printed = probe.printedPort();
      return printed === undefined || printed === probe.port
        ? ''
        : `; it prints port ${printed}: ${probe.remedy(printed)}`;
    },
  };
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

interface Answer {
  readonly status: number | undefined;
  /** The first line of what says that it is not up; empty for other answers. */
  readonly text: string;
}

/** Who asks: the name of the application, and what ends the request. */
type Asker = Pick<Probe, 'host' | 'signal'>;

/** The answer to `GET` of a path, or `undefined` when there was none. */
function answer(
  { host, signal }: Asker,
  { address, path }: { readonly address: Target; readonly path: string },
  timeoutMs: number,
): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    // No agent: a kept connection would count as traffic in the application.
    const headers = { host, 'user-agent': 'readiness' };
    const request = get({ ...address, path, agent: false, headers, signal, maxHeaderSize: HEADER_BYTES });
    // Of the whole answer: Node's own timeout begins again with each byte.
    const timer = setTimeout(() => request.destroy(), Math.max(1, Math.min(timeoutMs, ANSWER_TIMEOUT_MS)));
    request.once('response', (response) => {
      const { statusCode: status = 0 } = response;
      const settle = (text = '') => {
        resolve({ status, text: FIRST_LINE.exec(text.trimStart())?.[0] ?? '' });
        response.destroy();
      };
      if (status < 400) settle();
      else response.setEncoding('utf8').once('data', settle).once('close', settle);
    });
    request.once('error', () => resolve(undefined));
    request.once('close', () => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
}
