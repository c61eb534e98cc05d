// The process in front of the database emulator, which answers everybody: it passes on the connections whose first
// request is signed with this start's key. The emulator has no port that others could reach: both run in a network of
// their own, and the listening socket comes from outside. Plain JavaScript, so that it starts fast.
import { request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { refusalOfMessage } from '../access/check.mjs';

const PROBE_MS = 10;
const MAX_FIRST_BYTES = 17 * 1024 * 1024;
const FIRST_REQUEST_MS = 10_000;

const database = { host: '127.0.0.1', port: Number(process.argv[2]) };

process.on('message', ({ credentials }, listening) => void serve(listening, credentials));
// Whoever started this has ended.
process.on('disconnect', () => process.exit(0));

async function serve(listening, credentials) {
  while (!(await answers())) await pause(PROBE_MS);
  listening.on('connection', (socket) => {
    socket.on('error', () => socket.destroy());
    admit(socket, credentials).catch(() => socket.destroy());
  });
  process.send('ready');
}

/**
 * Checks the first request of a connection, not each: nobody else can send on it, and the database has to be about as
 * fast as without this process.
 */
async function admit(socket, credentials) {
  const late = setTimeout(() => socket.destroy(), FIRST_REQUEST_MS);
  const { bytes, message, body } = await firstRequest(socket);
  const reason = await refusalOfMessage(message, credentials, body);
  clearTimeout(late);
  if (reason !== undefined) return refuse(socket, reason);
  const upstream = connect({ ...database, noDelay: true }).on('error', () => socket.destroy());
  socket.setNoDelay(true);
  socket.once('close', () => upstream.destroy());
  upstream.once('close', () => socket.destroy());
  upstream.write(bytes);
  socket.pipe(upstream).pipe(socket);
}

/** Reads the head of a request, and its body where the head does not name the body's hash. */
async function firstRequest(socket) {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const end = bytes.indexOf('\r\n\r\n');
    const message = end < 0 ? undefined : parsed(bytes.subarray(0, end).toString('latin1'), socket);
    const wanted =
      message && (message.headers['x-amz-content-sha256'] ? 0 : Number(message.headers['content-length'] ?? 0));
    const body = bytes.subarray(end + 4, end + 4 + (wanted ?? 0));
    if (message && body.length === wanted) return { bytes, message, ...(wanted > 0 && { body }) };
    if (bytes.length > MAX_FIRST_BYTES) throw new Error('The first request is too long.');
    bytes = Buffer.concat([bytes, await next(socket)]);
  }
}

function next(socket) {
  return new Promise((resolve, reject) => {
    socket.once('close', reject);
    socket.once('data', (chunk) => {
      socket.off('close', reject);
      // What comes next waits until it is asked for.
      socket.pause();
      resolve(chunk);
    });
    socket.resume();
  });
}

function parsed(head, socket) {
  const [line = '', ...fields] = head.split('\r\n');
  const [method, url] = line.split(' ');
  const headers = fields
    .map((field) => field.split(/:\s*(.*)/s).slice(0, 2))
    .map(([name, value]) => [name.toLowerCase(), value]);
  return { method, url, headers: Object.fromEntries(headers), socket };
}

function refuse(socket, reason) {
  const body = JSON.stringify({
    __type: 'com.amazon.coral.service#InvalidSignatureException',
    message: `Refused: ${reason}.`,
  });
  const head = ['HTTP/1.1 403 Forbidden', 'content-type: application/x-amz-json-1.0', 'connection: close'];
  socket.end(`${head.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  // The rest of the request is read, so that the client sees the answer.
  socket.resume();
}

/** Whether the emulator answers: no other program sends this header. */
function answers() {
  return new Promise((resolve) => {
    const asked = request({ ...database, path: '/', agent: false }, (answer) => {
      answer.resume();
      resolve('x-dynoxide-version' in answer.headers);
    });
    asked.once('error', () => resolve(false));
    asked.end();
  });
}
