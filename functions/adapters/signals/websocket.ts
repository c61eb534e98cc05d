import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { storedEntry } from '../../core/entry/entry.ts';
import { isObject } from '../../core/json.ts';
import { jsonIn } from '../../core/json-value.ts';
import type { Change } from '../../core/ports/log.ts';
import type { OnSignal, Signals } from '../../core/ports/signals.ts';

interface WebSocketSignalsOptions {
  /** Returns a signed address to connect to, for one user. */
  readonly address: (user: string) => Promise<string>;
  /** Logs connections that failed or broke; never with an address, because its signature is a login. */
  readonly trace: (event: string, fields: Readonly<Record<string, unknown>>) => void;
  /**
   * Time between two registrations; default 5 minutes. API Gateway closes a connection after 10 minutes without
   * messages.
   */
  readonly renewMs?: number;
  /** Time before the first reconnect, doubled for each further one; default 200. */
  readonly backoffMs?: number;
}

const MAX_BACKOFF_MS = 15_000;
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** A signal has 32 KB at most. */
const MAX_MESSAGE_BYTES = 64 * 1024;

/**
 * Returns the signals of the service's WebSocket API. A connection registers after it is open, because nothing can be
 * posted to it before; the answer is the first signal. A connection that breaks is replaced until the subscription is
 * closed.
 */
export function webSocketSignals(options: WebSocketSignalsOptions): Signals {
  return {
    subscribe: (user, onSignal) => {
      const stop = new AbortController();
      void keepConnected(user, onSignal, stop.signal, options);
      return { close: () => stop.abort() };
    },
  };
}

async function keepConnected(
  user: string,
  onSignal: OnSignal,
  signal: AbortSignal,
  options: WebSocketSignalsOptions,
): Promise<void> {
  const firstBackoffMs = options.backoffMs ?? 200;
  let backoffMs = firstBackoffMs;
  const received: OnSignal = (last, changes) => {
    backoffMs = firstBackoffMs;
    onSignal(last, changes);
  };
  while (!signal.aborted) {
    try {
      await connection(await options.address(user), received, signal, options);
    } catch (error) {
      // Only the kind of error: its message may contain the signed address.
      options.trace('signals disconnected', { reason: error instanceof Error ? error.name : 'unknown' });
    }
    if (signal.aborted) return;
    // Signals may be lost until the next connection; null makes the receiver read the log's counter.
    onSignal(null);
    await sleep(backoffMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
    backoffMs = Math.min(2 * backoffMs, MAX_BACKOFF_MS);
  }
}

/** Opens one connection and resolves when it is closed. Rejects when it fails. */
function connection(
  address: string,
  onSignal: OnSignal,
  signal: AbortSignal,
  { renewMs = 300_000 }: WebSocketSignalsOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address, {
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
    });
    const register = () => socket.send('{"action":"register"}');
    const close = () => socket.terminate();
    let renewal: NodeJS.Timeout | undefined;
    signal.addEventListener('abort', close, { once: true });
    socket.once('open', () => {
      register();
      renewal = setInterval(register, renewMs);
    });
    socket.on('message', (data) => {
      const received = readSignal(String(data));
      if (received) onSignal(received.last, received.changes);
    });
    socket.once('error', reject);
    socket.once('close', () => {
      clearInterval(renewal);
      signal.removeEventListener('abort', close);
      resolve();
    });
    if (signal.aborted) close();
  });
}

interface Signal {
  readonly last: number;
  readonly changes: readonly Change[];
}

/** Returns the signal in `{"last": n, "changes": […]}`; null for any other message. */
function readSignal(text: string): Signal | null {
  // Without the nesting limit of `parseJson`: a manifest that is nested as deeply as it allows is nested deeper here.
  const signal = jsonIn(text);
  if (!isObject(signal)) return null;
  const { last, changes } = signal;
  if (!isNumber(last)) return null;
  return { last, changes: Array.isArray(changes) ? changes.filter(isChange).map(storedEntry) : [] };
}

/** The stored form of a change. Only the service's own functions can post here, so a quick check is enough. */
function isChange(value: unknown): value is Change {
  return isObject(value) && isNumber(value.seq);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
