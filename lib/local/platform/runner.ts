import { type AppLog, appLog } from './app-log.ts';
import type { Apps } from './apps.ts';
import type { OwnEnvironment } from './child-environment.ts';
import { crashes } from './crashes.ts';
import { howItEnded } from './diagnosis.ts';
import type { Folders } from './folders.ts';
import { type Front, front } from './front.ts';
import type { Groups } from './groups.ts';
import { launch, type Running } from './launch.ts';
import { type AppName, appHost, appKey } from './names.ts';
import { messageOf, Refusal } from './refusal.ts';
import type { Limits, Log } from './settings.ts';
import type { Snapshots } from './snapshots.ts';
import { turns } from './turns.ts';
import type { VariableStore } from './variables.ts';

/** What an application is doing; `restarting` is the pause after a crash, `crashed` the end of such pauses. */
export type RunState = 'stopped' | 'starting' | 'running' | 'restarting' | 'crashed';

/** Runs one application: at most one release serves, and a new one takes over only when it answers. */
export interface Runner {
  readonly front: Front;
  readonly log: AppLog;
  state(): RunState;
  /** Starts the snapshot and moves the traffic to it; fine when it runs already. Throws a Refusal, the old one serving on. */
  start(snapshot: string): Promise<void>;
  /** Starts the active snapshot anew, with the variables of now, and moves the traffic to it. */
  restart(): Promise<void>;
  /** Ends the application; a start that is under way is called off. */
  stop(): Promise<void>;
  /** Starts the active snapshot as after a crash, trying again: for applications that ran when the platform ended. */
  resume(): Promise<void>;
  /** Ends everything without changing whether the application is wanted. */
  close(): Promise<void>;
}

/** What a runner works with. */
export interface RunnerParts {
  readonly own: OwnEnvironment;
  readonly folders: Folders;
  readonly groups: Groups;
  readonly apps: Apps;
  readonly snapshots: Snapshots;
  readonly variables: VariableStore;
  readonly npmCache: string;
  readonly limits: Limits;
  readonly log: Log;
  /** Ports to try for an application that has none yet. */
  readonly freshPorts: () => Promise<Iterable<number>>;
  /** Called when a release serves, and again when the one before is gone. */
  readonly onServing: (app: AppName, snapshot: string) => Promise<void>;
  readonly onRetired: (app: AppName, snapshot: string) => Promise<void>;
}

