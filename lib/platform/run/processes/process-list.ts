import type { Process, SentProcesses } from '../../../../functions/api/shapes/processes.ts';
import type { ProcessTypes } from '../../../builder/start/start-command.ts';
import { HttpError } from '../../http-error.ts';
import type { AppName } from '../../store/names.ts';
import type { CronTable } from '../jobs/cron.ts';
import type { RunningRelease } from '../launch.ts';
import { memoryOf } from '../limits/memory-watch.ts';
import type { Release } from '../release.ts';
import type { RunState } from '../run-state.ts';
import { countOf, type Formation, numbersOf, type Scale, wantedOf } from './formation.ts';

/** A process, and the group of which its memory is; undefined when it does not run. */
export interface Listed {
  readonly process: Omit<Process, 'memory'>;
  readonly pgid: number | undefined;
}

/** What is known of an application's processes. */
interface Known {
  /** The `web` process, or the application itself when it does not run. */
  readonly web: Partial<Pick<RunningRelease, 'formation' | 'pgid'>> & {
    readonly state: RunState;
    readonly since: Date | null;
    readonly restarts: number;
  };
  readonly formation: Formation | undefined;
  readonly release: Release | undefined;
  readonly cron: CronTable;
  readonly scale: Scale;
}

/** Returns the processes as the API shows them, with their memory of now. */
export async function processList({ web, formation, release, cron, scale }: Known): Promise<SentProcesses> {
  if (release === undefined) return { processes: [], cron: [], scale };
  const { types } = release;
  const listed = formation
    ? [...shownWeb(web, types, scale), ...formation.shown()]
    : notRunning(web.state, types, scale);
  return {
    processes: await withMemory(listed),
    cron: cron.shown(release.cron),
    scale: Object.fromEntries(namesOf(types).map((type) => [type, wantedOf(type, scale)])),
  };
}

/** Returns processes with their memory of now. */
export async function withMemory(listed: readonly Listed[]): Promise<readonly Process[]> {
  const memory = await memoryOf(listed.flatMap(({ pgid }) => pgid ?? []));
  return listed.map(({ process, pgid }) => {
    return { ...process, memory: pgid === undefined ? null : (memory.get(pgid) ?? null) };
  });
}

function shownWeb(
  { state, since, restarts, formation, pgid }: Known['web'],
  types: ProcessTypes,
  scale: Scale,
): Listed[] {
  if (types.web === undefined || formation !== undefined || countOf('web', scale) === 0) return [];
  const about = { name: 'web.1', type: 'web', command: types.web.text, state };
  return [{ process: { ...about, since: since?.toISOString() ?? null, restarts }, pgid }];
}

/** All processes of an application that is stopped, or starts for the first time, have the state of that. */
function notRunning(state: RunState, types: ProcessTypes, scale: Scale): readonly Listed[] {
  const all = { ...(types.web && { web: types.web }), ...types.others };
  return Object.entries(all).flatMap(([type, { text }]) =>
    numbersOf(type, scale).map((number) => {
      const about = { name: `${type}.${number}`, type, command: text, since: null, restarts: 0 };
      return { process: { ...about, state }, pgid: undefined };
    }),
  );
}

function namesOf({ web, others }: ProcessTypes): readonly string[] {
  return [...(web ? ['web'] : []), ...Object.keys(others)];
}

/** Of one application, all types but `web` together. */
const MOST_PROCESSES = 20;

/** Returns the scale with a change. Throws 400 for what cannot be, with one sentence. */
export function changedScale(
  app: AppName,
  { types, scale }: { readonly types: ProcessTypes; readonly scale: Scale },
  change: Readonly<Record<string, unknown>>,
): Scale {
  const names = namesOf(types);
  const counts = Object.entries(change).map(([type, count]): [string, number | 'auto'] => {
    if (!names.includes(type)) {
      throw new HttpError(400, `${app.app} has no process ${type.slice(0, 80)}; it has ${names.join(', ')}.`);
    }
    if (type === 'web' && count === 'auto') return [type, count];
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 0) {
      throw new HttpError(400, `The number of ${type} processes is a whole number from 0.`);
    }
    if (type === 'web' && count > 1)
      throw new HttpError(400, 'There is one web process, or none: web is 0, 1 or auto.');
    return [type, count];
  });
  const changed = Object.fromEntries([...Object.entries(scale), ...counts]);
  const total = Object.keys(types.others).reduce((sum, type) => sum + countOf(type, changed), 0);
  if (total <= MOST_PROCESSES) return changed;
  throw new HttpError(400, `An application has at most ${MOST_PROCESSES} processes besides web.`);
}
