import { randomBytes } from 'node:crypto';
import { passwordCheck } from '../../functions/core/users/passwords.ts';
import type { OwnEnvironment } from '../builder/process/child-environment.ts';
import { Connections } from '../http/connections.ts';
import type { GroupRegistry } from '../process/group-registry.ts';
import { reporting } from './app-events.ts';
import { type AppId, type AppSpec, appKey, type Report, type RunnerCalls } from './calls.ts';
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
import { measure } from './usage.ts';

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
    isPassword: passwordCheck(randomBytes(32).toString('hex')),
    predecessor,
  };
  const commands = oneOffs();
  const measuring = setInterval(() => void measure([...runnersByKey.values()]), limits.usageMs).unref();
  const { lead, begin, ...door } = frontDoor(limits);
  const led = () => lead([...runnersByKey.values()]);
  /** Returns what runs an application, which has this description from now on. */
  const described = (app: AppSpec): Runner => {
    const known = find(app);
    known?.spec.describe(app);
    const runner = known ?? new Runner(parts, app);
    runnersByKey.set(appKey(app), runner);
    led();
    return runner;
  };
  return {
    door,
    guard: (server) => connections.guard(server),
    apply: async (app, act) => described(app).act(act),
    begin: async () => begin(),
    stop: async (app, withRuns = false) => {
      await Promise.all([find(app)?.stop(), withRuns && commands.end(app)]);
    },
    remove: async (app) => {
      const gone = find(app);
      await Promise.all([gone?.close(), commands.end(app)]);
      if (find(app) === gone) runnersByKey.delete(appKey(app));
      led();
    },
    states: async ({ user, app } = {}) => {
      const all =
        user !== undefined && app !== undefined ? [find({ user, app }) ?? []].flat() : [...runnersByKey.values()];
      const asked = all.filter(({ spec: { now } }) => user === undefined || now.user === user);
      return asked.map((one) => {
        const { user, app } = one.spec.now;
        return { user, app, state: one.state(), used: one.usage.total() };
      });
    },
    processes: async (app) => {
      const { processes, ...more } = await described(app).processes();
      return { processes: [...processes, ...(await withMemory(commands.listed(app)))], ...more };
    },
    hasHost: async (host) => door.find(host) !== undefined,
    logs: async (app, query, signal) => logLines(described(app).log, query, signal),
    run: async (app, run, release) => {
      const { id } = await commands.start(described(app), run, release);
      return { id };
    },
    said: async (app, id, signal) => commands.get(app, id, true).read(signal),
    input: async (app, id, input) => commands.get(app, id).write(input),
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
