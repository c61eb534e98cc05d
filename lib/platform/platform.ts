import { chmod, mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Tables } from '../../functions/adapters/stores/sqlite/tables.ts';
import { background, once } from '../../functions/core/concurrency.ts';
import type { Incident } from '../../functions/core/ports/app-event.ts';
import type { PlatformPorts } from '../../functions/core/ports/applications.ts';
import type { OwnEnvironment } from '../builder/process/child-environment.ts';
import { tools } from '../builder/tools/tools.ts';
import { type DiskReserve, NO_RESERVE } from '../files/disk-reserve.ts';
import { hostName, LAPTOP_DOMAIN, type PublicDomain } from '../http/app-domain.ts';
import { messageOf } from '../http/http-error.ts';
import { type Closers, closeAll } from '../process/closing.ts';
import { type GroupRegistry, killOrphans, openGroupRegistry } from '../process/group-registry.ts';
import type { Isolation } from '../process/sandbox.ts';
import type { AppId } from '../runner/calls.ts';
import type { MemoryLimits } from '../runner/limits/memory-watch.ts';
import type { ProcessLimits } from '../runner/limits/process-watch.ts';
import { boundedBuilds } from './build/build-limits.ts';
import { builder } from './build/builder.ts';
import { dependencies } from './build/dependencies.ts';
import { runApplications, type UsedRunner } from './desired/applications.ts';
import { desiredState } from './desired/desired-state.ts';
import { type AppParts, subjectsOf } from './desired/operations.ts';
import { appView } from './ports/app-view.ts';
import { dnsLookup, type Lookup } from './ports/domain-check.ts';
import { platformPorts } from './ports/ports.ts';
import { removals } from './ports/removals.ts';
import { defaultLimits, type Limits, type Log, type PublicService } from './settings.ts';
import { domains } from './store/domains.ts';
import { appEvents } from './store/events.ts';
import { checkFiles, removeLeftovers } from './store/leftovers.ts';
import { servedUsers } from './store/served-users.ts';
import { type Stored, storedIn } from './store/stored.ts';
import { variableStore } from './store/variables.ts';

export interface PlatformOptions {
  /** What runs the applications. It outlives the platform. */
  readonly runner: UsedRunner;
  /** The users whose applications run; absent: all who have any. */
  readonly users?: readonly string[];
  /** Folder of its applications, releases and logs. Only one platform at a time may use it. */
  readonly dataDir: string;
  /** The tables of its records, which are closed after it. */
  readonly tables: Tables;
  readonly log?: Log;
  /** Room on a full disk for the start and for stopping applications; absent: none. */
  readonly reserve?: Pick<DiskReserve, 'use'>;
  /** The addresses of applications for other machines; absent: they are reached from this machine only. */
  readonly publicDomain?: PublicDomain;
  /** The service in front, when other machines reach it; absent: domains of applications have no address. */
  readonly publicService?: PublicService;
  /** Looks names up in DNS; tests replace it. */
  readonly lookup?: Lookup;
  readonly limits?: Partial<Limits>;
  /** The memory limits of applications; absent: none. */
  readonly memoryLimits?: MemoryLimits;
  /** The process limits of applications and of their builds; absent: 256 each. */
  readonly processLimits?: ProcessLimits;
  /** Source of PATH, HOME and npm's network settings for child processes; absent: this process's environment. */
  readonly environment?: OwnEnvironment;
  /** The major version of Node for applications with packages that name none; absent: that of this machine. */
  readonly usualNode?: string;
  /** How applications and builds are isolated; absent: they see all that the service sees. */
  readonly isolation?: Isolation | null;
}

export interface Platform extends Required<PlatformPorts> {
  /** Calls the function each time that there is a new event. */
  onEvent(listener: () => void): void;
  /** Tells of an incident that is about no application. */
  tell(incident: Pick<Incident, 'user' | 'about' | 'state' | 'reason'>): Promise<void>;
  /** Returns the incidents about no application that are not over. */
  failing(): Promise<readonly Incident[]>;
  /** Runs the applications of these users, and ends those of all others, whose files stay. */
  serveUsers(names: readonly string[]): Promise<void>;
  /** Whether a host name is that of an application that exists, running or not. */
  hasHost(host: string): Promise<boolean>;
  /** Whether a host name is a domain of an application, which is not below that of the platform. */
  hasDomain(host: string): boolean;
  /** Ends builds and what is being started. */
  close(): Promise<void>;
}

/**
 * Opens the embedded hosting platform. Builds that an earlier one left behind are ended first; then the applications that
 * were running are started again in the background.
 */
