import { DeployError } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';
import type {
  Activation,
  AppRef,
  HostingPlatform,
  SnapshotRef,
  Upload,
  Uploaded,
} from '../../../core/ports/platform.ts';
import { withUpload } from '../upload.ts';
import { readActivation, readUrl } from './answers.ts';
import { type PlatformCall, type PlatformCallOptions, platformCall } from './call.ts';

/** Timeouts of calls. */
interface PlatformTimeouts {
  /** All other calls; default 10 seconds. */
  readonly callMs: number;
  /** A whole upload; default 4 minutes. */
  readonly uploadMs: number;
  /** A cancel; the platform answers when the processes of the build have ended. Default 20 seconds. */
  readonly cancelMs: number;
  /** A start; the platform answers when the application runs and waits a minute for that. Default 90 seconds. */
  readonly startMs: number;
}

interface HttpPlatformOptions extends PlatformCallOptions {
  readonly timeouts?: Partial<PlatformTimeouts>;
}

const DEFAULT_TIMEOUTS: PlatformTimeouts = { callMs: 10_000, uploadMs: 240_000, cancelMs: 20_000, startMs: 90_000 };

/**
 * Returns a hosting platform behind the platform API: the embedded one or another. A refusal is thrown with the
 * platform's own message; no response, a gateway error or a rate limit can be retried.
 */
export function httpPlatform(options: HttpPlatformOptions): HostingPlatform {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const call = platformCall(options);
  return {
    ensureApp: (app, manifest, { maySleep } = { maySleep: false }) =>
      ensureApp(call, app, { manifest, maySleep }, timeouts.callMs),
    upload: (snapshot, upload) => send(call, snapshot, upload, timeouts.uploadMs),
    activate: (snapshot, path, deploy) => activate(call, snapshot, { path, deploy }, timeouts.callMs),
    poll: (snapshot, waitSeconds = 0) => poll(call, snapshot, { waitSeconds, timeoutMs: timeouts.callMs }),
    cancel: (snapshot) => cancel(call, snapshot, timeouts.cancelMs),
    start: (snapshot) => start(call, snapshot, timeouts),
  };
}

// PUT first: the application exists at every deploy but the first.
async function ensureApp(
  call: PlatformCall,
  app: AppRef,
  { manifest, maySleep }: { readonly manifest: Readonly<Record<string, unknown>>; readonly maySleep: boolean },
  timeoutMs: number,
): Promise<void> {
  const code = 'deploy:platform:upload_tarball';
  const query = maySleep ? { query: { web: 'auto' } } : {};
  const what = `the application ${app.app}`;
  const request = { ...pathOf(app), ...query, json: manifest, code, timeoutMs, what } as const;
  const known = await call({ ...request, method: 'PUT', accept: [404] });
  if (known.status !== 404) return;
  const created = await call({ ...request, method: 'POST', accept: [409] });
  // Another deploy has created it between the two calls.
  if (created.status === 409) await call({ ...request, method: 'PUT' });
}

async function send(call: PlatformCall, snapshot: SnapshotRef, upload: Upload, timeoutMs: number): Promise<Uploaded> {
  const { status } = await withUpload(upload, (body) =>
    call({
      method: 'POST',
      ...snapshotPath(snapshot),
      query: { sha256: upload.sha256 },
      bytes: { body, length: upload.bytes },
      code: 'deploy:platform:upload_tarball',
      timeoutMs,
      what: `the upload of ${snapshot.snapshot}`,
      accept: [409],
    }),
  );
  return status === 409 ? 'taken' : 'stored';
}

async function activate(
  call: PlatformCall,
  snapshot: SnapshotRef,
  { path, deploy }: { readonly path: string | undefined; readonly deploy: number | undefined },
  timeoutMs: number,
): Promise<void> {
  const json = { ...(path !== undefined && { path }), ...(deploy !== undefined && { deploy }) };
  await call({
    method: 'POST',
    ...snapshotPath(snapshot, 'activate'),
    ...(Object.keys(json).length > 0 && { json }),
    code: 'deploy:tar:extract_failed',
    timeoutMs,
    what: `the installation of ${snapshot.snapshot}`,
  });
}

async function poll(
  call: PlatformCall,
  snapshot: SnapshotRef,
  { waitSeconds, timeoutMs }: { readonly waitSeconds: number; readonly timeoutMs: number },
): Promise<Activation> {
  const code = 'deploy:tar:extract_failed';
  const what = `the state of ${snapshot.snapshot}`;
  const { body } = await call({
    method: 'GET',
    ...snapshotPath(snapshot),
    ...(waitSeconds > 0 && { query: { wait: String(waitSeconds) } }),
    code,
    timeoutMs: timeoutMs + waitSeconds * 1000,
    what,
  });
  const activation = readActivation(body);
  if (activation) return activation;
  throw new DeployError(code, `The platform did not return a known state for ${what}.`, { retry: true });
}

/** An application or a snapshot that the platform does not have has no build. */
async function cancel(call: PlatformCall, snapshot: SnapshotRef, timeoutMs: number): Promise<void> {
  await call({
    method: 'POST',
    ...snapshotPath(snapshot, 'cancel'),
    code: 'deploy:tar:extract_failed',
    timeoutMs,
    what: `the end of the build of ${snapshot.snapshot}`,
    accept: [404],
  });
}

async function start(call: PlatformCall, snapshot: SnapshotRef, timeouts: PlatformTimeouts): Promise<{ url: string }> {
  const { user, app, snapshot: id } = snapshot;
  const request = { code: 'deploy:platform:start_app', what: `the start of ${id}` } as const;
  const { body } = await call({
    ...request,
    method: 'POST',
    user,
    path: ['apps', user, app, 'start'],
    json: { snapshot: id },
    timeoutMs: timeouts.startMs,
    failsWith: 500,
  });
  // A platform may answer the start without a body; the application's state then has the address.
  const shown =
    readUrl(body) === null
      ? await call({ ...request, method: 'GET', ...pathOf(snapshot), timeoutMs: timeouts.callMs })
      : { body };
  const url = readUrl(shown.body);
  if (url !== null && serves(shown.body, id)) return { url };
  const detail = `The platform answered the start of ${id}, but did not confirm that it runs and at which address.`;
  throw new DeployError(request.code, detail, { retry: true });
}

function serves(body: unknown, snapshot: string): boolean {
  return isObject(body) && (body.snapshot === undefined || body.snapshot === snapshot);
}

function pathOf({ user, app }: AppRef) {
  return { user, path: ['apps', user, app] };
}

function snapshotPath({ user, app, snapshot }: SnapshotRef, ...more: readonly string[]) {
  return { user, path: ['apps', user, app, 'snapshots', snapshot, ...more] };
}
