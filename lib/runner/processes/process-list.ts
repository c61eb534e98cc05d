import type { Process, ProcessList, Scale } from '../../../functions/core/ports/processes.ts';
import type { ProcessTypes } from '../../builder/start/process-types.ts';
import type { CronTable } from '../jobs/cron.ts';
import { memoryOfGroups } from '../limits/memory-watch.ts';
import type { RunningRelease } from '../start/launch.ts';
import type { Release } from '../start/release.ts';
import type { Listed } from './app-process.ts';
import type { Formation } from './formation.ts';
import { countOf, numbersOf, typeNames, wantedOf } from './scale.ts';

interface Known {
  /** The `web` process, or the application itself when it does not run. */
  readonly web: Partial<Pick<RunningRelease, 'formation' | 'group'>> & {
    readonly state: Process['state'];
    readonly since: Date | null;
    readonly restarts: number;
  };
  readonly formation: Formation | undefined;
  readonly release: Release | undefined;
  readonly cron: CronTable;
  readonly scale: Scale;
}

/** Returns the processes as the API shows them, with their memory of now. */
export async function processList({ web, formation, release, cron, scale }: Known): Promise<ProcessList> {
  if (release === undefined) return { processes: [], cron: [], scale };
  const { types } = release;
  const listed = formation
    ? [...shownWeb(web, types, scale), ...formation.shown()]
    : notRunning(web.state, types, scale);
  return {
    processes: await withMemory(listed),
    cron: cron.shown(release.cron),
    scale: Object.fromEntries(typeNames(types).map((type) => [type, wantedOf(type, scale)])),
  };
}

export async function withMemory(listed: readonly Listed[]): Promise<readonly Process[]> {
  const memory = await memoryOfGroups(listed.flatMap(({ group }) => group ?? []));
  return listed.map(({ process, group }) => {
    return { ...process, memory: group === undefined ? null : (memory.get(group.pgid) ?? null) };
  });
}

function shownWeb(
  { state, since, restarts, formation, group }: Known['web'],
  types: ProcessTypes,
  scale: Scale,
): Listed[] {
  if (types.web === undefined || formation !== undefined || countOf('web', scale) === 0) return [];
  const about = { name: 'web.1', type: 'web', command: types.web.text, state };
  return [{ process: { ...about, since: since?.toISOString() ?? null, restarts }, group }];
}

/** All processes of an application that is stopped, or starts for the first time, have the state of that. */
function notRunning(state: Process['state'], types: ProcessTypes, scale: Scale): readonly Listed[] {
  const all = { ...(types.web && { web: types.web }), ...types.others };
  return Object.entries(all).flatMap(([type, { text }]) =>
    numbersOf(type, scale).map((number) => {
      const about = { name: `${type}.${number}`, type, command: text, since: null, restarts: 0 };
      return { process: { ...about, state }, group: undefined };
    }),
  );
}
