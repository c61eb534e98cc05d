import { Writable } from 'node:stream';

// Unacknowledged bytes at which write() makes the function wait.
const WINDOW_BYTES = 256 * 1024;
const preludes = new WeakMap();

/** `awslambda.HttpResponseStream.from`: the head of the response is sent with the first write, as on AWS. */
export function startPrelude(stream, head) {
  preludes.set(stream, head);
  stream.setContentType('application/vnd.awslambda.http-integration-response');
  return stream;
}

class ResponseStream extends Writable {
  #transmit;

  constructor(transmit) {
    super({ highWaterMark: 64 * 1024, decodeStrings: true });
    this.#transmit = transmit;
  }

  setContentType(contentType) {
    this.contentType = contentType;
  }

  _write(chunk, _encoding, done) {
    this.#transmit(chunk, done);
  }
}

/**
 * The stream a streaming handler writes to. `send` gets a chunk and calls back when it is sent; its bytes must not
 * change before. `acknowledge` opens the window again. `finished` resolves when the handler has ended the stream and
 * all of it is sent, and rejects when the stream is destroyed.
 */
export function openResponseStream(send) {
  let pending = 0;
  let resume;
  const stream = new ResponseStream((chunk, done) => {
    const bytes = withPrelude(stream, chunk);
    pending += bytes.byteLength;
    const sent = () => {
      if (pending < WINDOW_BYTES) done();
      else resume = done;
    };
    if (bytes.byteLength > 0) send(bytes, sent);
    else sent();
  });
  const end = new Promise((resolve, reject) => {
    stream.once('finish', resolve);
    stream.once('error', reject);
    stream.once('close', () => reject(new Error('the response stream was closed before its end')));
  });
  end.catch(() => {});
  const acknowledge = (bytes) => {
    pending -= bytes;
    if (pending >= WINDOW_BYTES || resume === undefined) return;
    const done = resume;
    resume = undefined;
    done();
  };
  const finished = () => {
    // A handler that returns without ending its stream has ended the response: the real runtime closes it too.
    if (!stream.writableEnded) stream.end();
    return end;
  };
  return { stream, acknowledge, finished };
}

function withPrelude(stream, chunk) {
  const head = preludes.get(stream);
  if (head === undefined) return chunk;
  preludes.delete(stream);
  return Buffer.concat([Buffer.from(JSON.stringify(head)), Buffer.alloc(8), chunk]);
}
