import { isObject } from '../../../core/json.ts';
import type { Application, Applications, AppState } from '../../../core/ports/applications.ts';
import { listIn, notUnderstood, readUrl } from './answers.ts';
import { type PlatformCallOptions, platformCall } from './call.ts';

const TIMEOUT_MS = 8_000;

export function httpApplications(options: PlatformCallOptions): Applications {
  const call = platformCall(options);
  return {
    list: async (user) => {
      const what = 'the list of applications';
      const { body } = await call({ ...get, user, path: ['apps', user], what });
      const apps = listIn(body, 'apps').map((one) => applicationIn(one, user) ?? unreadable(what));
      return apps.sort((one, other) => (one.app < other.app ? -1 : 1));
    },
    find: async ({ user, app }) => {
      const what = `the application ${app}`;
      const { status, body } = await call({ ...get, user, path: ['apps', user, app], what, accept: [404] });
      return status === 404 ? null : (applicationIn(body, user) ?? unreadable(what));
    },
    snapshots: async ({ user, app }) => {
      const path = ['apps', user, app, 'snapshots'];
      const { body } = await call({ ...get, user, path, what: `the snapshots of ${app}`, accept: [404] });
      return listIn(body, 'snapshots').flatMap((one) => (isStartable(one) ? [one.id] : []));
    },
  };
}

function unreadable(what: string): never {
  throw notUnderstood(what);
}

const get = { method: 'GET', code: 'request:failed', timeoutMs: TIMEOUT_MS } as const;

/** One that was built before can be built again, whatever the last build of it has come to. */
function isStartable(snapshot: unknown): snapshot is { readonly id: string } {
  return (
    isObject(snapshot) &&
    typeof snapshot.id === 'string' &&
    (snapshot.state !== 'failed' || typeof snapshot.built_at === 'string')
  );
}

function applicationIn(body: unknown, user: string): Application | null {
  if (!isObject(body) || typeof body.app !== 'string') return null;
  const name = typeof body.name === 'string' ? body.name : body.app;
  const snapshot = typeof body.snapshot === 'string' ? body.snapshot : null;
  // A platform may have reserved an address for an application whose first start has failed.
  const url = snapshot === null ? null : readUrl(body);
  return { user, app: body.app, name, snapshot, url, state: stateOf(body.state, snapshot) };
}

const NOT_RUNNING = ['starting', 'asleep', 'stopped', 'crashed'] as const;

/** Other states (restarting) count as running. */
function stateOf(state: unknown, snapshot: string | null): AppState {
  if (snapshot === null) return 'never';
  return NOT_RUNNING.find((known) => known === state) ?? 'running';
}
