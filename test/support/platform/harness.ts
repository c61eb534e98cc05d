import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, onTestFinished } from 'vitest';
import type { Platform } from '../../../lib/platform/platform.ts';
import { commitTarball as tarball } from '../service/tarballs.ts';
import { type InProcessOptions, startInProcess } from './in-process.ts';
import { login } from './login.ts';
import type { Served } from './served.ts';

export { login, tarball };

/** Registers a clean-up for after the test; the last one runs first. */
export function afterwards(cleanup: () => Promise<unknown>): void {
  onTestFinished(async () => void (await cleanup()));
}

/** Creates a folder that is removed after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-'));
  afterwards(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

export type PlatformUnderTest = Platform & Served & { readonly dataDir: string };

async function start(dataDir: string, options: Partial<InProcessOptions> = {}): Promise<PlatformUnderTest> {
  const limits = {
    ...{ drainMs: 3_000, graceMs: 2_000, serverErrorMs: 300, settleMs: 500, keepMs: 500 },
    // Nothing is started ahead: most tests end before it would be used.
    unpackAheadMs: 600_000,
    ...options.limits,
  };
  return { ...(await startInProcess({ ...options, dataDir, limits })), dataDir };
}

/** Starts a platform, which is closed after the test. */
export async function platform(options: Partial<InProcessOptions> = {}): Promise<PlatformUnderTest> {
  const started = await start(options.dataDir ?? (await temporaryFolder()), options);
  afterwards(() => started.close());
  return started;
}

/**
 * One platform for all tests of a file that change only applications, which are removed after each test. With `prepare`, what that has deployed is there in each test, and nothing is
 * removed. Called where the file begins; what it returns, in each test.
 */
export function sharedPlatform(
  options: Pick<InProcessOptions, 'limits'> = {},
  prepare?: (at: PlatformUnderTest) => Promise<unknown>,
): () => Promise<PlatformUnderTest> {
  let shared: PlatformUnderTest | undefined;
  afterAll(async () => {
    if (!shared) return;
    await shared.close();
    await rm(shared.dataDir, { recursive: true, force: true, maxRetries: 5 });
  });
  return async () => {
    const isNew = shared === undefined;
    shared ??= await start(await mkdtemp(join(tmpdir(), 'platform-')), options);
    const at = shared;
    if (prepare && isNew) await prepare(at);
    if (!prepare) afterwards(() => removeAll(at));
    return at;
  };
}

async function removeAll(at: PlatformUnderTest): Promise<void> {
  const { body } = await call(at, 'GET', '/apps/ada');
  for (const { name } of body.apps) await call(at, 'DELETE', `/apps/ada/${encodeURIComponent(name)}`);
}

/** The states of applications that the service reads. */
export async function eventsOf(at: { readonly url: string }): Promise<Fields['events']> {
  return (await call(at, 'GET', '/events?since=0')).body.events;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON body; empty for other answers. */
  readonly body: Fields;
  readonly text: string;
}

/** A JSON body as the tests read it. */
interface Fields {
  readonly [field: string]: unknown;
  readonly apps: readonly { readonly name: string }[];
  readonly error: string;
  readonly events: readonly { readonly reason: string | null }[];
  readonly log: readonly string[];
  readonly state: string;
  readonly url: string;
}

/** Makes a call of `calls.ts`; objects are sent as JSON. */
export async function call(
  at: { readonly url: string },
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const raw = body instanceof Uint8Array;
  const response = await fetch(`${at.url}${path}`, {
    method,
    headers: {
      ...(body === undefined || raw ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: raw ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status: response.status, headers: response.headers, text, body: JSON.parse(json ? text : '{}') };
}

/** Asks the front door for what answers under a host name. */
export function visit(at: { readonly url: string }, host: string, accept = '*/*') {
  return new Promise<{ readonly status: number; readonly body: string }>((resolve, reject) => {
    get(at.url, { headers: { host, accept }, agent: false }, async (answer: IncomingMessage) =>
      resolve({ status: answer.statusCode ?? 0, body: await textOf(answer) }),
    ).once('error', reject);
  });
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A server that answers every request with this text. */
export function serverFile(text: string): string {
  return `require('node:http').createServer((q, s) => s.end(${JSON.stringify(text)})).listen(process.env.PORT, process.env.HOST);\n`;
}

/** The files of an application without dependencies. */
export function appFiles(name: string, server: string, manifest: object = {}): Record<string, string> {
  return { 'package.json': JSON.stringify({ name, version: '1.0.0', ...manifest }), 'server.js': server };
}

/** Uploads files as a snapshot and has it built. */
export async function build(
  at: Pick<Served, 'url'>,
  app: string,
  id: string,
  files: Record<string, string | Buffer>,
  settings: { readonly path?: string } = {},
): Promise<Answer> {
  const bytes = await tarball(files);
  await call(at, 'PUT', `/apps/ada/${app}`, {});
  const path = `/apps/ada/${app}/snapshots/${id}`;
  const uploaded = await call(at, 'POST', `${path}?sha256=${sha256(bytes)}`, bytes);
  if (uploaded.status >= 300) return uploaded;
  await call(at, 'POST', `${path}/activate`, settings);
  return ended(at, path);
}

/** Returns the snapshot at a path of the API when it is not being built any more. */
export async function ended(at: { readonly url: string }, path: string): Promise<Answer> {
  const answer = await call(at, 'GET', `${path}?wait=50`);
  return answer.body.state === 'building' ? ended(at, path) : answer;
}

/** Uploads files as a snapshot, has it built, and starts it. */
export async function deploy(
  at: Pick<Served, 'url'>,
  app: string,
  id: string,
  files: Record<string, string | Buffer>,
): Promise<Answer> {
  const built = await build(at, app, id, files);
  if (built.body.state !== 'ready') throw new Error(`not built: ${JSON.stringify(built.body)}`);
  return call(at, 'POST', `/apps/ada/${app}/start`, { snapshot: id });
}

/** Waits until a condition holds; fails after the time. */
export async function until(
  what: string,
  test: () => boolean | Promise<boolean>,
  milliseconds = 120_000,
): Promise<void> {
  const end = Date.now() + milliseconds;
  while (!(await test())) {
    if (Date.now() > end) throw new Error(`Not within ${milliseconds} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

/** Whether a process runs; a zombie does not, nor one that is gone when its state is read. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== 'linux') return true;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) [ZX] /.test(stat);
}
