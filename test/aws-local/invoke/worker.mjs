// Runs one function's bundle, as the Lambda Node.js runtime would, one invocation at a time. Plain JavaScript,
// because a worker thread gets no TypeScript loader. The messages are described in messages.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { flushOutput, freezeUntilInvoked } from './freeze.mjs';
import { loadHandler } from './load-bundle.mjs';
import { openOutbox } from './outbox.mjs';
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
