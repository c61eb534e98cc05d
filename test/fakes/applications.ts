import type { PrintedLine } from '../../functions/api/shapes/log.ts';
import { DeployError } from '../../functions/core/errors.ts';
import type {
  Application,
  Applications,
  AppOutput,
  AppVariables,
  OutputQuery,
} from '../../functions/core/ports/applications.ts';
import type { AppOperations, AppRef } from '../../functions/core/ports/platform.ts';
import type { MemoryApp, MemoryPlatform } from './hosting-platform.ts';

/** The applications of a platform in memory, with a control for tests. */
export interface MemoryApplications extends Applications {
  /** Makes every call fail from now on, or work again. */
  setDown(down: boolean): void;
}

/** Returns an in-memory fake of the applications of a platform in memory. */
export function memoryApplications(platform: MemoryPlatform): MemoryApplications {
  let isDown = false;
  const check = () => {
    if (isDown) throw new DeployError('request:failed', 'The platform is down.', { retry: true });
  };
  return {
    setDown: (down) => {
      isDown = down;
    },
    list: async (user) => {
      check();
      const all = [...platform.appsOf(user)].sort(([one], [other]) => (one < other ? -1 : 1));
      return all.map(([app, stored]) => shown({ user, app }, stored));
    },
    find: async (ref) => {
      check();
      const stored = platform.app(ref);
      return stored ? shown(ref, stored) : null;
    },
    snapshots: async (ref) => {
      check();
      const known = Object.entries(platform.app(ref)?.snapshots ?? {});
      return known.flatMap(([id, { state }]) => (state === 'failed' ? [] : [id]));
    },
  };
}

/** Returns an in-memory fake of the variables of the applications of a platform in memory. */
export function memoryAppVariables(platform: MemoryPlatform): AppVariables {
  const variablesOf = (ref: AppRef) => platform.app(ref)?.variables ?? null;
  return {
    read: async (ref) => variablesOf(ref),
    set: async (ref, name, value) => {
      const known = variablesOf(ref);
      if (!known) return false;
      if (name === 'PORT') throw new DeployError('request:bad_parameter', 'PORT is set by the platform.');
      const bytes = Buffer.byteLength(JSON.stringify({ ...known, [name]: value }));
      if (bytes > MAX_VARIABLE_BYTES) throw new DeployError('request:too_large', 'The variables are too large.');
      platform.write(ref, { variables: { ...known, [name]: value } });
      return true;
    },
    unset: async (ref, name) => {
      const { [name]: value, ...left } = variablesOf(ref) ?? {};
      if (value !== undefined) platform.write(ref, { variables: left });
      return value !== undefined;
    },
    create: async (ref, name) => platform.write(ref, { manifest: { ...platform.app(ref)?.manifest, name } }),
  };
}

const MAX_VARIABLE_BYTES = 64 * 1024;

/** Returns an in-memory fake of the output of the applications of a platform in memory. */
export function memoryAppOutput(platform: MemoryPlatform): AppOutput {
  return {
    read: async (ref, { lines, follow }, signal) => {
      const app = platform.app(ref);
      return app ? followed(() => platform.app(ref)?.output ?? [], { lines, follow }, signal) : null;
    },
  };
}

async function* followed(all: () => readonly PrintedLine[], { lines, follow }: OutputQuery, signal: AbortSignal) {
  let seen = Math.max(0, all().length - lines);
  do {
    const fresh = all().slice(seen);
    seen += fresh.length;
    if (fresh.length > 0) yield fresh;
    await new Promise((resolve) => setTimeout(resolve, 5));
  } while (follow && !signal.aborted);
}

/** Returns an in-memory fake of the operations on the applications of a platform in memory. */
export function memoryAppOperations(platform: MemoryPlatform): AppOperations {
  const known = (ref: AppRef): MemoryApp => {
    const app = platform.app(ref);
    if (app) return app;
    throw new DeployError('deploy:platform:start_app', `There is no application ${ref.app}.`, { retry: false });
  };
  return {
    restart: async (ref) => {
      const { serving } = known(ref);
      if (serving !== null) return platform.start({ ...ref, snapshot: serving });
      throw new DeployError('deploy:platform:start_app', 'Nothing has been started yet.', { retry: false });
    },
    stop: async (ref) => {
      known(ref);
      platform.write(ref, { state: 'stopped' });
    },
    remove: async (ref) => platform.write(ref, null),
  };
}

function shown({ user, app }: AppRef, { manifest, serving, state }: MemoryApp): Application {
  const name = typeof manifest.name === 'string' ? manifest.name : app;
  const started = serving === null ? null : `https://${app}.${user}.example.com`;
  return { user, app, name, url: started, snapshot: serving, state: serving === null ? 'never' : state };
}
