import { constants } from 'node:os';
import { appName } from '../../functions/core/entry/package-name.ts';
import { DeployError } from '../../functions/core/errors.ts';
import type {
  AppDomains,
  Application,
  Applications,
  AppOutput,
  AppPasswords,
  AppProcesses,
  AppRuns,
  AppVariables,
  Domain,
  OutputQuery,
} from '../../functions/core/ports/applications.ts';
import type { AppOperations, AppRef } from '../../functions/core/ports/platform.ts';
import type { PrintedLine, Said, Scale } from '../../functions/core/ports/processes.ts';
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
    canRename: true,
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
    set: async (ref, decided) => {
      const known = variablesOf(ref);
      if (!known) return false;
      const changes = typeof decided === 'function' ? decided(known) : decided;
      if ('PORT' in changes) throw new DeployError('request:bad_parameter', 'PORT is set by the platform.');
      const all = Object.entries({ ...known, ...changes });
      const variables = Object.fromEntries(all.filter((one): one is [string, string] => one[1] !== null));
      const bytes = Buffer.byteLength(JSON.stringify(variables));
      if (bytes > MAX_VARIABLE_BYTES) throw new DeployError('request:too_large', 'The variables are too large.');
      platform.write(ref, { variables });
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

/** Returns an in-memory fake of the passwords of the applications of a platform in memory. */
export function memoryAppPasswords(platform: MemoryPlatform): AppPasswords {
  return {
    has: async (ref) => platform.app(ref)?.password === true,
    set: async (ref, name, given) => {
      const password = given !== null;
      platform.write(ref, { manifest: { name, ...platform.app(ref)?.manifest }, password });
      for (const [app, { previewOf }] of platform.appsOf(ref.user)) {
        if (previewOf === ref.app) platform.write({ ...ref, app }, { password });
      }
    },
  };
}

/** Returns an in-memory fake of the domains of the applications of a platform in memory. */
export function memoryAppDomains(platform: MemoryPlatform): AppDomains {
  const owners = new Map<string, AppRef>();
  const isOf = (ref: AppRef, name: string) => {
    const owner = platform.app(ref) && owners.get(name);
    return owner?.user === ref.user && owner.app === ref.app;
  };
  const targets = new Map<string, string>();
  const shown = (name: string): Domain => {
    const redirect = targets.get(name);
    const more = { ...(redirect !== undefined && { redirect }), points_here: false, note: 'It has none.' };
    return { name, url: `https://${name}`, ...more };
  };
  const isTarget = (name: string) => [...targets].some(([from, to]) => to === name && owners.has(from));
  return {
    list: async (ref) => {
      if (!platform.app(ref)) return null;
      return [...owners.keys()].filter((name) => isOf(ref, name)).map(shown);
    },
    add: async (ref, name, redirect) => {
      if (!platform.app(ref)) return null;
      if (name.endsWith('.localhost')) throw new DeployError('request:bad_parameter', `${name} is taken.`);
      const owner = owners.get(name);
      const isNew = !owner || !platform.app(owner);
      if (!isNew && !isOf(ref, name)) throw new DeployError('request:conflict', `${name} belongs to ${owner.app}.`);
      const isServed = (target: string) => isOf(ref, target) && !targets.has(target) && target !== name;
      if (redirect !== undefined && (!isServed(redirect) || isTarget(name))) {
        throw new DeployError('request:conflict', `${name} cannot redirect to ${redirect}.`);
      }
      owners.set(name, ref);
      if (redirect === undefined) targets.delete(name);
      else targets.set(name, redirect);
      return { domain: shown(name), isNew };
    },
    remove: async (ref, name) => {
      if (!isOf(ref, name)) return false;
      if (isTarget(name)) throw new DeployError('request:conflict', `Others redirect to ${name}.`);
      targets.delete(name);
      return owners.delete(name);
    },
  };
}

const MAX_VARIABLE_BYTES = 64 * 1024;

/** Returns an in-memory fake of the processes of the applications of a platform in memory: a web process and workers. */
export function memoryAppProcesses(platform: MemoryPlatform): AppProcesses {
  const list = (ref: AppRef) => {
    const app = platform.app(ref);
    if (!app) return null;
    if (app.serving === null) return { processes: [], cron: [], scale: {} };
    const scale: Scale = { web: 1, worker: 1, ...app.scale };
    const names = Object.entries(scale).flatMap(([type, count]) =>
      Array.from({ length: count === 'auto' ? 1 : count }, (_, at) => ({ name: `${type}.${at + 1}`, type })),
    );
    const same = { command: 'node .', state: 'running', since: null, restarts: 0, memory: 1024 } as const;
    return { processes: names.map((name) => ({ ...name, ...same })), cron: [], scale };
  };
  const isRefused = ([type, count]: [string, number | 'auto']) =>
    count === 'auto'
      ? type !== 'web'
      : !['web', 'worker'].includes(type) || !Number.isInteger(count) || count < 0 || (type === 'web' && count > 1);
  return {
    list: async (ref) => list(ref),
    scale: async (ref, counts) => {
      const app = platform.app(ref);
      if (!app) return null;
      const refused = Object.entries(counts).find(isRefused);
      if (app.serving === null) throw notStarted(ref);
      if (refused) throw new DeployError('request:bad_parameter', `${ref.app} cannot have ${refused.join('=')}.`);
      platform.write(ref, { scale: { ...app.scale, ...counts } });
      return list(ref);
    },
  };
}

function notStarted({ app }: AppRef): DeployError {
  return new DeployError('request:conflict', `${app} has not been started yet.`);
}

interface MemoryRun {
  readonly app: string;
  readonly said: Said[];
  exit?: number;
  isRead: boolean;
}

/** Returns an in-memory fake of one-off commands: `echo` says its arguments and what it gets, and ends at its end. */
export function memoryAppRuns(platform: MemoryPlatform): AppRuns {
  const runs = new Map<string, MemoryRun>();
  let last = 0;
  const key = ({ user, app }: AppRef) => `${user}/${app}`;
  const found = (ref: AppRef, run: string) => {
    const one = runs.get(run);
    return platform.app(ref) && one?.app === key(ref) ? one : undefined;
  };
  async function* pieces(id: string, one: MemoryRun, signal: AbortSignal): AsyncGenerator<readonly Said[], void> {
    try {
      while (!signal.aborted) {
        if (one.said.length > 0) yield one.said.splice(0);
        else if (one.exit !== undefined) {
          runs.delete(id);
          return yield [{ exit: one.exit, reason: null }];
        } else await new Promise((resolve) => setTimeout(resolve, 5));
      }
    } finally {
      one.isRead = false;
    }
  }
  return {
    start: async (ref, { command: [program, ...words] }) => {
      const app = platform.app(ref);
      if (!app) return null;
      if (app.serving === null) throw notStarted(ref);
      if (program !== 'echo') throw new DeployError('request:bad_parameter', `There is no ${program}.`);
      const id = String(last++);
      const data = Buffer.from(words.join(' ')).toString('base64');
      runs.set(id, { app: key(ref), said: [{ stream: 'stdout', data }], isRead: false });
      return { id };
    },
    read: async (ref, run, signal) => {
      const one = found(ref, run);
      if (!one) return null;
      if (one.isRead) throw new DeployError('request:conflict', 'Another reads it.');
      one.isRead = true;
      return pieces(run, one, signal);
    },
    write: async (ref, run, { data, end, signal }) => {
      const one = found(ref, run);
      if (!one) return false;
      if (data !== undefined) one.said.push({ stream: 'stdout', data });
      if (signal) one.exit ??= 128 + constants.signals[signal];
      if (end) one.exit ??= 0;
      return true;
    },
  };
}

/** Returns an in-memory fake of the output of the applications of a platform in memory. */
export function memoryAppOutput(platform: MemoryPlatform): AppOutput {
  return {
    search: async (ref, { text, lines }) => {
      const app = platform.app(ref);
      if (!app) return null;
      const found = app.output.filter(({ line }) => line.toLowerCase().includes(text.toLowerCase()));
      const searched = { since: app.output[0]?.at ?? null, until: app.output.at(-1)?.at ?? null };
      return { lines: found.reverse().slice(0, lines), searched, next: null };
    },
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
    rename: async (ref, name) => {
      const to = { user: ref.user, app: appName(name) };
      if (!platform.app(to)) {
        const { manifest, ...app } = known(ref);
        platform.write(ref, null);
        platform.write(to, { ...app, manifest: { ...manifest, name } });
      }
      return { url: shown(to, known(to)).url };
    },
    remove: async (ref) => platform.write(ref, null),
  };
}

function shown({ user, app }: AppRef, { manifest, serving, state }: MemoryApp): Application {
  const name = typeof manifest.name === 'string' ? manifest.name : app;
  const started = serving === null ? null : `https://${app}.${user}.example.com`;
  return { user, app, name, url: started, snapshot: serving, state: serving === null ? 'never' : state };
}
