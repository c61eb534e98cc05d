// The SQS and S3 emulator in a thread of its own, so that a large upload does not hold up the gateway.
// Plain JavaScript, because a worker starts without a TypeScript loader.
import { randomUUID } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { buildApp } from 'fauxqs';
import { identify } from '../access/check.mjs';
import { listCall, s3Calls, sqsCalls } from '../permissions/calls/sqs-s3.mjs';
import { openGuard } from '../permissions/guard.mjs';

const MAX_BODY_BYTES = 1024 ** 3;
/** For calls that do not name the hash of their body: only SQS has such, and its messages are short. */
const MAX_UNHASHED_BYTES = 1024 ** 2;
/** The calls of this thread to itself. */
const OWN_CALL = { 'x-own-call': randomUUID() };

const guard = openGuard(workerData.principals, (finding) => parentPort.postMessage({ finding }));

// Not awaited: awaiting the app makes it ready, and hooks must be added before.
const app = buildApp({ logger: false });
refuseUnsigned();
refuseUnallowed();
liftBodyLimit();
rewriteQueueUrls();
refuseOverwrites();
keepCacheControl();

/** The emulator itself answers everybody. Where a body has to be read first, its hash is part of the signature. */
function refuseUnsigned() {
  const refuseUnless = async (request, reply, body) => {
    const { caller, refusal } = await identify(request.raw, guard, body);
    if (refusal !== undefined) return forbid(reply, refusal);
    request.caller = caller;
  };
  const isOwn = ({ headers }) => headers['x-own-call'] === OWN_CALL['x-own-call'];
  const needsBody = ({ headers }) => !('x-amz-content-sha256' in headers) && Number(headers['content-length'] ?? 0) > 0;
  app.addHook('onRequest', async (request, reply) => {
    if (isOwn(request)) return;
    if (!needsBody(request)) return refuseUnless(request, reply);
    if (Number(request.headers['content-length']) > MAX_UNHASHED_BYTES) return forbid(reply, 'the body has no hash');
  });
  app.addHook('preHandler', async (request, reply) => {
    if (!isOwn(request) && needsBody(request)) return refuseUnless(request, reply, Buffer.from(request.sentBody ?? ''));
  });
}

/** Refuses what the policies of the caller's role do not allow, in the words of S3 and SQS. */
function refuseUnallowed() {
  app.addHook('preHandler', async (request, reply) => {
    const { caller, raw, body, headers } = request;
    if (caller === undefined) return;
    const [, operation] = /^AmazonSQS\.(\w+)$/.exec(headers['x-amz-target'] ?? body?.Action ?? '') ?? [];
    const isSqs = operation !== undefined || body?.Action !== undefined;
    const denial = guard.denial(caller, isSqs ? sqsCalls(operation ?? body.Action, body ?? {}) : s3Calls(raw));
    if (denial === undefined) return;
    if (!isSqs) return refuse(reply, 403, 'AccessDenied', denial);
    reply.header('x-amzn-query-error', 'AccessDenied;Sender');
    return reply.code(403).send({ __type: 'com.amazonaws.sqs#AccessDeniedException', message: denial });
  });
  // Who may not list a bucket does not get to know whether an object is there.
  app.addHook('onSend', async (request, reply, payload) => {
    const list = reply.statusCode === 404 && request.caller !== undefined ? listCall(request.raw) : undefined;
    const denial = list && guard.denialOfMore(request.caller, list);
    if (denial === undefined) return payload;
    reply.code(403).type('application/xml');
    return errorXml('AccessDenied', denial);
  });
}

function forbid(reply, reason) {
  const message = `Refused: ${reason}.`;
  if (reply.request.headers['x-amz-target'] === undefined) return refuse(reply, 403, 'SignatureDoesNotMatch', message);
  return reply.code(403).send({ __type: 'com.amazon.coral.service#InvalidSignatureException', message });
}

/**
 * The emulator's limit of 11 MiB is below a single PutObject of a tarball; it is a setting of the parsers, so they are
 * replaced.
 */
function liftBodyLimit() {
  const options = { parseAs: 'string', bodyLimit: MAX_BODY_BYTES };
  app.removeAllContentTypeParsers();
  const parser = (parse) => async (request, body) => {
    request.sentBody = body;
    return parse(body);
  };
  app.addContentTypeParser('application/x-amz-json-1.0', options, parser(JSON.parse));
  const form = parser((body) => Object.fromEntries(new URLSearchParams(body)));
  app.addContentTypeParser('application/x-www-form-urlencoded', options, form);
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, async (_request, body) => body);
}

/**
 * The emulator's queue URLs have a host in .localhost, which not every resolver knows; callers get the host they used.
 */
function rewriteQueueUrls() {
  const inside = new Map();
  const outside = (request, url) => {
    const { pathname } = new URL(url);
    inside.set(pathname, url);
    return `http://${request.headers.host}${pathname}`;
  };
  app.addHook('preHandler', async (request) => {
    const url = request.body?.QueueUrl;
    if (typeof url === 'string' && URL.canParse(url)) request.body.QueueUrl = inside.get(new URL(url).pathname) ?? url;
  });
  app.addHook('preSerialization', async (request, _reply, payload) => {
    if (payload?.QueueUrl) payload.QueueUrl = outside(request, payload.QueueUrl);
    if (payload?.QueueUrls) payload.QueueUrls = payload.QueueUrls.map((url) => outside(request, url));
    return payload;
  });
}

/**
 * `If-None-Match: *` on a write, which the emulator does not know: 412 when the object exists, 409 while another such
 * write of the same key is running. https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
 */
function refuseOverwrites() {
  const writing = new Set();
  const conditional = (request) =>
    request.headers['if-none-match'] === '*' && (request.method === 'PUT' || 'uploadId' in request.query);
  app.addHook('preHandler', async (request, reply) => {
    if (!conditional(request)) return;
    const [path] = request.url.split('?');
    if (writing.has(path)) return refuse(reply, 409, 'ConditionalRequestConflict', UNFULFILLED);
    writing.add(path);
    reply.raw.once('close', () => writing.delete(path));
    const { statusCode } = await app.inject({ method: 'HEAD', url: path, headers: OWN_CALL });
    if (statusCode === 200) return refuse(reply, 412, 'PreconditionFailed', UNFULFILLED);
  });
}

const UNFULFILLED = 'At least one of the pre-conditions you specified did not hold';

function refuse(reply, status, code, message) {
  return reply.code(status).type('application/xml').send(errorXml(code, message));
}

function errorXml(code, message) {
  return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
}

/** The emulator drops an object's Cache-Control; it is stored here by path and added to the responses of reads. */
function keepCacheControl() {
  const kept = new Map();
  app.addHook('onSend', async (request, reply) => {
    if (reply.statusCode >= 300) return;
    const [path] = request.url.split('?');
    const starts = request.method === 'PUT' ? !('partNumber' in request.query) : 'uploads' in request.query;
    const header = request.headers['cache-control'];
    if (starts && header) kept.set(path, header);
    else if (starts || request.method === 'DELETE') kept.delete(path);
    else if (kept.has(path)) reply.header('cache-control', kept.get(path));
  });
}

parentPort.once('message', async () => {
  await app.close();
  parentPort.close();
});
try {
  await app.listen({ host: '127.0.0.1', port: 0 });
  parentPort.postMessage({ port: app.server.address().port });
} catch (error) {
  parentPort.postMessage({ error: error.message });
  parentPort.close();
}
