import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { within } from '../../../functions/adapters/system/within.ts';
import { clientError, loginThrottled, problemAnswer } from '../../../functions/api/answers.ts';
import { refuseCrossSite } from '../../../functions/api/cross-site.ts';
import type { BodilessAnswer, HttpAnswer, HttpRequest, StreamAnswer } from '../../../functions/api/http.ts';
import { corsHeaders, preflightAnswer } from '../../../functions/api/origins.ts';
import { refusals } from '../../../functions/api/refusals.ts';
import { answerUnknown } from '../../../functions/api-unknown/unknown.ts';
import { once } from '../../../functions/core/concurrency.ts';
import { DeployError } from '../../../functions/core/errors.ts';
import type { LoggedIn, LoginDecision, LoginRequest } from '../../../functions/core/login.ts';
import type { Trace } from '../../../functions/core/ports/system.ts';
import type { Bodies, Exchange } from './body.ts';
import type { HttpLimits } from './limits.ts';
import type { Pace } from './pace.ts';
import { busy, notLoggedIn, Refused, refusedAnswer } from './refused.ts';
import { queryOf, type RequestHead } from './request.ts';
import { decodedPart, type Matched } from './router.ts';

/** The work of an endpoint: a plain answer or a stream. */
export type Endpoint =
  | { readonly answer: (request: HttpRequest) => Promise<HttpAnswer> }
  | { readonly stream: (request: HttpRequest) => Promise<StreamAnswer | BodilessAnswer> };

/** An answer, or a stream that ends by `endsAt` (epoch milliseconds). */
export type Answered =
  | { readonly whole: HttpAnswer }
  | { readonly streamed: StreamAnswer | BodilessAnswer; readonly endsAt: number };

/** An answer, and why it is not the one that was asked for; for the log only. */
export type Reasoned = Answered & { readonly reason?: string };

export interface Answering {
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  readonly authorize: (request: LoginRequest) => Promise<LoginDecision>;
  readonly route: (method: string, path: string) => Matched;
  readonly limits: HttpLimits;
  readonly bodies: Bodies;
  readonly pace: Pace;
  readonly trace: Trace;
  /** The number of open requests without a login. */
  readonly strangers: { open: number };
  /** The connections whose last request had a login. */
  readonly members: WeakSet<Duplex>;
}

/**
 * Returns the answer to a request: route, login, origin, body, endpoint. The body is read last, so that a client
 * without a login cannot make the service keep it. What goes wrong becomes a problem document.
 */
export async function answerTo(parts: Answering, head: RequestHead, exchange: Exchange): Promise<Reasoned> {
  try {
    return withOrigin(await call(parts, head, exchange), head.origin);
  } catch (error) {
    // Nobody reads the answer to a client that has gone.
    if (exchange.response.destroyed) return { whole: { status: 499 }, reason: String(error) };
    if (error instanceof Refused) return { whole: refusedAnswer(error, head), reason: error.message };
    const whole = problemAnswer(clientError(error, head.uuid, parts.trace), head);
    return { ...withOrigin({ whole }, head.origin), reason: String(error) };
  }
}

async function call(parts: Answering, head: RequestHead, exchange: Exchange): Promise<Answered> {
  if (head.origin !== null && head.method === 'OPTIONS') return { whole: preflightAnswer(head.origin) };
  const matched = parts.route(head.method, head.path);
  const entered = await login(parts, { head, matched, exchange });
  const { resource, route, variables } = matched;
  refuseCrossSite({ ...head, resource });
  if (!route) return { whole: await answerUnknown({ ...head, resource }) };
  // An endpoint without login has no use for a body.
  const body = route.login === 'none' ? new Uint8Array() : await parts.bodies.read(exchange);
  await parts.pace.turn();
  const params = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, decodedPart(value)]));
  const { search, address: _, origin: __, ...rest } = head;
  const request = { ...rest, resource, params, query: queryOf(search), body, ...entered };
  return run(parts, route.function, { request, exchange });
}

