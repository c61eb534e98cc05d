import { setTimeout as pause } from 'node:timers/promises';
import { hasCode } from '../../files/errors.ts';
import { HttpError } from '../../http/http-error.ts';
import { type LocalAnswer, localFetch } from '../../http/local-fetch.ts';
import type { ServicePort } from '../door/service-ports.ts';
import { LIMIT_MS, Liveness } from './liveness.ts';
import { LASTING, ONCE } from './protocol.ts';
import type { Launch } from './spawn.ts';

export interface AskingOptions {
  /** The time in which a runner answers, when it does. */
  readonly limitMs?: number;
  /** Gets sentences for the operator. */
  readonly warn?: (sentence: string) => void;
}

/** A call to the runner by its name, with its arguments. */
export interface Call {
  readonly name: string;
  readonly args: readonly unknown[];
  readonly signal?: AbortSignal | undefined;
}

/** How calls get to a runner, which may be killed and started again at any time. */
export interface Asking {
  /** Returns the result of a call. */
  ask(call: Call): Promise<unknown>;
  /** Returns what a call that is answered piece by piece yields. */
  stream(call: Call): Promise<AsyncIterable<Uint8Array>>;
}

/** A runner that has been killed is there again after that time. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 50;
/** A call that ends the runner itself is not repeated for ever. */
const MOST_CUTS = 3;

const STARTING = 'What runs the applications is being started.';
const RESTARTED = 'What runs the applications was started again.';

/**
 * Returns what sends calls to the runner behind a socket. What was cut off, because the runner was killed, is sent again to the
 * next one, if a second call changes nothing. Rejects with an `HttpError`: that of the runner, or 503 when there is none, or one
 * that does not answer.
 */
export function asking(socketPath: string, { limitMs = LIMIT_MS, warn = () => {} }: AskingOptions = {}): Asking {
  const hello = (signal: AbortSignal) => send(socketPath, { name: 'hello', args: [], signal });
  const liveness = new Liveness({ limitMs, warn, ask: hello });
  const watched = async <T>(call: Call, mayLast: boolean, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const { signal: hangs, end } = liveness.watch(call.name, mayLast);
    try {
      const result = await work(call.signal ? AbortSignal.any([call.signal, hangs]) : hangs);
      liveness.answered();
      return result;
    } finally {
      end();
    }
  };
  return {
    ask: (call) =>
      repeated(call, () =>
        watched(call, LASTING.includes(call.name), async (signal) =>
          JSON.parse(await (await send(socketPath, { ...call, signal })).text()),
        ),
      ),
    stream: async (call) => {
      const answer = await repeated(call, () =>
        watched(call, false, (signal) => send(socketPath, { ...call, signal })),
      );
      return piecesWhileItAnswers(answer, liveness);
    },
  };
}

async function* piecesWhileItAnswers({ body }: LocalAnswer, liveness: Liveness): AsyncGenerator<Uint8Array, void> {
  const { signal, end } = liveness.watch('hello', true);
  signal.addEventListener('abort', () => void body.cancel());
  try {
    yield* body;
  } finally {
    end();
  }
}

/** Sends a call until it is answered. */
async function repeated<T>({ name, signal }: Call, send: () => Promise<T>): Promise<T> {
  let end = performance.now() + PATIENCE_MS;
  for (let cuts = 0; ; ) {
    try {
      return await send();
    } catch (cause) {
      if (cause instanceof HttpError || signal?.aborted) throw cause;
      if (isAbsent(cause)) {
        if (performance.now() > end) throw new HttpError(503, STARTING, undefined, { cause });
      } else {
        cuts += 1;
        end = performance.now() + PATIENCE_MS;
        if (ONCE.includes(name) || cuts === MOST_CUTS) throw new HttpError(503, RESTARTED, undefined, { cause });
      }
      await pause(PAUSE_MS);
    }
  }
}

/** Whether nothing was asked: nothing listens on the socket, or nobody takes the connections that wait there. */
function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ECONNREFUSED', 'EAGAIN'].some((code) => hasCode(error, code));
}

/** Sends a call once. */
export async function send(
  socketPath: string,
  { name, args, signal }: Omit<Call, 'args'> & { readonly args: readonly unknown[] | readonly ServicePort[] | Launch },
): Promise<LocalAnswer> {
  const answer = await localFetch(`http://runner/${name}`, {
    socketPath,
    method: 'POST',
    body: JSON.stringify(args),
    ...(signal && { signal }),
  });
  if (answer.ok) return answer;
  const { error, log, cause } = JSON.parse(await answer.text());
  throw new HttpError(answer.status, error, log, { cause });
}
