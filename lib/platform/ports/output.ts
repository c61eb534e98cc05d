import { badParameter, DeployError } from '../../../functions/core/errors.ts';
import type { AppOutput } from '../../../functions/core/ports/applications.ts';
import type { BuildOutput } from '../../../functions/core/ports/platform.ts';
import { searchLog } from '../../runner/logs/search.ts';
import { storedLines } from '../build/build-log.ts';
import type { PortParts } from './parts.ts';
import type { Calls } from './refusals.ts';

export function appOutput({ folders, removals, desired }: PortParts, { find }: Calls): AppOutput {
  return {
    search: (app, query, signal) =>
      find({ app, code: 'request:failed', what: `the output of ${app.app}` }, async (name) => {
        const found = await searchLog(folders.ofApp(name).log, query, signal);
        if (found) return found;
        throw badParameter('The parameter before must be the `next` of an earlier search.');
      }),
    read: (app, query, signal) =>
      find({ app, code: 'request:failed', what: `the output of ${app.app}` }, async (name) => {
        const ended = AbortSignal.any([signal, removals.signalOf(name)]);
        return piecesOf(await desired.of(name).logs(query, ended), ended);
      }),
  };
}

export function buildOutput({ folders, snapshots, builder }: PortParts, { find }: Calls): BuildOutput {
  return {
    read: (ref, follow, signal) =>
      find({ app: ref, code: 'request:failed', what: `the build log of ${ref.snapshot}` }, async (app) => {
        const id = ref.snapshot;
        // A build that an earlier process has begun is resumed first.
        if ((await snapshots.get(app, id)).state === 'building') await builder.status(app, id, 0);
        const running = await builder.log(app, id);
        return running?.read(follow, signal) ?? storedLines(folders.ofApp(app).snapshot(id).log);
      }),
  };
}

/** Yields what there is. Ends without an error when the signal aborts, else throws `request:failed` for one. */
export async function* piecesOf<T>(
  pieces: AsyncIterable<readonly T[]>,
  signal: AbortSignal,
): AsyncGenerator<readonly T[]> {
  try {
    for await (const some of pieces) {
      if (signal.aborted) return;
      if (some.length > 0) yield some;
    }
  } catch (cause) {
    if (signal.aborted) return;
    throw new DeployError('request:failed', 'The connection to the platform was lost.', { retry: true, cause });
  }
}
