import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type GroupRegistry, killOrphans, openGroupRegistry } from '../processes/group-registry.ts';
import { listen, portOf, type ReservedPort } from '../processes/ports.ts';
import { accountRoutes } from './api/accounts.ts';
import { appView } from './api/app-view.ts';
import { appRoutes } from './api/apps.ts';
import { processRoutes } from './api/processes.ts';
import { snapshotRoutes } from './api/snapshots.ts';
import { builder } from './build/builder.ts';
import { dependencies } from './build/dependencies.ts';
import { passwordVerifier } from './http/passwords.ts';
import { platformServer } from './http/server.ts';
import { messageOf } from './http-error.ts';
import type { OwnEnvironment } from './run/child-environment.ts';
import { runners } from './run/runners.ts';
import { defaultLimits, type Limits, type Log } from './settings.ts';
import { apps } from './store/apps.ts';
import { type Folders, folders } from './store/folders.ts';
import type { AppName } from './store/names.ts';
import { prunable, type Snapshots, snapshots } from './store/snapshots.ts';
import { users } from './store/users.ts';
import { variableStore } from './store/variables.ts';

/** How to start the platform. */
export interface PlatformOptions {
  /** Where it keeps users, applications, releases and logs. One platform at a time per folder. */
  readonly dataDir: string;
  /** Of the API, on 127.0.0.1; 0 or absent: a free one. */
  readonly port?: number | ReservedPort;
  /** The secret with which the deploy service acts for any user. */
  readonly serviceToken: string;
  /** npm's cache; absent: one in `dataDir`, kept from install to install. */
  readonly npmCache?: string;
  readonly log?: Log;
  /** The first port to try for applications; absent: the system's choice. Either way an application keeps its port. */
  readonly appPorts?: { readonly from: number };
  readonly limits?: Partial<Limits>;
  /** Where PATH, HOME and the network's settings for npm come from; absent: this process's environment. */
  readonly environment?: OwnEnvironment;
}

/** A running platform. */
export interface Platform {
  /** Of the API, without a slash at the end. */
  readonly url: string;
  /** Adds a user; throws a HttpError (409) when the name is taken. */
  createUser(name: string, password: string): Promise<void>;
  /** Makes sure that there is this user and that this is the password; a second call changes nothing. */
  seed(login: { readonly user: string; readonly password: string }): Promise<void>;
  /** Ends the applications and the server. What was running runs again at the next start. */
  close(): Promise<void>;
}

/**
 * Starts the embedded hosting platform. Processes that an earlier one left behind are ended first, then the applications
 * that were running are started again in the background. Rejects when the port is taken.
 */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  // Anyone could log in with an empty secret.
  if (options.serviceToken.length < 16) throw new Error('The service token needs at least 16 characters.');
  const log = options.log ?? (() => undefined);
  const limits: Limits = { ...defaultLimits, ...options.limits };
  const dirs = folders(resolve(options.dataDir));
  await mkdir(dirs.apps, { recursive: true });
  for (const what of await killOrphans(dirs.groups)) log({ type: 'platform.orphan_killed', detail: what });

  const parts = assemble(options, { limits, log, folders: dirs, groups: await openGroupRegistry(dirs.groups) });
  const port = await listen(parts.server, options.port ?? 0).catch(async (error: unknown) => {
    await parts.groups.close();
    throw new Error(`The platform cannot listen on its port: ${messageOf(error)}.`, { cause: error });
  });
  const resumed = parts.runners.resume();
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeAll(parts, resumed);
    return closing;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    createUser: parts.users.create,
    seed: (login) => seed(parts, login),
    close,
  };
}

/** What exists before the parts that need it. */
interface Ground {
  readonly limits: Limits;
  readonly log: Log;
  readonly folders: Folders;
  readonly groups: GroupRegistry;
}

/** Makes all parts of the platform and joins them; nothing listens or runs yet. */
function assemble(options: PlatformOptions, ground: Ground) {
  const { limits, log, folders: dirs } = ground;
  const shared = {
    ...ground,
    own: options.environment ?? process.env,
    apps: apps(dirs),
    snapshots: snapshots(dirs),
    variables: variableStore(dirs),
    npmCache: resolve(options.npmCache ?? dirs.npmCache),
  };
  const people = users(dirs.users);
  const verify = passwordVerifier(limits.loginCacheMs);
  const installed = dependencies();
  const build = builder({ ...shared, dependencies: installed });
  const run = runners({
    ...shared,
    freshPorts: () => freshPorts(shared.apps, options.appPorts?.from),
    onServing: (app, snapshot) => installed.prepareSpare(dirs.ofApp(app), snapshot),
    onRetired: (app, snapshot) => prune(shared.snapshots, app, { active: snapshot, keep: limits.releases }),
  });
  const view = appView(shared.apps, run, () => portOf(server));
  const { bodyBytes, tarballBytes } = limits;
  const routes = [
    ...accountRoutes(people, bodyBytes),
    ...appRoutes({ ...shared, builder: build, runners: run, view, bodyBytes }),
    ...snapshotRoutes({ ...shared, builder: build, tarballBytes }),
    ...processRoutes({ ...shared, runners: run, view, bodyBytes }),
  ];
  const login = { users: people, verify, serviceToken: options.serviceToken };
  const server = platformServer({ routes, log, runners: run, login });
  return { server, groups: ground.groups, users: people, verify, builder: build, runners: run };
}

type Parts = ReturnType<typeof assemble>;

async function seed({ users: people, verify }: Parts, { user, password }: { user: string; password: string }) {
  const known = await people.find(user);
  if (!known) await people.create(user, password);
  else if (!(await verify(user, password, known.password))) await people.setPassword(user, password);
}

async function closeAll({ server, builder: build, runners: run, groups: all }: Parts, resumed: Promise<void>) {
  server.close();
  server.closeAllConnections();
  await Promise.all([build.callOff(), run.close()]);
  await resumed;
  await all.close();
}

/** Removes the snapshots that nobody will go back to. */
async function prune(all: Snapshots, app: AppName, { active, keep }: { active: string; keep: number }): Promise<void> {
  for (const { id } of prunable(await all.list(app), active, keep)) await all.remove(app, id);
}

/** Ports for an application that has none: from the wanted one on, without those that belong to others. */
async function freshPorts(all: ReturnType<typeof apps>, from: number | undefined): Promise<readonly number[]> {
  if (from === undefined) return [];
  const stored = await Promise.all((await all.list()).map((app) => all.find(app)));
  const owned = new Set(stored.map((app) => app?.port));
  return Array.from({ length: 500 }, (_, at) => from + at).filter((port) => port < 65_536 && !owned.has(port));
}
