import * as v from 'valibot';
import { Domain, Domains } from '../../../api/shapes/applications.ts';
import { AppEvent, Said } from '../../../api/shapes/platform.ts';
import { Processes } from '../../../api/shapes/processes.ts';
import { Run } from '../../../api/shapes/runs.ts';
import { DeployError } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';
import type {
  AppDomains,
  AppEvents,
  Application,
  Applications,
  AppProcesses,
  AppRuns,
  AppState,
  AppVariables,
  VariableChanges,
} from '../../../core/ports/applications.ts';
import type { AppRef } from '../../../core/ports/platform.ts';
import { oneLine } from '../../../core/text.ts';
import { readLog, readUrl } from './answers.ts';
import {
  appCalls,
  appPath,
  CHANGED_MEANWHILE,
  listed,
  type PlatformCallOptions,
  platformCall,
  understood,
} from './call.ts';
import { linesReader } from './output.ts';

const TIMEOUT_MS = 8_000;
/** Of a change of variables that others change too. */
const TRIES = 5;

export function httpApplications(options: PlatformCallOptions): Applications {
  const call = platformCall(options);
  const get = { method: 'GET', code: 'request:failed', timeoutMs: TIMEOUT_MS } as const;
  return {
    canRename: true,
    list: async (user) => {
      const what = 'the list of applications';
      const { body } = await call({ ...get, user, path: ['apps', user], what });
      const { apps } = understood(v.object({ apps: v.array(ShownApp) }), body, what);
      return apps.map((one) => applicationOf(user, one)).sort((one, other) => (one.app < other.app ? -1 : 1));
    },
    find: async (app) => {
      const what = `the application ${app.app}`;
      const { status, body } = await call({ ...get, ...appPath(app), what, accept: [404] });
      return status === 404 ? null : applicationOf(app.user, understood(ShownApp, body, what));
    },
    snapshots: async (app) => {
      const what = `the snapshots of ${app.app}`;
      const { body } = await call({ ...get, ...appPath(app, 'snapshots'), what, accept: [404] });
      const known = listed(ShownSnapshot, isObject(body) && body.snapshots);
      // One that was built before can be built again, whatever the last build of it has come to.
      return known.flatMap(({ id, state, built_at }) => (state !== 'failed' || built_at ? [id] : []));
    },
  };
}

const textOrNull = v.fallback(v.nullable(v.string()), null);

const ShownApp = v.object({
  app: v.string(),
  name: v.optional(v.string()),
  state: v.optional(v.unknown()),
  snapshot: textOrNull,
  url: v.optional(v.unknown()),
});

const ShownSnapshot = v.object({ id: v.string(), state: v.optional(v.unknown()), built_at: textOrNull });

function applicationOf(user: string, { app, name = app, ...shown }: v.InferOutput<typeof ShownApp>): Application {
  const { snapshot } = shown;
  // A platform may have reserved an address for an application whose first start has failed.
  const url = snapshot === null ? null : readUrl(shown);
  return { user, app, name, snapshot, url, state: snapshot === null ? 'never' : stateOf(shown.state) };
}

const NOT_RUNNING = ['starting', 'asleep', 'stopped', 'crashed'] as const;

/** Other states (restarting) count as running. */
function stateOf(state: unknown): AppState {
  return NOT_RUNNING.find((known) => known === state) ?? 'running';
}

export function httpAppVariables(options: PlatformCallOptions): AppVariables {
  // The platform's sentences name the variable and never quote its value.
  const refusals = { 400: 'request:bad_parameter', 409: 'request:bad_parameter', 413: 'request:too_large' } as const;
  const call = appCalls(options, { what: 'the variables', timeoutMs: TIMEOUT_MS, refusals });
  const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string';
  const read = async (app: AppRef) => {
    // Not as a record, which would leave out variables that are called `constructor` or `prototype`.
    const found = await call(app, { method: 'GET', path: ['env'], answer: v.custom<object>(isObject) });
    return found && { variables: Object.fromEntries(Object.entries(found.answer).filter(isText)), etag: found.etag };
  };
  const patch = (app: AppRef, json: VariableChanges, ifMatch: string | null) =>
    call(app, { method: 'PATCH', path: ['env'], json, ifMatch });
  return {
    read: async (app) => (await read(app))?.variables ?? null,
    set: async (app, changes) => {
      if (typeof changes !== 'function') return (await patch(app, changes, null)) !== null;
      for (let tries = 0; tries < TRIES; tries += 1) {
        const known = await read(app);
        if (!known) return false;
        const changed = await patch(app, changes(known.variables), known.etag);
        if (changed?.status !== CHANGED_MEANWHILE) return changed !== null;
      }
      throw new DeployError('request:failed', 'The variables are being changed by others; try again.', { retry: true });
    },
    unset: async (app, name) => (await call(app, { method: 'DELETE', path: ['env', name] })) !== null,
    create: async (app, packageName) => {
      const made = await call(app, { method: 'PUT', json: { name: packageName } });
      if (made === null) throw new DeployError('request:failed', `The platform has not made ${app.app}.`);
    },
  };
}

