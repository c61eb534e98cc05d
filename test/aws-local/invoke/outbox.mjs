// A message is sent after this many chunks, so that the gateway's thread starts while this one continues.
const MAX_CHUNKS = 32;
// Chunks up to this size share a message; for a larger one, a message of its own is cheaper than a copy.
const SMALL_BYTES = 4096;

/**
 * Sends chunks of responses to the gateway. Small chunks of one event loop iteration share one message, because a
 * message costs more than copying them, and a chunk sent to many readers is copied once. `send` calls back when the
 * chunk is sent; its bytes must not change before.
 */
export function openOutbox(port) {
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
