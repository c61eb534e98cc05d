import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RenderedAnswer, rendered } from '../../../functions/api/answers.ts';
import type { HttpRequest } from '../../../functions/api/http.ts';
import { BUSY_SECONDS, CHALLENGE, READABLE_BY_ALL, type Refusal, refusals } from '../../../functions/api/refusals.ts';
import { errorRow, problem } from '../../../functions/core/errors.ts';
import type { LoginDecision } from '../../../functions/core/login.ts';

/** A request that no function sees, as with API Gateway's own refusals. `reason` is for the log only. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly refusal: Refusal;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(refusal: Refusal, reason: string, answer: { status?: number; headers?: Record<string, string> } = {}) {
    super(reason);
    this.refusal = refusal;
    this.status = answer.status ?? errorRow(refusal.code).status;
    this.headers = answer.headers ?? {};
  }
}

/** The service has too much to do. */
export function busy(reason: string): Refused {
  return new Refused(refusals.busy, reason, { headers: { 'retry-after': String(BUSY_SECONDS) } });
}

/** A login that is not valid, or not for this path. */
export function notLoggedIn(decision: Extract<LoginDecision, { allowed: false }>): Refused {
  return new Refused(decision, decision.code, { headers: { 'www-authenticate': CHALLENGE } });
}

/** A request that cannot be read, with the status that says why. */
export function unreadable(reason: string, status = errorRow(refusals.unreadable.code).status): Refused {
  return new Refused(refusals.unreadable, reason, { status, headers: { connection: 'close' } });
}

/** Returns the problem document of a refusal as an answer. */
export function refusedAnswer({ refusal, status, headers }: Refused, request: Pick<HttpRequest, 'base' | 'uuid'>) {
  const document = problem(refusal.code, refusal.detail, request);
  const type = { 'content-type': 'application/problem+json' };
  return { status, headers: { ...type, ...READABLE_BY_ALL, ...headers }, body: { ...document, status } };
}

/** The last answer of a connection that is not read any more, written past Node's own. */
export function refuseConnection(socket: Duplex, refused: Refused, base: string): void {
  if (!socket.writable) return void socket.destroy();
  const uuid = randomUUID();
  const answer = rendered(refusedAnswer(refused, { base, uuid }), uuid);
  socket.on('error', () => socket.destroy());
  socket.end(asText({ ...answer, headers: { ...answer.headers, connection: 'close' } }));
}

function asText({ status, headers, body }: RenderedAnswer): string {
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)) });
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines.map((line) => line.join(': '))];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
