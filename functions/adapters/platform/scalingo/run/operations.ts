import { DeployError } from '../../../../core/errors.ts';
import type { AppOperations } from '../../../../core/ports/apps/app-operations.ts';
import type { AppRef } from '../../../../core/ports/hosting-platform.ts';
import { onAws } from '../../../aws/failures.ts';
import { keys } from '../../in-table/keys.ts';
import { removeSnapshots } from '../../in-table/snapshots.ts';
import { note } from '../../provider/app-notes.ts';
import { forgetArchive } from '../archives.ts';
import type { ScalingoParts } from '../parts.ts';
import { readApp, readFormation, scale } from './containers.ts';
import { none, releaseAgain } from './release.ts';
import { untilIdle } from './until-live.ts';

const CODE = 'deploy:platform:start_app';

/** Returns the operations on applications that run on Scalingo. Each waits for a deployment that is under way. */
export function scalingoAppOperations(parts: ScalingoParts): AppOperations {
  return {
    restart: (app) => onAws(CODE, `the restart of ${app.app}`, () => startAgain(app, parts)),
    stop: (app) => onAws(CODE, `the stop of ${app.app}`, () => stop(app, parts)),
    remove: (app) => onAws(CODE, `the removal of ${app.app}`, () => remove(app, parts)),
  };
}

async function startAgain(app: AppRef, parts: ScalingoParts): Promise<{ url: string }> {
  await untilIdle(app, parts);
  const item = await known(app, parts);
  if (item.snapshot === undefined) throw refused(`${app.app} has not been started yet.`);
  return releaseAgain({ ...app, snapshot: item.snapshot }, item, parts);
}

/** Takes all containers away. How many there were is kept first: a second call finds none. */
async function stop(app: AppRef, parts: ScalingoParts): Promise<void> {
  await known(app, parts);
  await untilIdle(app, parts);
  const { run, snapshot } = await known(app, parts);
  if (run === undefined || snapshot === undefined) return;
  const formation = await readFormation(run, parts);
  const running = Object.fromEntries(Object.entries(formation).filter(([, amount]) => amount > 0));
  if (Object.keys(running).length > 0) {
    await parts.table.write(keys.app(app), { formation: JSON.stringify(running) }, { exists: true });
    await scale(run, none(running), parts);
  }
  await parts.table.write(keys.app(app), { state: 'stopped' }, { exists: true });
  await note(app, 'stopped', parts);
}

/** The application's item last: until then a second call removes what a first one has left. */
async function remove(app: AppRef, parts: ScalingoParts): Promise<void> {
  await untilIdle(app, parts);
  const { run } = (await parts.table.read(keys.app(app))) ?? {};
  const shown = run === undefined ? null : await readApp(run, parts);
  if (run !== undefined && shown) {
    // Scalingo wants to read the name twice.
    const query = { current_name: shown.name };
    const what = `the removal of ${app.app}`;
    await parts.api({ method: 'DELETE', path: ['apps', run], query, code: CODE, what, accept: [404] });
  }
  await removeSnapshots(app, { table: parts.table, forget: forgetArchive(parts) });
  await parts.table.remove(keys.event(app));
  await parts.table.remove(keys.startedApp(app));
  await parts.table.remove(keys.app(app));
}

async function known(app: AppRef, { table }: ScalingoParts) {
  const item = await table.read(keys.app(app));
  if (item) return item;
  throw refused(`There is no application ${app.app}.`);
}

function refused(detail: string): DeployError {
  return new DeployError(CODE, detail, { retry: false });
}
