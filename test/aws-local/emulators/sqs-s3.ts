import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buildApp } from 'fauxqs';
import { portOf } from '../../../lib/http/ports.ts';
import { identify } from '../access/check.ts';
import { listCall, s3Calls, sqsCalls } from '../permissions/calls/sqs-s3.ts';
import type { Guard } from '../permissions/guard.ts';
import { OPERATOR_ONLY } from '../permissions/operator.ts';
import { recordOf } from '../template/intrinsics.ts';

/** Queues and buckets, both at one address. */
export interface SqsS3 {
  readonly endpoint: string;
  close(): Promise<void>;
}

type App = ReturnType<typeof buildApp>;

/** The part of a request to the emulator that is read here. */
interface Request {
  readonly raw: IncomingMessage;
  readonly headers: IncomingMessage['headers'];
  readonly method: string;
  readonly url: string;
  readonly query: unknown;
  readonly body: unknown;
}

/** The part of the emulator's reply that answers in its place. */
interface Reply {
  readonly raw: ServerResponse;
  readonly statusCode: number;
  code(status: number): Reply;
  type(contentType: string): Reply;
  header(name: string, value: string): Reply;
  send(payload: unknown): Reply;
}

/** The calls of this module to the emulator. */
const OWN_CALL = { 'x-own-call': randomUUID() };
const MAX_BODY_BYTES = 1024 ** 3;
const UNFULFILLED = 'At least one of the pre-conditions you specified did not hold';

/**
 * Starts the SQS and S3 emulator, which has everything in memory, on a free port of 127.0.0.1 (an address, not a name:
 * with it S3 clients put the bucket in the path).
 *
 * @param guard decides what callers may do; by default, only the operator may do anything
 */
export async function startSqsS3(guard: Guard = OPERATOR_ONLY): Promise<SqsS3> {
  // Not awaited: awaiting the app makes it ready, and hooks must be added before.
  const app = buildApp({ logger: false });
  refuseUnallowed(app, guard, liftBodyLimit(app));
  rewriteQueueUrls(app);
  refuseOtherDeadLetters(app);
  refuseOverwrites(app);
  keepCacheControl(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { endpoint: `http://127.0.0.1:${portOf(app.server)}`, close: () => app.close() };
}

/**
 * The emulator's limit of 11 MiB is below a single PutObject of a tarball; it is a setting of the parsers, so they are
 * replaced. Returns the bodies that were parsed, as they were sent.
 */
function liftBodyLimit(app: App): WeakMap<IncomingMessage, string> {
  const sent = new WeakMap<IncomingMessage, string>();
  const options = { parseAs: 'string', bodyLimit: MAX_BODY_BYTES } as const;
  const parser = (parse: (body: string) => unknown) => async (request: { raw: IncomingMessage }, body: string) => {
    sent.set(request.raw, body);
    return parse(body);
  };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/x-amz-json-1.0', options, parser(JSON.parse));
  const form = parser((body) => Object.fromEntries(new URLSearchParams(body)));
  app.addContentTypeParser('application/x-www-form-urlencoded', options, form);
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
    async (_: unknown, body: Buffer) => body,
  );
  return sent;
}

/** Refuses what is not signed, and what the policies of the caller's role do not allow, in the words of S3 and SQS. */
function refuseUnallowed(app: App, guard: Guard, sent: WeakMap<IncomingMessage, string>): void {
  const callers = new WeakMap<IncomingMessage, string>();
  app.addHook('preHandler', async (request: Request, reply: Reply) => {
    const { raw, headers } = request;
    if (headers['x-own-call'] === OWN_CALL['x-own-call']) return;
    const text = sent.get(raw);
    const body = text === undefined ? undefined : Buffer.from(text);
    const { caller, refusal } = await identify(raw, guard, { body });
    const input = text === undefined ? {} : recordOf(request.body);
    const operation = operationOf(headers, input);
    if (refusal !== undefined) {
      const message = `Refused: ${refusal}.`;
      if (operation === undefined) return refuse(reply, 403, 'SignatureDoesNotMatch', message);
      return reply.code(403).send({ __type: 'com.amazon.coral.service#InvalidSignatureException', message });
    }
    callers.set(raw, caller);
    const denial = guard.denial(caller, operation === undefined ? s3Calls(raw) : sqsCalls(operation, input));
    if (denial === undefined) return;
    if (operation === undefined) return refuse(reply, 403, 'AccessDenied', denial);
    reply.header('x-amzn-query-error', 'AccessDenied;Sender');
    return reply.code(403).send({ __type: 'com.amazonaws.sqs#AccessDeniedException', message: denial });
  });
  // Who may not list a bucket does not get to know whether an object is there.
  app.addHook('onSend', async ({ raw }: Request, reply: Reply, payload: unknown) => {
    const caller = callers.get(raw);
    const list = reply.statusCode === 404 ? listCall(raw) : undefined;
    const denial = list && caller && guard.denialOfMore(caller, list);
    if (!denial) return payload;
    reply.code(403).type('application/xml');
    return errorXml('AccessDenied', denial);
  });
}

