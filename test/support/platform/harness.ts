import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, expect, onTestFinished } from 'vitest';
import { DeployError } from '../../../functions/core/errors.ts';
import type { AppEventPage, Application, OutputQuery } from '../../../functions/core/ports/applications.ts';
import type { ActivateOptions, AppRef, Uploaded } from '../../../functions/core/ports/platform.ts';
import type { PrintedLine } from '../../../functions/core/ports/processes.ts';
import { HttpError, messageOf } from '../../../lib/http/http-error.ts';
import type { Platform } from '../../../lib/platform/platform.ts';
import type { Snapshot } from '../../../lib/platform/store/snapshots.ts';
import { commitTarball as tarball } from '../service/tarballs.ts';
import { type InProcess, type InProcessOptions, startInProcess } from './in-process.ts';

export { tarball };

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

export type PlatformUnderTest = InProcess & { readonly dataDir: string };

/** What a deploy needs of a platform. */
type Deployable = Pick<InProcess, 'hosting' | 'applications' | 'snapshots'>;

export type Started = Application & { readonly url: string };

async function open(dataDir: string, options: Partial<InProcessOptions> = {}): Promise<PlatformUnderTest> {
  const limits = {
    ...{ drainMs: 3_000, graceMs: 2_000, serverErrorMs: 300, settleMs: 500, keepMs: 500 },
    // Nothing is started ahead: most tests end before it would be used.
    ...options.limits,
  };
  return { ...(await startInProcess({ ...options, dataDir, limits })), dataDir };
}

/** Starts a platform, which is closed after the test. */
export async function platform(options: Partial<InProcessOptions> = {}): Promise<PlatformUnderTest> {
  const started = await open(options.dataDir ?? (await temporaryFolder()), options);
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
    shared ??= await open(await mkdtemp(join(tmpdir(), 'platform-')), options);
    const at = shared;
    if (prepare && isNew) await prepare(at);
    if (!prepare) afterwards(() => removeAll(at));
    return at;
  };
}

async function removeAll(at: PlatformUnderTest): Promise<void> {
  for (const app of await at.applications.list('ada')) await at.operations.remove(app);
}

/** The states of applications that the service reads. */
export async function eventsOf(at: Pick<Platform, 'events'>): Promise<AppEventPage['events']> {
  return (await at.events.after(0)).events;
}

export function appOf(app: string): AppRef {
  return { user: 'ada', app };
}

export const hello = appOf('hello');

/** What a user reads of a call that is refused. */
interface Refusal {
  readonly status: number;
  readonly error: string;
  /** The last lines of what failed. */
  readonly log?: readonly string[];
}

/** Returns the refusal with which work fails; throws when it succeeds. */
export async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  const error: unknown = await work.then(
    () => expect.unreachable('It did not fail.'),
    (thrown) => thrown,
  );
  const cause = error instanceof DeployError ? error.cause : error;
  if (cause instanceof HttpError)
    return { status: cause.status, error: cause.message, ...(cause.log && { log: cause.log }) };
  return { status: error instanceof DeployError ? error.status : 500, error: messageOf(error) };
}

type OutputOf = Partial<OutputQuery> & { readonly app?: string };

/** Returns the last lines that an application has printed; with `follow`, until it is removed. */
export async function linesOf(
  at: Pick<Platform, 'output'>,
  { app = 'hello', lines = 200, follow = false, ...query }: OutputOf = {},
): Promise<readonly PrintedLine[]> {
  const { signal } = new AbortController();
  return (await all(at.output.read(appOf(app), { ...query, lines, follow }, signal))) ?? [];
}

/** Returns them as people read them. */
export async function logsOf(at: Pick<Platform, 'output'>, query: OutputOf = {}): Promise<string> {
  return (await linesOf(at, query)).map((line) => `${plain(line)}\n`).join('');
}

/** Returns the lines of a build of `hello`; with `follow`, when it has ended. */
export function buildLogOf(at: Pick<Platform, 'builds'>, snapshot = '1', follow = false) {
  return all(at.builds.read({ ...hello, snapshot }, follow, new AbortController().signal));
}

async function all<T>(batches: Promise<AsyncIterable<readonly T[]> | null>): Promise<readonly T[] | null> {
  const read = await batches;
  if (!read) return null;
  const found: T[] = [];
  for await (const batch of read) found.push(...batch);
  return found;
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

export function upload(at: Pick<Platform, 'hosting'>, app: string, id: string, bytes: Uint8Array): Promise<Uploaded> {
  // As an array it can also be sent to another process.
  const body = [bytes] as unknown as AsyncIterable<Uint8Array>;
  return at.hosting.upload({ ...appOf(app), snapshot: id }, { body, bytes: bytes.length, sha256: sha256(bytes) });
}

/** Uploads files as a snapshot and has it built. */
export async function build(
  at: Deployable,
  app: string,
  id: string,
  files: Record<string, string | Buffer>,
  settings: ActivateOptions = {},
): Promise<Snapshot> {
  await at.hosting.ensureApp(appOf(app), {});
  await upload(at, app, id, await tarball(files));
  await at.hosting.activate({ ...appOf(app), snapshot: id }, settings);
  return ended(at, app, id);
}

/** Returns the state of a snapshot's build. */
export async function snapshotOf(at: Deployable, app: string, id: string, waitSeconds = 0): Promise<Snapshot> {
  const { state } = await at.hosting.poll({ ...appOf(app), snapshot: id }, waitSeconds);
  const stored = await at.snapshots.get(appOf(app), id);
  // One that is being built has written that a moment later.
  return state === 'building' && stored.state !== 'pending' ? { ...stored, state, reason: null } : stored;
}

/** Returns a snapshot when it is not being built any more. */
export async function ended(at: Deployable, app: string, id: string): Promise<Snapshot> {
  const snapshot = await snapshotOf(at, app, id, 50);
  return snapshot.state === 'building' ? ended(at, app, id) : snapshot;
}

/** Uploads files as a snapshot, has it built, and starts it. */
export async function deploy(
  at: Deployable,
  app: string,
  id: string,
  files: Record<string, string | Buffer>,
): Promise<Started> {
  const built = await build(at, app, id, files);
  if (built.state !== 'ready') throw new Error(`not built: ${JSON.stringify(built)}`);
  return start(at, app, id);
}

/** Starts a snapshot that was built. */
export async function start(at: Deployable, app: string, id: string): Promise<Started> {
  await at.hosting.start({ ...appOf(app), snapshot: id });
  const started = await at.applications.find(appOf(app));
  return started?.url ? { ...started, url: started.url } : expect.unreachable(`${app} has no address.`);
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

/** Returns the line for a reader of plain text: time, who printed it unless that is `web`, text. */
function plain({ at, stream, process, line }: PrintedLine): string {
  const who = [...(stream === 'platform' ? ['platform'] : []), ...(process === undefined ? [] : [process])];
  return `${at} ${who.length === 0 ? '' : `${who.join(' ')}: `}${line}`;
}
