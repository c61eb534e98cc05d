// Runs one function's bundle, as the Lambda Node.js runtime would, one invocation at a time. Plain JavaScript,
// because a worker thread gets no TypeScript loader. The messages are described in messages.ts.
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

const streamingHandler = Symbol('streaming handler');
const head = Symbol('head');
/** Called when the last chunk was read. */
let acknowledged = () => {};

/** The stream that a streaming handler writes to; each chunk waits until the one before was read. */
class ResponseStream extends Writable {
  setContentType(contentType) {
    this.contentType = contentType;
  }

  _write(chunk, _encoding, done) {
    const bytes = this[head] ? Buffer.concat([Buffer.from(JSON.stringify(this[head])), Buffer.alloc(8), chunk]) : chunk;
    this[head] = undefined;
    if (bytes.byteLength === 0) return done();
    acknowledged = done;
    // A copy: the bytes may be part of a pool, and the function may change them after `done`.
    parentPort.postMessage({ kind: 'chunk', chunk: new Uint8Array(bytes) });
  }
}

// The two globals that a bundle expects from the runtime; they must exist before the bundle is loaded.
// https://docs.aws.amazon.com/lambda/latest/dg/config-rs-write-functions.html
globalThis.awslambda = {
  streamifyResponse: (handler) => Object.assign(handler, { [streamingHandler]: true }),
  HttpResponseStream: {
    // The head of the response is sent with the first write, as on AWS.
    from: (stream, fields) => {
      stream.setContentType('application/vnd.awslambda.http-integration-response');
      return Object.assign(stream, { [head]: fields });
    },
  },
};

const handler = await loadHandler(workerData.bundle, workerData.exportName);
parentPort.on('message', receive);
parentPort.postMessage({ kind: 'ready' });

function receive(message) {
  if (message.kind === 'invoke') return void invoke(message);
  const done = acknowledged;
  acknowledged = () => {};
  done();
}

async function invoke({ event, stream }) {
  const outcome = await run({ event, stream }).then(
    (result) => ({ kind: 'result', result }),
    (error) => ({ kind: 'failed', error: describe(error) }),
  );
  // A frozen thread sends nothing more.
  await Promise.all([process.stdout, process.stderr].map(flush));
  parentPort.postMessage(outcome);
  freezeUntilInvoked(workerData.invocations);
}

/**
 * Results are serialised to JSON, as on AWS, so that values without a JSON form are lost here too. The handlers of the
 * template take no context.
 */
async function run({ event, stream }) {
  if (stream !== Boolean(handler[streamingHandler])) throw mismatch(stream);
  if (!stream) return JSON.stringify((await handler(JSON.parse(event))) ?? null);
  const response = new ResponseStream({ highWaterMark: 64 * 1024 });
  const ended = finished(response);
  ended.catch(() => {});
  await handler(JSON.parse(event), response);
  // A handler that returns without ending its stream has ended the response: the real runtime closes it too.
  if (!response.writableEnded) response.end();
  await ended;
  return 'null';
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
  const { [exportName]: exported } = await import(pathToFileURL(file).href);
  if (typeof exported === 'function') return exported;
  throw new Error(`${file} exports no function named ${exportName}`);
}
