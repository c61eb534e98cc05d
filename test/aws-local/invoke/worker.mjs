// Runs one function's bundle, as the Lambda Node.js runtime would, one invocation at a time. Plain JavaScript,
// because a worker thread gets no TypeScript loader. The messages are described in messages.ts.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileFunction, constants } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { openResponseStream, startPrelude } from './response-stream.mjs';

const streamingHandler = Symbol('streaming handler');
const open = new Map();
const outbox = openOutbox(parentPort);

// The two globals that a bundle expects from the runtime; they must exist before the bundle is loaded.
// https://docs.aws.amazon.com/lambda/latest/dg/config-rs-write-functions.html
globalThis.awslambda = {
  streamifyResponse: (handler) => Object.assign(handler, { [streamingHandler]: true }),
  HttpResponseStream: { from: startPrelude },
};

const handler = await loadHandler(workerData.bundle, workerData.exportName);
parentPort.on('message', receive);
parentPort.postMessage({ kind: 'ready' });

function receive(message) {
  if (message.kind === 'invoke') void invoke(message);
  else if (message.kind === 'ack') open.get(message.id)?.acknowledge(message.bytes);
}

async function invoke({ id, event, context, stream }) {
  try {
    if (stream !== Boolean(handler[streamingHandler])) throw mismatch(stream);
    const result = stream ? await runStreaming(id, event, context) : await run(event, context);
    await answer({ kind: 'result', id, result });
  } catch (error) {
    await answer({ kind: 'failed', id, error: describe(error) });
  }
}

async function answer(outcome) {
  outbox.flush();
  open.delete(outcome.id);
  // A frozen thread sends nothing more.
  await flushOutput();
  parentPort.postMessage(outcome);
  freezeUntilInvoked(workerData.invocations);
}

// Results are serialised to JSON, as on AWS, so that values without a JSON form are lost here too.
async function run(event, context) {
  return JSON.stringify((await handler(JSON.parse(event), lambdaContext(context))) ?? null);
}

async function runStreaming(id, event, context) {
  const response = openResponseStream((chunk, sent) => outbox.send(id, chunk, sent));
  open.set(id, response);
  await handler(JSON.parse(event), response.stream, lambdaContext(context));
  await response.finished();
  return 'null';
}

function lambdaContext({ deadline, ...fields }) {
  return { ...fields, callbackWaitsForEmptyEventLoop: true, getRemainingTimeInMillis: () => deadline - Date.now() };
}

function mismatch(stream) {
  return new Error(
    stream
      ? 'the integration streams, but the handler was not made with awslambda.streamifyResponse'
      : 'the handler was made with awslambda.streamifyResponse, but it is invoked for a whole response',
  );
}

function describe(error) {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error), trace: [] };
  return { errorType: error.name, errorMessage: error.message, trace: error.stack?.split('\n') ?? [] };
}

// Lambda freezes an execution environment that has answered: timers and sockets stop until its next invocation.
// https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
let answered = 0;

/** Waits until what the function has printed is sent, because a frozen thread sends nothing. */
async function flushOutput() {
  await Promise.all([process.stdout, process.stderr].map(flush));
}

/**
 * Blocks this thread until there is an invocation that it has not answered.
 *
 * @param invocations counts those that were sent to it
 */
function freezeUntilInvoked(invocations) {
  answered += 1;
  Atomics.wait(invocations, 0, answered);
}

function flush(stream) {
  if (stream.writableLength === 0) return undefined;
  return new Promise((flushed) => stream.write('', flushed));
}

/** Returns the handler that a bundle exports under a name. Throws when it exports no function of that name. */
async function loadHandler(file, exportName) {
  const exported = (isCommonJs(file) ? requireFile(file) : await import(pathToFileURL(file).href))[exportName];
  if (typeof exported === 'function') return exported;
  throw new Error(`${file} exports no function named ${exportName}`);
}

/** On Lambda there is no package.json above the bundle; here the project's must not decide the bundle's format. */
function isCommonJs(file) {
  if (!file.endsWith('.js')) return file.endsWith('.cjs');
  const manifest = join(dirname(file), 'package.json');
  return !existsSync(manifest) || JSON.parse(readFileSync(manifest, 'utf8')).type !== 'module';
}

function requireFile(file) {
  const module = { exports: {} };
  const run = compileFunction(readFileSync(file, 'utf8'), ['exports', 'require', 'module', '__filename', '__dirname'], {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  run(module.exports, createRequire(file), module, file, dirname(file));
  return module.exports;
}

// A message is sent after this many chunks, so that the gateway's thread starts while this one continues.
const MAX_CHUNKS = 32;
// Chunks up to this size share a message; for a larger one, a message of its own is cheaper than a copy.
const SMALL_BYTES = 4096;

/**
 * Sends chunks of responses to the gateway. Small chunks of one event loop iteration share one message, because a
 * message costs more than copying them, and a chunk sent to many readers is copied once. `send` calls back when the
 * chunk is sent; its bytes must not change before.
 */
function openOutbox(port) {
  let waiting = [];
  let due;
  const flush = () => {
    clearImmediate(due);
    due = undefined;
    if (waiting.length === 0) return;
    const leaving = waiting;
    waiting = [];
    port.postMessage({ kind: 'chunks', chunks: leaving.map(({ id, chunk }) => ({ id, chunk })) });
    for (const { sent } of leaving) sent();
  };
  const sendNow = (id, chunk, sent) => {
    const own = new Uint8Array(chunk);
    port.postMessage({ kind: 'chunks', chunks: [{ id, chunk: own }] }, [own.buffer]);
    sent();
  };
  const send = (id, chunk, sent) => {
    // A message copies the whole ArrayBuffer of a chunk, and a Buffer may be part of a pool.
    if (chunk.byteLength > SMALL_BYTES || chunk.byteLength < chunk.buffer.byteLength) return sendNow(id, chunk, sent);
    waiting.push({ id, chunk, sent });
    if (waiting.length >= MAX_CHUNKS) flush();
    else due ??= setImmediate(flush);
  };
  return { send, flush };
}
