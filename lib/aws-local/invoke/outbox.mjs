// So many pieces leave together at most, so that the gateway's thread begins while this one goes on.
const MAX_CHUNKS = 32;
// Bytes up to which a piece waits for others; beyond, a message of its own costs less than the memory of several.
const SMALL_BYTES = 4096;

/**
 * Sends pieces of responses to the gateway: small ones of a turn of the event loop in one message, which costs more than
 * they do, and with it memory that many readers are sent is copied once. `send` calls back when the piece has left; until
 * then its bytes must stay as they are.
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
    // A message copies all of the memory that a piece lies in, and a Buffer may lie in a pool.
    if (chunk.byteLength > SMALL_BYTES || chunk.byteLength < chunk.buffer.byteLength) return sendNow(id, chunk, sent);
    waiting.push({ id, chunk, sent });
    if (waiting.length >= MAX_CHUNKS) flush();
    else due ??= setImmediate(flush);
  };
  return { send, flush };
}
