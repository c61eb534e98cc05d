import { DeployError } from '../../../../core/errors.ts';
import { isObject } from '../../../../core/json.ts';
import type { AppRef, SnapshotRef } from '../../../../core/ports/hosting-platform.ts';
import { keys } from '../../in-table/keys.ts';
import { pruneSnapshots } from '../../in-table/snapshots.ts';
import type { Item } from '../../in-table/table.ts';
import {
  nestedText,
  requiredFields,
  requiredList,
  requiredNumber,
  requiredText,
  textIn,
} from '../../provider/answers.ts';
import { recordChange } from '../../provider/app-change.ts';
import { note } from '../../provider/app-notes.ts';
import { keptFormation } from '../../provider/formation.ts';
import type { HerokuParts } from '../parts.ts';
import { herokuCalls } from './calls.ts';
import { readFormation, restBuilder, scale } from './formation.ts';
import { startFailure } from './start-failure.ts';
import { NotUp, type Release, untilUp } from './until-up.ts';

const CODE = 'deploy:platform:start_app';

/** A snapshot that can be started. */
interface Startable {
  readonly app: Item;
  /** The id of the app on Heroku. */
  readonly run: string;
  readonly slug: string;
}

/**
 * Releases what was built from a snapshot and waits until it runs; one that does not is replaced by what ran before.
 * Heroku ends the old dynos when it starts the new ones. What runs already, also since a call whose result was lost, is
 * not released again, unless `fresh`.
 */
export async function release(snapshot: SnapshotRef, parts: HerokuParts, fresh = false): Promise<{ url: string }> {
  const start = await startable(snapshot, parts);
  if (fresh || !(await runs(start, parts))) await released(snapshot, start, parts);
  const { app } = start;
  const url = app.address ?? '';
  // The event first: a call that is made again after this finds that the application had crashed.
  if (app.state === 'crashed') await recordChange(snapshot, { state: 'running', reason: null, log: [] }, parts);
  await parts.table.write(keys.app(snapshot), { snapshot: snapshot.snapshot, url, state: 'running' }, { exists: true });
  await note(snapshot, `${snapshot.snapshot} serves`, parts);
  await parts.table.write(keys.startedApp(snapshot), { user: snapshot.user, app: snapshot.app });
  await restBuilder(app.builder ?? '', parts);
  await pruneSnapshots(snapshot, parts).catch(() => {});
  return { url };
}

/** An answer that did not come is no reason to go back: the stage tries again, and finds what runs by then. */
async function released(snapshot: SnapshotRef, { app, run, slug }: Startable, parts: HerokuParts): Promise<void> {
  await checkWebProcess(run, slug, parts);
  const made = await newRelease(run, slug, { description: `Deploy ${snapshot.snapshot}`, parts });
  await scaleUp(run, app, parts);
  try {
    await untilUp(run, made, parts);
  } catch (error) {
    if (!(error instanceof NotUp)) throw error;
    const failure = await startFailure(error, { run, since: made.at }, parts);
    await restore(snapshot, { app, run }, parts);
    throw failure;
  }
}

async function startable(snapshot: SnapshotRef, { table }: HerokuParts): Promise<Startable> {
  const [app, item] = await Promise.all([table.read(keys.app(snapshot)), table.read(keys.snapshot(snapshot))]);
  if (app?.run === undefined || !item) throw refused(`There is no snapshot ${snapshot.snapshot} of ${snapshot.app}.`);
  if (item.slug === undefined) throw refused(`The snapshot ${snapshot.snapshot} is not built: it is ${item.state}.`);
  return { app, run: app.run, slug: item.slug };
}

/** Whether an app runs a slug now. A second call after a crash of the service must not restart the application. */
async function runs({ run, slug }: Startable, parts: HerokuParts): Promise<boolean> {
  const calls = herokuCalls(run, parts);
  const range = 'version ..; order=desc,max=1';
  const { body } = await calls.get(['releases'], { what: 'the current release', range });
  if (nestedText(requiredList(body, CODE)[0], 'slug', 'id') !== slug) return false;
  const dynos = await calls.webDynos();
  return dynos.length > 0 && dynos.every(({ state }) => state === 'up' || state === 'idle');
}

/** Checked before anything is changed: an application without a web process would be released and never answer. */
async function checkWebProcess(run: string, slug: string, parts: HerokuParts): Promise<void> {
  const { body } = await herokuCalls(run, parts).get(['slugs', slug], { what: 'what was built' });
  const types = requiredFields(body, CODE).process_types;
  if (isObject(types) && 'web' in types) return;
  throw refused('The application has no web process: add a script "start", or "web: <command>" to the Procfile.');
}

interface NewRelease {
  readonly description: string;
  readonly parts: HerokuParts;
}

async function newRelease(run: string, slug: string, { description, parts }: NewRelease): Promise<Release> {
  const what = `the release of ${description}`;
  const { body } = await herokuCalls(run, parts).post(['releases'], { json: { slug, description }, what });
  const [version, at] = [requiredNumber(body, 'version', CODE), requiredText(body, 'created_at', CODE)];
  return { version, status: textIn(body, 'status'), at };
}

/** Gives a stopped application its dynos again. With a first release Heroku starts them itself. */
async function scaleUp(run: string, { state, formation }: Item, parts: HerokuParts): Promise<void> {
  const now = await readFormation(run, parts);
  if (now.web !== 0) return;
  const kept = state === 'stopped' ? keptFormation(formation) : {};
  await scale(run, { ...kept, web: kept.web || 1 }, parts);
}

/** Releases again what ran before. What never ran is given no dynos, so that it does not crash again and again. */
async function restore(
  snapshot: SnapshotRef,
  { app, run }: { readonly app: Item; readonly run: string },
  parts: HerokuParts,
): Promise<void> {
  const { slug } =
    app.snapshot === undefined
      ? {}
      : ((await parts.table.read(keys.snapshot({ ...snapshot, snapshot: app.snapshot }))) ?? {});
  const wasStopped = app.state === 'stopped' || slug === undefined;
  const zero = async () => {
    const types = Object.keys(await readFormation(run, parts));
    await scale(run, Object.fromEntries(types.map((type) => [type, 0])), parts);
  };
  if (wasStopped) await zero();
  if (slug !== undefined) await newRelease(run, slug, { description: `Back to ${app.snapshot}`, parts });
}

/** Returns the application with what it runs. Throws when nothing of it has been started. */
export async function running(app: AppRef, { table }: HerokuParts): Promise<SnapshotRef> {
  const item = await table.read(keys.app(app));
  if (item?.snapshot !== undefined) return { ...app, snapshot: item.snapshot };
  throw refused(item ? `${app.app} has not been started yet.` : `There is no application ${app.app}.`);
}

function refused(detail: string): DeployError {
  return new DeployError(CODE, detail, { retry: false });
}
