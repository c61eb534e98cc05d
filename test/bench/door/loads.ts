import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { promisify } from 'node:util';

/** An address, and the host name by which it is asked when that is another one. */
export interface Way {
  readonly url: string;
  readonly host?: string;
}

const SECONDS = 3;
const UPLOAD = Buffer.alloc(10 * 1024 * 1024);
const UPLOADS = 10;
const MESSAGES = 2_000;

/** Asks on so many connections for a while; returns requests a second and the 99th percentile of their milliseconds. */
export async function asked(
  { url, host }: Way,
  path: string,
  connections: number,
): Promise<Record<'perSecond' | 'p99', number>> {
  const header = host ? ['-H', `Host: ${host}`] : [];
  const args = ['-t1', `-c${connections}`, `-d${SECONDS}s`, '--latency', ...header, `${url}${path}`];
  const { stdout } = await promisify(execFile)('wrk', args);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url} has not answered all: ${stdout}`);
  const [, p99 = '', unit = 'ms'] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout) ?? [];
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  return { perSecond, p99: Number(p99) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? 1) };
}

/** Uploads 10 MB again and again, and returns how many MB a second. */
export async function uploaded(way: Way): Promise<number> {
  const begin = performance.now();
  for (let number = 0; number < UPLOADS; number += 1) await upload(way);
  return (UPLOADS * UPLOAD.length) / 1e6 / ((performance.now() - begin) / 1000);
}

function upload({ url, host }: Way): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': UPLOAD.length, ...(host && { host }) };
    const sent = request(url, { method: 'POST', headers, agent: false }, async (answer) => {
      let text = '';
      for await (const chunk of answer) text += chunk;
      if (text === String(UPLOAD.length)) resolve();
      else reject(new Error(`${url} answered ${answer.statusCode} ${text}`));
    });
    sent.once('error', reject).end(UPLOAD);
  });
}

/** Sends messages on a WebSocket, each after the one before has come back; returns how many a second. */
export async function messages({ url, host }: Way): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  const lines = `Host: ${host ?? new URL(url).host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${key}`;
  socket.write(`GET / HTTP/1.1\r\n${lines}\r\n\r\n`);
  await once(socket, 'data');
  const message = Buffer.alloc(32, 'a');
  const begin = performance.now();
  for (let number = 0; number < MESSAGES; number += 1) {
    socket.write(message);
    await once(socket, 'data');
  }
  socket.destroy();
  return MESSAGES / ((performance.now() - begin) / 1000);
}
