import { jsonIn } from '../../../functions/core/json-value.ts';
import { fieldsOf } from '../../client/lines.ts';
import { backOffMs } from '../../client/resume.ts';

interface SignalsOptions {
  readonly openSocket: (() => WebSocket) | null;
  /** The changes themselves, as lines, for where no WebSocket can be opened. */
  readonly stream: (signal: AbortSignal) => AsyncIterable<string>;
  /** Whether the page is hidden; it does not reconnect then. */
  readonly isHidden: () => boolean;
  readonly onLast: (last: number) => void;
  readonly onLine: (row: unknown) => void;
  /** `slow`: neither a WebSocket nor a stream can be had; both are tried again. */
  readonly onState: (state: 'connecting' | 'live' | 'slow') => void;
  readonly signal: AbortSignal;
}

/** API Gateway closes a connection after 10 minutes without messages, and at any rate after two hours. */
const RENEW_MS = 4 * 60_000;
/** The answer to a registration takes milliseconds: without one the connection is dead, as after sleep. */
const ANSWER_MS = 5_000;
const PAUSES = { minPauseMs: 150, maxPauseMs: 15_000 };
/** Changes are streamed after this number of failed attempts in a row; then it begins again. */
const MAX_ATTEMPTS = 2;

/** Connects, and connects again, until the signal aborts. `check` makes sure at once that the connection is alive. */
export function signals(options: SignalsOptions): { readonly check: () => void } {
  let register: (() => void) | null = null;
  let wake: (() => void) | null = null;
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      wake = resolve;
      setTimeout(resolve, ms);
      options.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  void (async () => {
    let failures = 0;
    while (!options.signal.aborted) {
      const useSocket = options.openSocket !== null && failures % (MAX_ATTEMPTS + 1) < MAX_ATTEMPTS;
      const connected = useSocket
        ? await socket(options, (send) => {
            register = send;
          })
        : await streamed(options);
      register = null;
      failures = connected ? 0 : failures + 1;
      if (options.signal.aborted) return;
      options.onState(failures > MAX_ATTEMPTS ? 'slow' : 'connecting');
      await pause(backOffMs(failures, PAUSES));
      while (options.isHidden() && !options.signal.aborted) await pause(PAUSES.maxPauseMs * 4);
    }
  })();
  return {
    check: () => {
      register?.();
      wake?.();
    },
  };
}

/** Resolves when a WebSocket has closed, with whether it was ever registered. */
function socket(
  { openSocket, onLast, onState, signal }: SignalsOptions,
  opened: (register: () => void) => void,
): Promise<boolean> {
  return new Promise((resolve) => {
    let wasLive = false;
    let unanswered: ReturnType<typeof setTimeout> | undefined;
    const one = openSocket && attempted(openSocket);
    if (!one) return resolve(false);
    const close = () => one.close();
    const register = () => {
      if (one.readyState !== WebSocket.OPEN) return;
      one.send('{"action":"register"}');
      clearTimeout(unanswered);
      unanswered = setTimeout(end, ANSWER_MS);
    };
    const renewal = setInterval(register, RENEW_MS);
    // The event of a close may come minutes later, when the other side is gone.
    const end = () => {
      clearInterval(renewal);
      clearTimeout(unanswered);
      signal.removeEventListener('abort', end);
      close();
      resolve(wasLive);
    };
    one.onopen = register;
    one.onclose = end;
    one.onmessage = ({ data }) => {
      const last = lastIn(data);
      if (last === null) return;
      clearTimeout(unanswered);
      wasLive = true;
      onState('live');
      onLast(last);
    };
    signal.addEventListener('abort', end);
    opened(register);
  });
}

/** Browsers throw for an address that they do not open, such as one without TLS in a page with it. */
function attempted(openSocket: () => WebSocket): WebSocket | null {
  try {
    return openSocket();
  } catch {
    return null;
  }
}

function lastIn(data: unknown): number | null {
  const { last } = fieldsOf(jsonIn(String(data)));
  return typeof last === 'number' ? last : null;
}

/** Resolves when a stream of changes has ended, with whether it ever began. */
async function streamed({ stream, onLine, onState, signal }: SignalsOptions): Promise<boolean> {
  let wasLive = false;
  try {
    for await (const line of stream(signal)) {
      wasLive = true;
      onState('live');
      if (line.trim() !== '') onLine(JSON.parse(line));
    }
  } catch {
    // The socket is opened again after a pause, also when too many streams are open (429).
  }
  return wasLive;
}
