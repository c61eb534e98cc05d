import type { RunStart } from '../../../functions/core/ports/processes.ts';
import { type StartCommand, scriptCommand } from '../../builder/start/start-command.ts';
import { HttpError } from '../../http/http-error.ts';
import { shellQuote } from '../../process/command.ts';
import { type AppId, appKey, type ReleaseSpec } from '../calls.ts';
import type { Listed } from '../processes/app-process.ts';
import type { Runner } from '../runner.ts';
import { OneOff, shownProgram } from './one-off.ts';

/** A place among the commands of an application, from the moment at which one is to be started. */
interface Slot {
  readonly app: string;
  readonly number: number;
  /** Its program, as the log and the list of processes name it. */
  readonly program: string;
  one?: OneOff;
  isEnded: boolean;
}

/** One-off commands of an application at a time. */
const MOST_AT_A_TIME = 5;

export function oneOffs() {
  const running = new Set<Slot>();
  /** Those whose end was read just now. */
  const read = new Set<Slot>();
  const ofApp = (app: AppId) => [...running].filter(({ app: key }) => key === appKey(app));
  let isClosed = false;
  const freeNumber = (app: AppId) => {
    const taken = new Set(ofApp(app).map(({ number }) => number));
    for (let number = 1; number <= MOST_AT_A_TIME; number += 1) if (!taken.has(number)) return number;
    throw new HttpError(429, `${app.app} has ${MOST_AT_A_TIME} one-off commands running; end one of them first.`);
  };
  return {
    /**
     * Starts a command in a release, by default in that which is live, with the current variables. Throws an HttpError: 400 when
     * there is no such program, 409 before the first start, 429 when too many run.
     */
    start: async (runner: Runner, { command }: RunStart, of?: ReleaseSpec) => {
      if (isClosed) throw new HttpError(503, 'The platform is stopping.');
      const { log } = runner;
      const app = runner.spec.now;
      const release = runner.ready(of);
      const number = freeNumber(app);
      const program = shownProgram(command[0] ?? '') ?? 'A command';
      const slot: Slot = { app: appKey(app), number, program, isEnded: false };
      // Counted before it runs.
      running.add(slot);
      try {
        const name = `run.${number}`;
        const one = await OneOff.start(release, { name, command: commandOf(command) });
        if (slot.isEnded) {
          await one.end();
          throw new HttpError(409, `${app.app} was removed, or the platform is stopping.`);
        }
        slot.one = one;
        log.of(name).note(`${program} began`);
        void one.ended.then(({ how }) => log.of(name).note(how));
        void one.done.then((isRead) => {
          running.delete(slot);
          if (!isRead) return;
          read.add(slot);
          setTimeout(() => read.delete(slot), release.limits.unreadMs).unref();
        });
        return one;
      } catch (error) {
        running.delete(slot);
        throw error;
      }
    },
    /** Returns a command that runs, or has ended and was not read; with `isAgain` also one whose end was. Throws 404. */
    get: (app: AppId, id: string, isAgain = false) => {
      const known = [...running, ...(isAgain ? read : [])];
      const slot = known.find(({ app: key, one }) => key === appKey(app) && one?.id === id);
      if (slot?.one) return slot.one;
      throw new HttpError(404, 'There is no such command any more.');
    },
    /** Returns those of an application for the list of its processes. */
    listed: (app: AppId): readonly Listed[] =>
      ofApp(app).flatMap(({ one, program: command }) => {
        if (!one) return [];
        const { name, since, group } = one;
        const process = { name, type: 'run', command, state: 'running' as const, restarts: 0 };
        return [{ process: { ...process, since: since.toISOString() }, group }];
      }),
    /** Resolves when all have ended by themselves; no other is started. */
    ended: async () => {
      isClosed = true;
      await Promise.all([...running].map(({ one }) => one?.done));
    },
    /** Ends those of an application, or all. */
    end: async (app?: AppId) => {
      isClosed ||= app === undefined;
      const ending = app === undefined ? [...running] : ofApp(app);
      // A command that is being started ends as soon as it has started.
      for (const slot of ending) slot.isEnded = true;
      await Promise.all(ending.map(({ one }) => one?.end()));
    },
  };
}

/** One argument is a line for the shell, as for Heroku's and Dokku's `run`; several are run as they are. */
function commandOf(words: readonly string[]): StartCommand {
  const [program = '', ...args] = words;
  return args.length === 0 ? scriptCommand(program) : { program, args, text: words.map(shellQuote).join(' ') };
}
