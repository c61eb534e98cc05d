// The process in front of the database emulator, which answers everybody: it passes on the connections whose first
// request is signed with a key of this start, and of functions the requests that their roles allow. The emulator has no
// port that others could reach: both run in a network of their own, and the listening socket comes from outside. Plain
// JavaScript, so that it starts fast.
import { request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { identify } from '../access/check.mjs';
import { dynamodbCalls } from '../permissions/calls/dynamodb.mjs';
import { openGuard } from '../permissions/guard.mjs';

const PROBE_MS = 10;
const END_OF_HEAD = '\r\n\r\n';
const MAX_HEAD_BYTES = 64 * 1024;
const MAX_REQUEST_BYTES = 17 * 1024 * 1024;
const FIRST_REQUEST_MS = 10_000;

const database = { host: '127.0.0.1', port: Number(process.argv[2]) };

process.on('message', ({ principals }, listening) => {
  void serve(
    listening,
    openGuard(principals, (finding) => process.send({ finding })),
  );
});
// Whoever started this has ended.
process.on('disconnect', () => process.exit(0));

async function serve(listening, guard) {
  while (!(await answers())) await pause(PROBE_MS);
  listening.on('connection', (socket) => {
    socket.on('error', () => socket.destroy());
    admit(socket, guard).catch(() => socket.destroy());
  });
  process.send('ready');
}

/**
 * Checks the signature of the first request of a connection, not each: nobody else can send on it, and the database has
 * to be about as fast as without this process.
 */
async function admit(socket, guard) {
  const late = setTimeout(() => socket.destroy(), FIRST_REQUEST_MS);
  const first = await nextRequest(socket, Buffer.alloc(0));
  const { caller, refusal } = await identify(first.message, guard, first.body);
  clearTimeout(late);
  if (refusal !== undefined) return refuse(socket, refusal);
  const upstream = connect({ ...database, noDelay: true }).on('error', () => socket.destroy());
  socket.setNoDelay(true);
  socket.once('close', () => upstream.destroy());
  upstream.once('close', () => socket.destroy());
  upstream.pipe(socket);
  if (guard.principal(caller).statements) return passAllowed(socket, { first, caller, guard, upstream });
  upstream.write(first.bytes);
  socket.pipe(upstream);
}

/** Passes on, one after the other, the requests that the role of the caller allows. */
async function passAllowed(socket, { first, caller, guard, upstream }) {
  for (let request = first; ; request = await nextRequest(socket, request.rest)) {
    const { message, body, bytes } = request;
    // Another key would need a check of its signature; no client changes it on a connection.
    if (!message.headers.authorization?.includes(`Credential=${caller}/`)) return refuse(socket, 'the key has changed');
    const denial = guard.denial(caller, dynamodbCalls(`${message.headers['x-amz-target']}`, JSON.parse(body)));
    if (denial === undefined) upstream.write(bytes);
    else socket.write(errorAnswer('400 Bad Request', 'AccessDeniedException', denial));
  }
}

/** Reads a request with its body; `rest` is what has been read of the next one. */
async function nextRequest(socket, read) {
  const chunks = [await untilHead(socket, read)];
  const [start] = chunks;
  const end = start.indexOf(END_OF_HEAD);
  const message = parsed(start.subarray(0, end).toString('latin1'), socket);
  const head = end + END_OF_HEAD.length;
  const length = head + Number(message.headers['content-length'] ?? 0);
  if (length > MAX_REQUEST_BYTES) throw new Error('The request is too long.');
  for (let size = start.length; size < length; size += chunks.at(-1).length) chunks.push(await next(socket));
  const all = chunks.length === 1 ? start : Buffer.concat(chunks);
  return { message, bytes: all.subarray(0, length), body: all.subarray(head, length), rest: all.subarray(length) };
}

async function untilHead(socket, read) {
  let bytes = read;
  while (!bytes.includes(END_OF_HEAD)) {
    if (bytes.length > MAX_HEAD_BYTES) throw new Error('The head of the request is too long.');
    bytes = Buffer.concat([bytes, await next(socket)]);
  }
  return bytes;
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
  socket.end(errorAnswer('403 Forbidden', 'InvalidSignatureException', `Refused: ${reason}.`, ['connection: close']));
  // The rest of the request is read, so that the client sees the answer.
  socket.resume();
}

function errorAnswer(status, type, message, headers = []) {
  const body = JSON.stringify({ __type: `com.amazon.coral.service#${type}`, message });
  const head = [`HTTP/1.1 ${status}`, 'content-type: application/x-amz-json-1.0', ...headers];
  return `${head.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
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
