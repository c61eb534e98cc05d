import type { OwnEnvironment } from '../builder/process/child-environment.ts';
import { Connections } from '../http/connections.ts';
import { HttpError } from '../http/http-error.ts';
import type { GroupRegistry } from '../process/group-registry.ts';
import { reporting } from './app-events.ts';
import { type AppId, appKey, type Report, type RunnerCalls } from './calls.ts';
import type { PortHandover, Predecessor } from './door/app-port.ts';
import { type FrontDoor, frontDoor } from './door/front-door.ts';
import { oneOffs } from './jobs/one-offs.ts';
import { KeptEvents } from './kept-events.ts';
import { memoryWatch } from './limits/memory-watch.ts';
import { boundedGroups } from './limits/process-watch.ts';
import { logLines } from './logs/log-lines.ts';
import { withMemory } from './processes/process-list.ts';
import { Runner } from './runner.ts';
import type { RunnerLimits } from './settings.ts';
import type { RunnerParts } from './start/release.ts';
import { startTurns } from './start/turns.ts';
import { measureMemory } from './usage.ts';

interface RunnersOptions {
  readonly limits: RunnerLimits;
  /** Source of PATH and HOME for applications. */
  readonly own: OwnEnvironment;
  readonly groups: GroupRegistry;
  readonly predecessor?: Predecessor | undefined;
}

/** Runs applications in this process. */
export interface Runners extends RunnerCalls {
  /** Their front door: requests for them, by their Host header. */
  readonly door: FrontDoor;
  /** Limits the connections of the front door. */
  readonly guard: Connections['guard'];
  /** Reports an event of the runner before. */
  readonly report: Report;
  /** Hands an application over to another runner; resolves when nothing of it runs here any more. */
  handOver(key: string, handover: PortHandover): Promise<void>;
  /** The applications that it has. */
  keys(): readonly string[];
  /** Resolves when all one-off commands have ended. */
  runsEnded(): Promise<void>;
}

export function runners({ limits, own, groups, predecessor }: RunnersOptions): Runners {
  const runnersByKey = new Map<string, Runner>();
  const find = (app: AppId) => runnersByKey.get(appKey(app));
  const get = (app: AppId) => {
    const runner = find(app);
    if (runner) return runner;
    throw new HttpError(404, `${app.app} has not been started yet.`);
  };
  const events = new KeptEvents();
  const connections = new Connections({ most: limits.connections });
  const parts: RunnerParts = {
    limits,
    own,
    connections,
    groups: boundedGroups(groups, {
      limitOf: (key) => runnersByKey.get(key)?.spec.now.mostProcesses ?? Number.POSITIVE_INFINITY,
      checkMs: limits.processCheckMs,
    }),
    memory: memoryWatch(limits.memoryCheckMs),
    report: reporting(events.add, find),
    turns: startTurns(),
    predecessor,
  };
  const commands = oneOffs();
  const measuring = setInterval(() => void measureMemory([...runnersByKey.values()]), limits.usageMs).unref();
  const { lead, begin, ...door } = frontDoor(limits);
  const led = () => lead([...runnersByKey.values()]);
  return {
    door,
    guard: (server) => connections.guard(server),
    describe: async (app) => {
      const runner = find(app);
      if (runner) runner.spec.describe(app);
      else runnersByKey.set(appKey(app), new Runner(parts, app));
      led();
    },
    begin: async () => begin(),
    start: async (app, release, keptFiles) => get(app).start(release, keptFiles),
    restart: async (app, entry) => get(app).restart(entry),
    resume: async (app, missing) => get(app).resume(missing),
    stop: async (app) => find(app)?.stop(),
    scale: async (app, scale) => get(app).scale(scale),
    remove: async (app) => {
      const gone = find(app);
      await Promise.all([gone?.close(), commands.end(app)]);
      if (find(app) === gone) runnersByKey.delete(appKey(app));
      led();
    },
    state: async (app) => find(app)?.state() ?? 'stopped',
    states: async () =>
      [...runnersByKey.values()].map((one) => ({ user: one.spec.now.user, app: one.spec.now.app, state: one.state() })),
    processes: async (app) => {
      const { processes, ...more } = await get(app).processes();
      return { processes: [...processes, ...(await withMemory(commands.listed(app)))], ...more };
    },
    hasHost: async (host) => door.find(host) !== undefined,
    logs: async (app, query, signal) => logLines(get(app).log, query, signal),
    run: async (app, run, release) => {
      const { id } = await commands.start(get(app), run, release);
      return { id };
    },
    said: async (app, id, signal) => commands.get(app, id).read(signal),
    input: async (app, id, input) => commands.get(app, id).write(input),
    endRuns: async (app) => commands.end(app),
    events: (last, signal) => events.after(last, signal),
    report: events.add,
    handOver: async (key, handover) => {
      const runner = runnersByKey.get(key);
      if (runner) return runner.close(handover);
      await handover.sockets([]);
      await handover.ended?.();
    },
    keys: () =>
      [...runnersByKey.values()].filter((one) => one.state() !== 'stopped').map(({ spec }) => appKey(spec.now)),
    runsEnded: commands.ended,
    close: async () => {
      clearInterval(measuring);
      await Promise.all([...[...runnersByKey.values()].map((one) => one.close()), commands.end()]);
    },
  };
}
