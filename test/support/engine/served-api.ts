import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../functions/adapters/system/clock.ts';
import type { HttpAnswer, HttpRequest } from '../../../functions/api/http.ts';
import { readBasic } from '../../../functions/core/basic-auth.ts';
import type { LoginDecision, LoginRequest } from '../../../functions/core/login.ts';
import type { OnSignal } from '../../../functions/core/ports/signals.ts';
import type { Endpoint } from '../../../lib/engine/http/answer.ts';
import type { AccessRecord } from '../../../lib/engine/http/serve.ts';
import { type EngineHttpOptions, startHttp } from '../../../lib/engine/http/server.ts';
import { memoryAccounts } from '../../fakes/accounts.ts';

/** The API of the engine with endpoints of a test. */
export interface ServedApi {
  readonly url: string;
  readonly port: number;
  readonly records: AccessRecord[];
  readonly traced: string[];
  /** Tells the WebSockets of a user of a change. */
  signal(user: string, last: number | null): void;
  /** The users with an open subscription to signals. */
  subscribed(): string[];
  close(): Promise<void>;
}

/** Serves endpoints until the end of the test. The login is that of `ann`, with the password `right`. */
export async function serveApi(
  endpoints: Readonly<Record<string, Endpoint>>,
  options: Partial<EngineHttpOptions> = {},
): Promise<ServedApi> {
  const records: AccessRecord[] = [];
  const traced: string[] = [];
  const subscriptions = new Set<{ readonly user: string; readonly onSignal: OnSignal }>();
  const { port, close } = await startHttp({
    endpoints,
    authorize: onlyAnn,
    accounts: memoryAccounts([{ user: 'ann', secrets: ['right'] }]),
    clock: systemClock,
    publicUrl: null,
    allowedOrigins: [],
    port: 0,
    trusts: () => true,
    signals: {
      subscribe: (user, onSignal) => {
        const subscription = { user, onSignal };
        subscriptions.add(subscription);
        return { close: () => void subscriptions.delete(subscription) };
      },
    },
    log: { last: async () => 7 },
    onRequest: (record) => records.push(record),
    trace: (event) => traced.push(event),
    ...options,
  });
  onTestFinished(close);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    records,
    traced,
    signal: (user: string, last: number | null) => {
      for (const one of subscriptions) if (one.user === user) one.onSignal(last);
    },
    subscribed: () => [...subscriptions].map(({ user }) => user),
    close,
  };
}

async function onlyAnn({ authorization, pathUser }: LoginRequest): Promise<LoginDecision> {
  const { user, secret } = readBasic(authorization) ?? {};
  if (user !== 'ann' || secret !== 'right') {
    return { allowed: false, code: 'mw:auth:unauthorized', detail: 'Say "please".' };
  }
  return pathUser === undefined || pathUser === user
    ? { allowed: true, user }
    : { allowed: false, code: 'mw:auth:not_you', detail: 'Not yours.' };
}

/** The header of ann's login. */
export const ANN = { authorization: `Basic ${Buffer.from('ann:right').toString('base64')}` };

/** Returns an endpoint with a plain answer. */
export function answering(answer: (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>): Endpoint {
  return { answer: async (request) => answer(request) };
}

/** Sends bytes and returns all that comes back until the connection is closed. */
export async function exchange({ port }: Pick<ServedApi, 'port'>, lines: readonly string[]): Promise<string> {
  return text(sendRaw({ port }, lines.join('\r\n')));
}

/**
 * Whether Node reads on behind a request that offers another protocol. Where it asks `shouldUpgradeCallback`, it drops what has
 * come in the same packet; no client is known that sends both at once.
 */
export const keepsWhatFollowsAnOffer = !('shouldUpgradeCallback' in createServer());

/** Returns a connection on which these bytes were sent. */
export function sendRaw({ port }: Pick<ServedApi, 'port'>, bytes: string | Uint8Array): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(bytes);
  return socket;
}
