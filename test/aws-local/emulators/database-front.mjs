// The process in front of the database emulator, which answers everybody: it passes on the connections whose first
// request is signed with a key of this start, and of functions the requests that their roles allow. The emulator has no
// port that others could reach: both run in a network of their own, and the listening socket comes from outside. Plain
// JavaScript, so that it starts fast.
import { spawn } from 'node:child_process';
import { request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { identify } from '../access/check.mjs';
import { dynamodbCalls } from '../permissions/calls/dynamodb.mjs';
import { openGuard } from '../permissions/guard.mjs';
import { databaseAt } from '../strict/database.mjs';
import { laggingReads } from '../strict/lagging-reads.mjs';

const PROBE_MS = 10;
const END_OF_HEAD = '\r\n\r\n';
const MAX_HEAD_BYTES = 64 * 1024;
const MAX_REQUEST_BYTES = 17 * 1024 * 1024;
const FIRST_REQUEST_MS = 10_000;
/** Idle connections are closed after this time when functions are frozen. */
const IDLE_MS = 1000;

const database = { host: '127.0.0.1', port: Number(process.argv[2]) };

process.on('message', ({ principals, replica }, listening) => {
  const guard = openGuard(principals, (finding) => process.send({ finding }));
  void serve(listening, guard, replica);
});
// The parent process has ended.
process.on('disconnect', () => process.exit(0));

async function serve(listening, guard, replica) {
  await started(database);
  const lagging = replica && (await withReplica(replica));
  listening.on('connection', (socket) => {
    socket.on('error', () => socket.destroy());
    admit(socket, guard, lagging).catch(() => socket.destroy());
  });
  process.send('ready');
}

/**
 * Checks the signature of the first request of a connection, not each: nobody else can send on it, and the database has
 * to be about as fast as without this process.
 */
async function admit(socket, guard, lagging) {
  const late = setTimeout(() => socket.destroy(), FIRST_REQUEST_MS);
  const first = await nextRequest(socket, Buffer.alloc(0));
  const { caller, refusal } = await identify(first.message, guard, first.body);
  clearTimeout(late);
  if (refusal !== undefined) return refuse(socket, refusal);
  if (lagging) return answerEach(socket, { first, caller, guard, lagging });
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
    if (hasOtherKey(request, caller)) return refuse(socket, OTHER_KEY);
    const denial = denialOf(request, caller, guard);
    if (denial === undefined) upstream.write(request.bytes);
    else socket.write(accessDenied(denial));
  }
}

/** Answers requests one after the other, from the database or, where a function's read may lag, from its replica. */
async function answerEach(socket, { first, caller, guard, lagging }) {
  socket.setNoDelay(true);
  let isAnswering = true;
  // A frozen function does not see that a connection has ended, and has to survive it. What it still sends there must
  // not be read: an answer could not be sent any more.
  socket.setTimeout(IDLE_MS, () => isAnswering || socket.destroy());
  const mayLag = guard.principal(caller).statements !== undefined;
  for (let request = first; ; request = await nextRequest(socket, request.rest)) {
    if (hasOtherKey(request, caller)) return refuse(socket, OTHER_KEY);
    const denial = mayLag ? denialOf(request, caller, guard) : undefined;
    isAnswering = true;
    if (denial !== undefined) socket.write(accessDenied(denial));
    else socket.write(rawAnswer(await lagging.answer({ ...request, headers: request.message.headers, mayLag })));
    isAnswering = false;
  }
}

/** Another key would need a check of its signature; no client changes it on a connection. */
const OTHER_KEY = 'the key has changed';

function hasOtherKey({ message }, caller) {
  return !message.headers.authorization?.includes(`Credential=${caller}/`);
}

function denialOf({ message, body }, caller, guard) {
  return guard.denial(caller, dynamodbCalls(`${message.headers['x-amz-target']}`, JSON.parse(body)));
}

/** Starts a second emulator, in memory, and returns what answers from either of them. */
async function withReplica({ binary, port, ...lag }) {
  const place = { host: database.host, port };
  const child = spawn(binary, ['serve', '--host', place.host, '--port', String(port)], { stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGKILL'));
  await started(place);
  return laggingReads({ main: databaseAt(database.port), replica: databaseAt(port), ...lag });
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

function rawAnswer({ status, reason, headers, body }) {
  const head = [`HTTP/1.1 ${status} ${reason}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}${END_OF_HEAD}`, 'latin1'), body]);
}

function accessDenied(sentence) {
  return errorAnswer('400 Bad Request', 'AccessDeniedException', sentence);
}

function errorAnswer(status, type, message, headers = []) {
  const body = JSON.stringify({ __type: `com.amazon.coral.service#${type}`, message });
  const head = [`HTTP/1.1 ${status}`, 'content-type: application/x-amz-json-1.0', ...headers];
  return `${head.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

async function started(place) {
  while (!(await answers(place))) await pause(PROBE_MS);
}

/** Whether the emulator answers: no other program sends this header. */
function answers(place) {
  return new Promise((resolve) => {
    const asked = request({ ...place, path: '/', agent: false }, (answer) => {
      answer.resume();
      resolve('x-dynoxide-version' in answer.headers);
    });
    asked.once('error', () => resolve(false));
    asked.end();
  });
}