/** Returns the login, its user empty for a request that needs no login, which counts as a stranger's until it is answered. */
async function login(
  parts: Answering,
  { head, matched, exchange }: { head: RequestHead; matched: Matched; exchange: Exchange },
): Promise<LoggedIn> {
  const logIn = enterAsStranger(parts, exchange.message.socket, exchange.response);
  if (!matched.route || matched.route.login === 'none') return { user: '' };
  const { resource, variables } = matched;
  const request = {
    resource,
    method: matched.route.method,
    pathUser: variables.user,
    authorization: head.headers.authorization,
    address: head.address,
    agent: head.headers['user-agent'],
  };
  const entered = await decide(request, { ...parts, uuid: head.uuid });
  logIn();
  return entered;
}

/**
 * Counts an open request without a login, until it is closed or has one, which the returned function says. Throws Refused
 * when there are too many.
 */
export function enterAsStranger(
  { strangers, limits, members }: Pick<Answering, 'strangers' | 'limits' | 'members'>,
  connection: Duplex,
  request: EventEmitter = connection,
): () => void {
  if (strangers.open >= limits.strangers) throw busy('too many requests without a login are open');
  strangers.open += 1;
  const leave = once(() => {
    strangers.open -= 1;
  });
  request.once('close', leave);
  return () => {
    leave();
    members.add(connection);
  };
}

/** Returns a login. Throws Refused, `request:throttled` or `request:forbidden`. */
export async function decide(
  request: LoginRequest,
  { authorize, limits, trace, uuid }: Pick<Answering, 'authorize' | 'limits' | 'trace'> & { readonly uuid: string },
): Promise<LoggedIn> {
  const late = () => new Error('the login was not checked in time');
  const decision = await within(limits.answerMs, () => authorize(request), late).catch((error: unknown) => {
    trace('login not checked', { uuid, error });
    throw new Refused(refusals.loginNotChecked, String(error));
  });
  if ('throttledSeconds' in decision) throw loginThrottled(decision.throttledSeconds);
  if ('forbidden' in decision) throw new DeployError('request:forbidden', decision.forbidden);
  if (!decision.allowed) throw notLoggedIn(decision);
  const { user, token } = decision;
  return { user, ...(token && { token }) };
}

/** Returns a signal that is aborted when the client leaves. */
function goneWith({ response }: Exchange): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return gone.signal;
}

async function run(
  { endpoints, limits }: Answering,
  name: string,
  { request, exchange }: { request: HttpRequest; exchange: Exchange },
): Promise<Answered> {
  const endpoint = endpoints[name];
  if (!endpoint) throw new Error(`there is no endpoint ${name}`);
  const tooLate = (ms: number) => () => new Refused(refusals.serviceFailed, `${name} did not answer in ${ms} ms`);
  // As on AWS, the endpoint works on after the time limit; its answer is dropped.
  if ('answer' in endpoint)
    return { whole: await within(limits.answerMs, () => endpoint.answer(request), tooLate(limits.answerMs)) };
  const endsAt = Date.now() + limits.streamMs;
  const opened = endpoint.stream({ ...request, gone: goneWith(exchange) });
  try {
    return { streamed: await within(limits.streamMs, () => opened, tooLate(limits.streamMs)), endsAt };
  } catch (error) {
    void opened.then(({ body }) => body?.[Symbol.asyncIterator]().return?.()).catch(() => {});
    throw error;
  }
}

/** Lets the page that asked read the answer, when its origin is allowed. A preflight answer says so itself. */
function withOrigin(answered: Answered, origin: string | null): Answered {
  if (origin === null) return answered;
  const add = <Any extends HttpAnswer | StreamAnswer | BodilessAnswer>(answer: Any): Any => {
    const { headers = {} } = answer;
    if ('access-control-allow-origin' in headers) return answer;
    return { ...answer, headers: { ...headers, ...corsHeaders(origin, headers.vary) } };
  };
  return 'whole' in answered ? { whole: add(answered.whole) } : { ...answered, streamed: add(answered.streamed) };
}
