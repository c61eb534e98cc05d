import type { IncomingMessage, ServerResponse } from 'node:http';
import { buildApp } from 'fauxqs';
import { portOf } from '../../../lib/http/ports.ts';
import { identify } from '../access/check.ts';
import { REGION } from '../clients.ts';
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

const MAX_BODY_BYTES = 1024 ** 3;

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
  refuseUnheeded(app);
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
  const rewritten = (url: unknown, host: unknown) => `http://${host}${new URL(String(url)).pathname}`;
  app.addHook('preHandler', async ({ body, headers }: Request) => {
    const input = recordOf(body);
    if (input.QueueUrl)
      input.QueueUrl = rewritten(input.QueueUrl, `sqs.${REGION}.localhost:${headers.host?.split(':')[1]}`);
  });
  app.addHook('preSerialization', async ({ headers }: Request, _reply: Reply, payload: unknown) => {
    const output = recordOf(payload);
    if (output.QueueUrl) output.QueueUrl = rewritten(output.QueueUrl, headers.host);
    if (Array.isArray(output.QueueUrls)) output.QueueUrls = output.QueueUrls.map((url) => rewritten(url, headers.host));
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

/** Headers of a write that the emulator would drop without a word. */
function refuseUnheeded(app: App): void {
  app.addHook('preHandler', async ({ headers, method }: Request, reply: Reply) => {
    const unheeded = ['if-match', 'if-none-match', 'cache-control'].find((name) => name in headers);
    if (method === 'GET' || method === 'HEAD' || unheeded === undefined) return;
    return refuse(reply, 501, 'NotImplemented', `The header ${unheeded} of a write is not emulated.`);
  });
}

function refuse(reply: Reply, status: number, code: string, message: string): Reply {
  return reply.code(status).type('application/xml').send(errorXml(code, message));
}

function errorXml(code: string, message: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
}