export function httpAppDomains(options: PlatformCallOptions): AppDomains {
  const refusals = { 400: 'request:bad_parameter', 409: 'request:conflict' } as const;
  // It looks each name up in DNS.
  const call = appCalls(options, { what: 'the domains', timeoutMs: 15_000, refusals });
  return {
    list: async (app) =>
      (await call(app, { method: 'GET', path: ['domains'], answer: Domains }))?.answer.domains ?? null,
    add: async (app, name) => {
      const added = await call(app, { method: 'PUT', path: ['domains', name], answer: Domain });
      return added && { domain: added.answer, isNew: added.status === 201 };
    },
    remove: async (app, name) => (await call(app, { method: 'DELETE', path: ['domains', name] })) !== null,
  };
}

/** A platform of an earlier version has no cron. */
const AnsweredProcesses = v.object({ ...Processes.entries, cron: v.optional(Processes.entries.cron, []) });

export function httpAppProcesses(options: PlatformCallOptions): AppProcesses {
  const refusals = { 400: 'request:bad_parameter', 409: 'request:conflict' } as const;
  const call = appCalls(options, { what: 'the processes', timeoutMs: TIMEOUT_MS, refusals });
  const path = ['processes'];
  return {
    list: async (app) => (await call(app, { method: 'GET', path, answer: AnsweredProcesses }))?.answer ?? null,
    scale: async (app, json) => {
      // It answers when the processes that are too many have ended, or `web` answers.
      const sent = { method: 'PATCH', path, json, timeoutMs: 25_000, answer: AnsweredProcesses } as const;
      return (await call(app, sent))?.answer ?? null;
    },
  };
}

/** A platform of an earlier version has no terminals. */
const StartedRun = v.object({ ...Run.entries, terminal: v.optional(Run.entries.terminal, false) });

export function httpAppRuns(options: PlatformCallOptions): AppRuns {
  const refusals = { 400: 'request:bad_parameter', 409: 'request:conflict', 429: 'request:throttled' } as const;
  const call = appCalls(options, { what: 'the commands', timeoutMs: 20_000, refusals });
  const read = linesReader(options, Said);
  return {
    start: async (app, json) =>
      (await call(app, { method: 'POST', path: ['runs'], json, answer: StartedRun }))?.answer ?? null,
    read: (app, run, signal) => read({ ...appPath(app, 'runs', run), what: `the command in ${app.app}` }, signal),
    write: async (app, run, json) => (await call(app, { method: 'POST', path: ['runs', run], json })) !== null,
  };
}

const MAX_REASON_LENGTH = 400;
/** Events belong to no user; the platform looks at the token alone. */
const NO_USER = 'service';

/** An event of another kind, which later platforms may have, is none. */
const AnsweredEvent = v.object({
  ...AppEvent.entries,
  reason: v.fallback(AppEvent.entries.reason, null),
  log: v.optional(v.unknown()),
});

/** Returns the events of applications behind the platform API. A platform that does not know them answers 404. */
export function httpAppEvents(options: PlatformCallOptions): AppEvents {
  const call = platformCall(options);
  return {
    after: async (seq) => {
      const { status, body } = await call({
        method: 'GET',
        user: NO_USER,
        path: ['events'],
        query: { since: String(seq) },
        code: 'request:failed',
        what: 'the events of applications',
        timeoutMs: TIMEOUT_MS,
        accept: [404],
      });
      if (status === 404) return { events: [], last: seq };
      const events = listed(AnsweredEvent, isObject(body) && body.events).map(({ log, reason, ...event }) => {
        return { ...event, reason: reason && oneLine(reason, MAX_REASON_LENGTH), log: readLog({ log }) };
      });
      const last = isObject(body) && typeof body.last === 'number' ? body.last : seq;
      return { events: events.sort((one, other) => one.seq - other.seq), last };
    },
  };
}