/** Makes the runner of an application; nothing runs yet. */
export function runner(parts: RunnerParts, app: AppName): Runner {
  const { apps, limits } = parts;
  const about = { user: app.user, app: app.app };
  const log = appLog(parts.folders.ofApp(app).log, limits.logBytes);
  const inTurn = turns();
  const oneByOne = <T>(work: () => Promise<T>) => inTurn('', work);
  const crashCount = crashes(limits);
  const background = new Set<Promise<void>>();
  let state: RunState = 'stopped';
  let running: Running | undefined;
  let starting: AbortController | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closing = false;
  const door = front(() => absence(app, state));

  const report = (error: unknown) => parts.log({ type: 'app.error', ...about, detail: messageOf(error) });
  const later = (work: Promise<void>) => {
    const done = work.catch(report).finally(() => background.delete(done));
    background.add(done);
  };

  /** Starts a release and moves the traffic to it. */
  const swap = async (snapshot: string) => {
    if (closing) throw new Refusal(503, 'The platform is stopping.');
    const began = performance.now();
    const before = state;
    starting = new AbortController();
    if (!running) state = 'starting';
    try {
      const next = await launchRelease(parts, app, snapshot, { log, door, signal: starting.signal });
      await apps.change(app, { active: snapshot, wanted: 'running' });
      const old = running;
      running = next;
      state = 'running';
      const drained = door.pointTo(next.port);
      next.exited.then((exit) => fell(next, howItEnded(exit)));
      log.note(`${snapshot} serves`);
      parts.log({ type: 'app.serving', ...about, snapshot, milliseconds: performance.now() - began });
      later(parts.onServing(app, snapshot));
      later(retire(old, drained).then(() => parts.onRetired(app, snapshot)));
    } catch (error) {
      if (!running) state = before;
      throw error;
    } finally {
      starting = undefined;
    }
  };

  const retire = async (old: Running | undefined, drained: (milliseconds: number) => Promise<void>) => {
    await drained(limits.drainMs);
    await old?.end(limits.graceMs);
  };

  /** The serving process is gone and nobody asked for it. */
  const fell = (which: Running, how: string) => {
    if (running !== which || closing) return;
    running = undefined;
    door.pointTo(undefined);
    crashed(`${which.snapshot} ${how}`);
  };

  const crashed = (how: string) => {
    const verdict = crashCount.record(performance.now());
    const givenUp = 'givenUp' in verdict;
    state = givenUp ? 'crashed' : 'restarting';
    const next = givenUp ? 'it crashed too often and is not started again' : `next try in ${verdict.retryAfterMs} ms`;
    log.note(`${how}; ${next}`);
    parts.log({ type: givenUp ? 'app.crashed' : 'app.restarting', ...about, detail: how });
    if (!givenUp) retry = setTimeout(() => oneByOne(revive).catch(report), verdict.retryAfterMs);
  };

  const revive = async () => {
    if (running || closing || state !== 'restarting') return;
    const { active, wanted } = await apps.get(app);
    if (active === null || wanted === 'stopped') return;
    // Another failure counts as another crash, so that a release that can never start is given up as well.
    await swap(active).catch((error: unknown) => {
      if (!closing && state === 'restarting') crashed(messageOf(error));
    });
  };

  /** Takes the traffic away and ends what runs; afterwards nothing of the application is left. */
  const end = async (drainMs: number) => {
    clearTimeout(retry);
    const old = running;
    running = undefined;
    await door.pointTo(undefined)(drainMs);
    await old?.end(limits.graceMs);
    await Promise.all(background);
    await log.flush();
  };

  return {
    front: door,
    log,
    state: () => state,
    start: (snapshot) =>
      oneByOne(async () => {
        if (running?.snapshot === snapshot) return;
        crashCount.reset();
        await swap(snapshot);
        clearTimeout(retry);
      }),
    restart: () =>
      oneByOne(async () => {
        const { active } = await apps.get(app);
        if (active === null) throw new Refusal(409, 'Nothing has been started yet; start a snapshot first.');
        crashCount.reset();
        await swap(active);
        clearTimeout(retry);
      }),
    stop: () => {
      starting?.abort();
      return oneByOne(async () => {
        await apps.change(app, { wanted: 'stopped' });
        state = 'stopped';
        await end(limits.drainMs);
        log.note('stopped');
      });
    },
    resume: () =>
      oneByOne(async () => {
        if (running) return;
        state = 'restarting';
        await revive();
      }),
    close: () => {
      closing = true;
      starting?.abort();
      return oneByOne(async () => {
        // Cutting the connections first makes what is being drained idle at once.
        await door.close();
        await end(0);
      });
    },
  };
}

/** Opens the application's port and starts a release behind it. */
async function launchRelease(
  parts: RunnerParts,
  app: AppName,
  id: string,
  { log, door, signal }: { readonly log: AppLog; readonly door: Front; readonly signal: AbortSignal },
): Promise<Running> {
  const snapshot = await parts.snapshots.get(app, id);
  if (snapshot.state !== 'ready') {
    const why = snapshot.state === 'failed' ? `could not be built: ${snapshot.reason}` : 'has not been activated yet';
    throw new Refusal(409, `The snapshot ${id} ${why}.`, snapshot.log);
  }
  await openFront(parts, app, door);
  return launch(parts.own, parts.groups, {
    what: appKey(app),
    snapshot: id,
    release: parts.folders.ofApp(app).snapshot(id).release,
    host: appHost(app),
    variables: await parts.variables.read(app),
    npmCache: parts.npmCache,
    log,
    limits: parts.limits,
    signal,
  });
}

async function openFront(parts: RunnerParts, app: AppName, door: Front): Promise<void> {
  const stored = await parts.apps.get(app);
  const candidates = stored.port === null ? await parts.freshPorts() : [stored.port, ...(await parts.freshPorts())];
  const port = await door.open(candidates);
  if (port === stored.port) return;
  if (stored.port !== null) {
    parts.log({
      type: 'app.moved',
      user: app.user,
      app: app.app,
      detail: `Port ${stored.port} is taken; it is ${port} now.`,
    });
  }
  await parts.apps.change(app, { port });
}

function absence(app: AppName, state: RunState): string {
  const why = {
    stopped: 'is stopped',
    starting: 'is starting',
    running: 'is starting',
    restarting: 'has crashed and is being started again',
    crashed: 'has crashed too often; see its log',
  };
  return `${app.app} ${why[state]}.`;
}
