import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { isObject } from '../../core/json.ts';
import type { Change } from '../../core/ports/log-reader.ts';
import type { OnSignal, Signals } from '../../core/ports/signals.ts';

/** How to reach the socket that signals come through. */
export interface WebSocketSignalsOptions {
  /** The address to connect to, made for one user and one use. */
  readonly address: (user: string) => Promise<string>;
  /** Told of connections that did not come about or broke; never given an address, which is as good as a login. */
  readonly trace: (event: string, fields: Readonly<Record<string, unknown>>) => void;
  /** Milliseconds between two registrations; default 5 minutes. API Gateway ends what was silent for ten. */
  readonly renewMs?: number;
  /** Milliseconds before the first try to reconnect, doubled with each further one; default 200. */
  readonly backOffMs?: number;
}

const LONGEST_BACK_OFF_MS = 15_000;
const HANDSHAKE_MS = 10_000;
/** A signal has 32 KB at most. */
const LARGEST_MESSAGE = 64 * 1024;

/**
 * Signals through the service's WebSocket API. A connection registers after it is open, since nothing can be posted to it
 * before, and the answer says where the log stands by then; one that breaks is made anew, for as long as somebody
 * subscribes.
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
  const first = options.backOffMs ?? 200;
  let backOff = first;
  const heard: OnSignal = (last, changes) => {
    backOff = first;
    onSignal(last, changes);
  };
  while (!signal.aborted) {
    try {
      await connection(await options.address(user), heard, signal, options);
    } catch (error) {
      // The message of an error may name the address, and the address is signed: only what kind of error it was.
      options.trace('signals disconnected', { reason: error instanceof Error ? error.name : 'unknown' });
    }
    if (signal.aborted) return;
    // What was signalled meanwhile is lost; looking for it costs one read.
    onSignal(null);
    await sleep(backOff * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
    backOff = Math.min(2 * backOff, LONGEST_BACK_OFF_MS);
  }
}

/** One connection, from its opening to its end. Rejects when it did not come about or broke. */
function connection(
  address: string,
  onSignal: OnSignal,
  signal: AbortSignal,
  { renewMs = 300_000 }: WebSocketSignalsOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address, {
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: LARGEST_MESSAGE,
      perMessageDeflate: false,
    });
    const register = () => socket.send('{"action":"register"}');
    const close = () => socket.terminate();
    let renewing: NodeJS.Timeout | undefined;
    signal.addEventListener('abort', close, { once: true });
    socket.once('open', () => {
      register();
      renewing = setInterval(register, renewMs);
    });
    socket.on('message', (data) => {
      const told = readSignal(String(data));
      if (told) onSignal(told.last, told.changes);
    });
    socket.once('error', reject);
    socket.once('close', () => {
      clearInterval(renewing);
      signal.removeEventListener('abort', close);
      resolve();
    });
    if (signal.aborted) close();
  });
}

interface Told {
  readonly last: number;
  readonly changes: readonly Change[];
}

/** What `{"last": n, "changes": […]}` says; null for anything else that the socket may say. */
function readSignal(text: string): Told | null {
  const signal = parsed(text);
  if (!isObject(signal)) return null;
  const { last, changes } = signal;
  if (!isNumber(last)) return null;
  return { last, changes: Array.isArray(changes) ? changes.filter(isChange) : [] };
}

/**
 * Without the limits for what comes from outside: a message is short, and what a manifest may nest as deep as they allow
 * lies deeper still in a change.
 */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Who may post to this socket are the service's own functions: it is a change, unless it is something else altogether. */
function isChange(value: unknown): value is Change {
  return isObject(value) && isNumber(value.seq);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
