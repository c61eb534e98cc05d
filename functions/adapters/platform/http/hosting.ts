import { DeployError } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';
import type { AppOperations, HostingPlatform, SnapshotRef } from '../../../core/ports/platform.ts';
import { withUpload } from '../../../core/tarball/upload.ts';
import { readActivation, readUrl } from './answers.ts';
import { appPath, type PlatformCallOptions, platformCall } from './call.ts';

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

const UPLOAD = 'deploy:platform:upload_tarball' as const;
const EXTRACT = 'deploy:tar:extract_failed' as const;
const START = 'deploy:platform:start_app' as const;

const DEFAULT_TIMEOUTS: PlatformTimeouts = { callMs: 10_000, uploadMs: 240_000, cancelMs: 20_000, startMs: 90_000 };

/**
 * Returns a hosting platform behind the platform API: the embedded one or another. A refusal is thrown with the
 * platform's own message; no response, a gateway error or a rate limit can be retried.
 */
export function httpPlatform(options: HttpPlatformOptions): HostingPlatform {
  const { callMs, uploadMs, cancelMs, startMs } = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const call = platformCall(options);
  return {
    // PUT first: the application exists at every deploy but the first.
    ensureApp: async (app, json, { maySleep } = { maySleep: false }) => {
      const query = maySleep ? { query: { web: 'auto' } } : {};
      const to = { ...appPath(app), ...query, code: UPLOAD, timeoutMs: callMs, what: `the application ${app.app}` };
      const known = await call({ ...to, json, method: 'PUT', accept: [404] });
      if (known.status !== 404) return;
      const created = await call({ ...to, json, method: 'POST', accept: [409] });
      // Another deploy has created it between the two calls.
      if (created.status === 409) await call({ ...to, json, method: 'PUT' });
    },
    upload: (snapshot, upload) =>
      withUpload(upload, async (body) => {
        const bytes = { body, length: upload.bytes };
        const sent = { ...snapshotPath(snapshot), query: { sha256: upload.sha256 }, bytes, accept: [409] };
        const what = `the upload of ${snapshot.snapshot}`;
        const { status } = await call({ ...sent, method: 'POST', code: UPLOAD, timeoutMs: uploadMs, what });
        return status === 409 ? 'taken' : 'stored';
      }),
    activate: async (snapshot, path, deploy) => {
      const json = { ...(path !== undefined && { path }), ...(deploy !== undefined && { deploy }) };
      const sent = { ...snapshotPath(snapshot, 'activate'), ...(Object.keys(json).length > 0 && { json }) };
      const what = `the installation of ${snapshot.snapshot}`;
      await call({ ...sent, method: 'POST', code: EXTRACT, timeoutMs: callMs, what });
    },
    poll: async (snapshot, waitSeconds = 0) => {
      const asked = { ...snapshotPath(snapshot), ...(waitSeconds > 0 && { query: { wait: String(waitSeconds) } }) };
      const what = `the state of ${snapshot.snapshot}`;
      const timeoutMs = callMs + waitSeconds * 1000;
      const activation = readActivation((await call({ ...asked, method: 'GET', code: EXTRACT, timeoutMs, what })).body);
      if (activation) return activation;
      throw new DeployError(EXTRACT, `The platform did not return a known state for ${what}.`, { retry: true });
    },
    cancel: async (snapshot) => {
      const what = `the end of the build of ${snapshot.snapshot}`;
      // An application or a snapshot that the platform does not have has no build.
      const to = { ...snapshotPath(snapshot, 'cancel'), accept: [404] };
      await call({ ...to, method: 'POST', code: EXTRACT, timeoutMs: cancelMs, what });
    },
    start: async (app) => {
      const { snapshot } = app;
      const request = { code: START, what: `the start of ${snapshot}` };
      const to = { ...request, ...appPath(app, 'start'), json: { snapshot } };
      const { body } = await call({ ...to, method: 'POST', timeoutMs: startMs, failsWith: 500 });
      // A platform may answer the start without a body; the application's state then has the address.
      const state = { ...request, ...appPath(app), method: 'GET', timeoutMs: callMs } as const;
      const shown = readUrl(body) === null ? (await call(state)).body : body;
      const url = readUrl(shown);
      if (url !== null && serves(shown, snapshot)) return { url };
      const detail = `The platform answered the start of ${snapshot}, but did not confirm that it runs and at which address.`;
      throw new DeployError(START, detail, { retry: true });
    },
  };
}

function serves(body: unknown, snapshot: string): boolean {
  return isObject(body) && (body.snapshot === undefined || body.snapshot === snapshot);
}

function snapshotPath(snapshot: SnapshotRef, ...more: readonly string[]) {
  return appPath(snapshot, 'snapshots', snapshot.snapshot, ...more);
}

/** Timeouts of calls; defaults 90 seconds for a restart, which waits for the application, and 60 for the others. */
interface OperationTimeouts {
  readonly restartMs: number;
  readonly endMs: number;
}

const OPERATION_TIMEOUTS: OperationTimeouts = { restartMs: 90_000, endMs: 60_000 };

export function httpAppOperations(
  options: PlatformCallOptions & { readonly timeouts?: Partial<OperationTimeouts> },
): AppOperations {
  const { restartMs, endMs } = { ...OPERATION_TIMEOUTS, ...options.timeouts };
  const call = platformCall(options);
  return {
    restart: async (app) => {
      const what = `the restart of ${app.app}`;
      const to = { ...appPath(app, 'restart'), code: START, timeoutMs: restartMs, what, failsWith: 500 } as const;
      const url = readUrl((await call({ ...to, method: 'POST' })).body);
      if (url !== null) return { url };
      throw new DeployError(START, `The platform confirmed ${what} without an address.`);
    },
    stop: async (app) => {
      const what = `the stop of ${app.app}`;
      await call({ ...appPath(app, 'stop'), code: START, method: 'POST', timeoutMs: endMs, what });
    },
    rename: async (app, name) => {
      const what = `the new name of ${app.app}`;
      const to = { ...appPath(app, 'rename'), code: START, timeoutMs: restartMs, what } as const;
      return { url: readUrl((await call({ ...to, method: 'POST', json: { name } })).body) };
    },
    remove: async (app) => {
      const what = `the removal of ${app.app}`;
      await call({ ...appPath(app), code: START, method: 'DELETE', timeoutMs: endMs, what, accept: [404] });
    },
  };
}
