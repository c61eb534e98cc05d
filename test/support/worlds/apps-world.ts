import { memoryLeases } from '../../../functions/adapters/stores/memory/stream-leases.ts';
import type { HttpAnswer, HttpRequest } from '../../../functions/api/http.ts';
import { routes } from '../../../functions/api/routes.ts';
import { type EnvPorts, env } from '../../../functions/api-app-env/env.ts';
import { operate } from '../../../functions/api-app-operations/operate.ts';
import type { SourcePorts } from '../../../functions/api-app-source/ports.ts';
import { source } from '../../../functions/api-app-source/source.ts';
import { apps } from '../../../functions/api-apps/apps.ts';
import type { AppsPorts } from '../../../functions/api-apps/ports.ts';
import type { Entry } from '../../../functions/core/entry/entry.ts';
import { appName } from '../../../functions/core/entry/package-name.ts';
import type { AppRuns } from '../../../functions/core/ports/applications.ts';
import {
  memoryAppDomains,
  memoryApplications,
  memoryAppPasswords,
  memoryAppProcesses,
  memoryAppRuns,
  memoryAppVariables,
} from '../../fakes/applications.ts';
import { memoryClock } from '../../fakes/clock.ts';
import { type MemoryLog, memoryLog } from '../../fakes/deploy-log.ts';
import { memoryPlatform } from '../../fakes/hosting-platform.ts';
import { memoryQueue } from '../../fakes/job-queue.ts';
import { memoryHost } from '../../fakes/repository-host.ts';
import { AT, append } from '../entries.ts';
import { request } from '../requests.ts';

export type AppsWorld = ReturnType<typeof appsWorld>;

/** The ports of the endpoints of applications, on fakes. */
export function appsPorts({ log, platform, queue, host, clock }: AppsFakes) {
  return {
    applications: memoryApplications(platform),
    variables: memoryAppVariables(platform),
    passwords: memoryAppPasswords(platform),
    processes: memoryAppProcesses(platform),
    runs: memoryAppRuns(platform),
    domains: memoryAppDomains(platform),
    appFacts: log,
    facts: log,
    tracked: log,
    settings: log.settings,
    platform: 'embedded',
    reader: log,
    log,
    queue,
    leases: memoryLeases(clock, { user: 5, service: 5 }),
    host: () => host,
    token: async () => null,
    clock,
    trace: () => {},
  } satisfies AllPorts & { readonly runs: AppRuns };
}

type AllPorts = AppsPorts & EnvPorts & SourcePorts;

interface AppsFakes extends Pick<AllPorts, 'queue' | 'clock'> {
  readonly log: MemoryLog;
  readonly platform: ReturnType<typeof memoryPlatform>;
  readonly host: ReturnType<typeof memoryHost>;
}

/** The endpoints of applications, of the functions that the routes name. */
export function appEndpoints(ports: AllPorts): (request: HttpRequest) => Promise<HttpAnswer> {
  const functions: Readonly<Record<string, ReturnType<typeof apps>>> = {
    'api-apps': apps(ports),
    'api-app-env': env(ports),
    'api-app-operations': operate(ports),
    'api-app-source': source(ports),
  };
  return async (asked) => {
    const route = routes.find(({ method, path }) => method === asked.method && path === asked.resource);
    const endpoint = functions[route?.function ?? 'api-apps'];
    if (!endpoint) throw new Error(`${asked.method} ${asked.resource} is no endpoint of applications.`);
    return endpoint(asked);
  };
}

/** The endpoints of applications on in-memory fakes, with deploys that have taken place. */
export function appsWorld() {
  const clock = memoryClock(AT);
  const log = memoryLog();
  const platform = memoryPlatform();
  const queue = memoryQueue();
  const host = memoryHost();
  const ports = appsPorts({ log, platform, queue, host, clock });
  const { applications } = ports;
  let last: Entry | null = null;

  /** An entry of the application that has ended. */
  async function ended(name: string, succeeds: boolean): Promise<Entry> {
    const { number } = await append(log);
    const snapshot = `1.0.0-${number}`;
    const ref = { user: 'ann', app: appName(name), snapshot };
    const state = succeeds ? 'ready' : 'failed';
    await platform.ensureApp(ref, { name });
    const { snapshots = {} } = platform.app(ref) ?? {};
    platform.write(ref, { snapshots: { ...snapshots, [snapshot]: { bytes: Buffer.from(''), state, pollsLeft: 0 } } });
    if (succeeds) await platform.start(ref);
    const changes = { appName: name, snapshot, status: succeeds ? 'ok' : 'error' } as const;
    last = await log.move('ann', number, () => ({ changes, activates: succeeds }));
    if (!last) throw new Error('The entry is gone.');
    return last;
  }

  return {
    clock,
    log,
    queue,
    host,
    platform,
    applications,
    ports,
    request: request(),
    deployed: (name: string) => ended(name, true),
    failed: (name: string) => ended(name, false),
    lastEntry(): Entry {
      if (!last) throw new Error('There is no entry.');
      return last;
    },
    forgetSnapshot(app: string, snapshot: string): void {
      const ref = { user: 'ann', app };
      const { [snapshot]: _, ...left } = platform.app(ref)?.snapshots ?? {};
      platform.write(ref, { snapshots: left });
    },
    /** Asks an endpoint as `ann`. */
    async ask(method: string, resource: string, patch: Partial<HttpRequest> = {}) {
      const answer = await appEndpoints(ports)(request({ method, resource, params: { user: 'ann' }, ...patch }));
      // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape are looked into, property by property.
      return { ...answer, body: answer.body as any };
    },
  };
}