export async function openPlatform(options: PlatformOptions): Promise<Platform> {
  const log = options.log ?? (() => undefined);
  const limits: Limits = { ...defaultLimits, ...options.limits };
  const reserve = options.reserve ?? NO_RESERVE;
  const stored = storedIn(resolve(options.dataDir), options.tables, reserve);
  const { folders: dirs } = stored;
  await mkdir(dirs.apps, { recursive: true });
  // Releases may be private code, and logs may hold what an application should not have printed. Not by a umask, which
  // applications would inherit.
  await chmod(dirs.root, 0o700);
  for (const what of await killOrphans(dirs.groups)) log({ type: 'platform.orphan_killed', detail: what });
  await stored.apps.finishRenames(log);
  await removeLeftovers(stored);

  const listeners = new Set<() => void>();
  const onEvent = () => {
    for (const listener of listeners) listener();
  };
  const parts = assemble(options, {
    ...stored,
    limits,
    log,
    onEvent,
    groups: boundedBuilds(await reserve.use(() => openGroupRegistry(dirs.groups)), {
      limits,
      memoryLimits: options.memoryLimits ?? {},
      processLimits: options.processLimits ?? {},
    }),
  });
  await checkFiles(stored, log);
  parts.domains.read();
  await parts.desired.describeAll();
  const closing = new AbortController();
  const applications = runApplications(options.runner, parts.desired, { ...parts, onRetired: parts.prune });
  return {
    ...platformPorts({ ...parts, closing: closing.signal }),
    onEvent: (listener) => void listeners.add(listener),
    tell: async (incident) => {
      const id = { of: 'machine', seq: Date.now() };
      if (await parts.events.add({ ...incident, app: null, id, log: [] })) onEvent();
    },
    failing: async () => {
      const { events } = await parts.events.after(0);
      return events.filter((event) => 'about' in event).filter(({ app, state }) => app === null && state === 'crashed');
    },
    serveUsers: parts.desired.serve,
    hasHost: options.runner.hasHost,
    hasDomain: (host) => parts.domains.owner(hostName(host)) !== undefined,
    close: once(() => {
      closing.abort();
      return close({ ...parts, log }, applications.close);
    }),
  };
}

interface BaseServices extends Stored {
  readonly limits: Limits;
  readonly log: Log;
  /** Called when an event was stored. */
  readonly onEvent: () => void;
  readonly groups: GroupRegistry;
}

/** Creates and connects the parts of the platform; nothing runs yet. */
function assemble(options: PlatformOptions, base: BaseServices) {
  const { limits, folders: dirs, tables } = base;
  const variables = variableStore(tables, (app) => desired.describe(app));
  const { publicDomain, publicService: service, lookup = dnsLookup() } = options;
  const shared = {
    ...base,
    own: options.environment ?? process.env,
    users: servedUsers(base.apps, options.users),
    variables,
    tools: tools(dirs.tools),
    usualNode: options.usualNode,
    dependencies: dependencies(),
    memoryLimits: options.memoryLimits ?? {},
    processLimits: options.processLimits ?? {},
    isolation: options.isolation ?? null,
    ownNames: service?.names ?? [],
  };
  const named = domains(tables, base.apps, (app) => desired.describe(app));
  const build = builder(shared);
  const later = background((error) => base.log({ type: 'platform.error', detail: messageOf(error) }));
  const prune = (app: AppId) => later.add(build.prune(app));
  const events = appEvents(tables, base.reserve);
  const endIncidents = async (app: AppId, made: AppParts) => {
    if (await events.keepOnly(app, subjectsOf(made))) base.onEvent();
  };
  const desired = desiredState({
    ...shared,
    calls: options.runner,
    domain: publicDomain?.domain,
    builder: build,
    onStarted: prune,
    onMade: (app, made) => void later.add(endIncidents(app, made)),
  });
  return {
    ...shared,
    domains: named,
    events,
    builder: build,
    desired,
    view: appView({ apps: shared.apps, desired, publicDomain, service }),
    removals: removals(),
    service,
    givenDomains: [LAPTOP_DOMAIN, ...(publicDomain ? [publicDomain.domain] : [])],
    lookup,
    tarballBytes: limits.tarballBytes,
    prune,
    later,
  };
}

type Parts = ReturnType<typeof assemble>;

/** For the end of each part. */
const CLOSE_LIMIT_MS = 10_000;

async function close({ log, ...parts }: Parts & { readonly log: Log }, endResume: () => Promise<void>): Promise<void> {
  const { builder: build, desired, groups } = parts;
  const closers: Closers = [
    ['the list of process groups', groups.close],
    ['the start of applications', endResume],
    ['what follows a start', parts.later.ended],
    ['builds', () => Promise.all([build.stop(), desired.close()])],
  ];
  await closeAll(closers, { limitMs: CLOSE_LIMIT_MS, warn: (detail) => log({ type: 'platform.error', detail }) });
}
