import { DeployError } from '../../../../core/errors.ts';
import type { AppOperations } from '../../../../core/ports/apps/app-operations.ts';
import type { AppRef } from '../../../../core/ports/hosting-platform.ts';
import { onAws } from '../../../aws/failures.ts';
import { keys } from '../../in-table/keys.ts';
import { removeSnapshots } from '../../in-table/snapshots.ts';
import { note } from '../../provider/app-notes.ts';
import type { HerokuParts } from '../parts.ts';
import { readFormation, scale } from './formation.ts';
import { release, running } from './release.ts';

const CODE = 'deploy:platform:start_app';

/** Returns the operations on applications that run on Heroku. */
export function herokuAppOperations(parts: HerokuParts): AppOperations {
  return {
    restart: (app) =>
      onAws(CODE, `the restart of ${app.app}`, async () => release(await running(app, parts), parts, true)),
    stop: (app) => onAws(CODE, `the stop of ${app.app}`, () => stop(app, parts)),
    remove: (app) => onAws(CODE, `the removal of ${app.app}`, () => remove(app, parts)),
  };
}

/** Takes all dynos away. How many there were is kept first: a second call finds none. */
async function stop(app: AppRef, parts: HerokuParts): Promise<void> {
  const item = await parts.table.read(keys.app(app));
  if (!item) throw new DeployError(CODE, `There is no application ${app.app}.`, { retry: false });
  const { run, snapshot } = item;
  if (run === undefined || snapshot === undefined) return;
  const running = Object.entries(await readFormation(run, parts)).filter(([, count]) => count > 0);
  if (running.length > 0) {
    const formation = JSON.stringify(Object.fromEntries(running));
    await parts.table.write(keys.app(app), { formation }, { exists: true });
  }
  await scale(run, Object.fromEntries(running.map(([type]) => [type, 0])), parts);
  await parts.table.write(keys.app(app), { state: 'stopped' }, { exists: true });
  await note(app, 'stopped', parts);
}

/** The application's item last: until then a second call removes what a first one has left. */
async function remove(app: AppRef, parts: HerokuParts): Promise<void> {
  const { run, builder } = (await parts.table.read(keys.app(app))) ?? {};
  for (const id of [run, builder]) {
    if (id === undefined) continue;
    const what = `the removal of ${app.app}`;
    await parts.api({ method: 'DELETE', path: ['apps', id], code: CODE, what, accept: [404] });
  }
  await removeSnapshots(app, parts);
  await parts.table.remove(keys.event(app));
  await parts.table.remove(keys.startedApp(app));
  await parts.table.remove(keys.app(app));
}