/** Returns the operation of a call to SQS; undefined for one to S3. */
function operationOf(headers: IncomingMessage['headers'], { Action }: Record<string, unknown>): string | undefined {
  const [, operation] = /^AmazonSQS\.(\w+)$/.exec(String(headers['x-amz-target'])) ?? [];
  return operation ?? (typeof Action === 'string' ? Action : undefined);
}

/**
 * The emulator's queue URLs have a host in .localhost, which not every resolver knows; callers get the host they used.
 */
function rewriteQueueUrls(app: App): void {
  const inside = new Map<string, string>();
  const outside = (host: string | undefined, url: unknown) => {
    const { pathname } = new URL(String(url));
    inside.set(pathname, String(url));
    return `http://${host}${pathname}`;
  };
  app.addHook('preHandler', async ({ body }: Request) => {
    const input = recordOf(body);
    const { QueueUrl: url } = input;
    if (typeof url === 'string' && URL.canParse(url)) input.QueueUrl = inside.get(new URL(url).pathname) ?? url;
  });
  app.addHook('preSerialization', async ({ headers }: Request, _reply: Reply, payload: unknown) => {
    const output = recordOf(payload);
    if (output.QueueUrl) output.QueueUrl = outside(headers.host, output.QueueUrl);
    if (Array.isArray(output.QueueUrls)) output.QueueUrls = output.QueueUrls.map((url) => outside(headers.host, url));
    return payload;
  });
}

/**
 * A dead-letter queue of another type, FIFO or standard, which the emulator accepts.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 */
function refuseOtherDeadLetters(app: App): void {
  const isFifo = (name: unknown) => String(name).endsWith('.fifo');
  app.addHook('preHandler', async ({ body }: Request, reply: Reply) => {
    const { Attributes, QueueName, QueueUrl } = recordOf(body);
    const { RedrivePolicy: policy } = recordOf(Attributes);
    if (typeof policy !== 'string' || policy === '') return;
    const { deadLetterTargetArn } = recordOf(JSON.parse(policy));
    if (isFifo(deadLetterTargetArn) === isFifo(QueueName ?? QueueUrl)) return;
    const reason = 'Dead-letter queue must be same type of queue as the source.';
    reply.header('x-amzn-query-error', 'InvalidParameterValue;Sender');
    const message = `Value ${policy} for parameter RedrivePolicy is invalid. Reason: ${reason}`;
    return reply.code(400).send({ __type: 'com.amazonaws.sqs#InvalidParameterValue', message });
  });
}

/**
 * `If-None-Match: *` on a write, which the emulator does not know: 412 when the object exists, 409 while another such
 * write of the same key is running. https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
 */
function refuseOverwrites(app: App): void {
  const writing = new Set<string>();
  app.addHook('preHandler', async ({ headers, method, query, url }: Request, reply: Reply) => {
    if (headers['if-none-match'] !== '*' || !(method === 'PUT' || 'uploadId' in recordOf(query))) return;
    const path = pathOf(url);
    if (writing.has(path)) return refuse(reply, 409, 'ConditionalRequestConflict', UNFULFILLED);
    writing.add(path);
    reply.raw.once('close', () => writing.delete(path));
    const { ok } = await fetch(`http://${headers.host}${path}`, { method: 'HEAD', headers: OWN_CALL });
    if (ok) return refuse(reply, 412, 'PreconditionFailed', UNFULFILLED);
  });
}

/** The emulator drops an object's Cache-Control; it is stored here by path and added to the responses of reads. */
function keepCacheControl(app: App): void {
  const kept = new Map<string, string>();
  app.addHook('onSend', async (request: Request, reply: Reply) => {
    if (reply.statusCode >= 300) return;
    const path = pathOf(request.url);
    const query = recordOf(request.query);
    const starts = request.method === 'PUT' ? !('partNumber' in query) : 'uploads' in query;
    const header = request.headers['cache-control'];
    const known = kept.get(path);
    if (starts && header) kept.set(path, header);
    else if (starts || request.method === 'DELETE') kept.delete(path);
    else if (known !== undefined) reply.header('cache-control', known);
  });
}

function pathOf(url: string): string {
  return url.split('?')[0] ?? '';
}

function refuse(reply: Reply, status: number, code: string, message: string): Reply {
  return reply.code(status).type('application/xml').send(errorXml(code, message));
}

function errorXml(code: string, message: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
}
