import { fieldsIn } from '../api/body.ts';
import { dispatch } from '../api/dispatch.ts';
import { type RecordPorts, record } from '../api/entry-answer.ts';
import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { to } from '../api/parameters.ts';
import { type FoundApp, foundApp, latestDeploy } from '../core/apps/found-app.ts';
import type { AppPorts } from '../core/apps/history.ts';
import { operationOn, operationOnRunning } from '../core/apps/record.ts';
import { type Entry, entryNumber } from '../core/entry/entry.ts';
import { appName, nameProblem } from '../core/entry/package-name.ts';
import { deployOfSnapshot } from '../core/entry/snapshot.ts';
import { badParameter, DeployError } from '../core/errors.ts';

type OperatePorts = AppPorts & RecordPorts;

/** Returns the endpoints of what is done with an application that has been deployed. */
export const operate = dispatch('api-app-operations', {
  'DELETE /1/apps/{user}/{application}': remove,
  'POST /1/apps/{user}/{application}/restart': restart,
  'POST /1/apps/{user}/{application}/stop': stop,
  'POST /1/apps/{user}/{application}/rename': rename,
  'POST /1/apps/{user}/{application}/rollback': rollback,
});

/** `POST …/restart`: starts what the application runs again, also when it is stopped. */
async function restart(request: HttpRequest, ports: OperatePorts): Promise<HttpAnswer> {
  const application = started(await foundApp(request, ports));
  return record(request, operationOnRunning(application, 'restart'), {}, ports);
}

/** `POST …/stop`: ends the application until it is restarted or deployed. Deploys under way do not start it again. */
async function stop(request: HttpRequest, ports: OperatePorts): Promise<HttpAnswer> {
  const application = started(await foundApp(request, ports));
  return record(request, operationOnRunning(application, 'stop'), { overrules: application.app.app }, ports);
}

/** `DELETE …/<application>`: removes it from the platform, and frees its name. Its log stays. */
async function remove(request: HttpRequest, ports: OperatePorts): Promise<HttpAnswer> {
  const { app, name, active } = await foundApp(request, ports);
  // For the order among the deploys of its repository, the first of which may be under way.
  const last = active ?? (await latestDeploy(request.user, name, ports));
  return record(request, operationOn('remove', name, last), { overrules: app.app }, ports);
}

/**
 * `POST …/rename`: gives an application another name, as the next commits have it in package.json. Deploys under way end,
 * and what runs is started again. Throws `request:conflict` when the name is taken.
 */
async function rename(request: HttpRequest, ports: OperatePorts): Promise<HttpAnswer> {
  const { canRename } = ports.applications;
  if (canRename !== true) throw new DeployError('request:not_supported', canRename);
  const { name: newName } = fieldsIn(request, MAX_BODY_KIB);
  const problem =
    typeof newName === 'string' ? nameProblem(newName) : 'is missing: the body is JSON, {"name": "store"}';
  if (typeof newName !== 'string' || problem !== null) {
    throw badParameter(`The new name ${problem}.`);
  }
  const { app, name, active } = await foundApp(request, ports);
  const { user } = app;
  if ((await ports.facts.appOwner(user, app.app))?.pullRequest) {
    throw badParameter(`${name} is a preview, which has the name of its application.`);
  }
  const ref = { user, app: appName(newName) };
  const isTaken = (await ports.applications.find(ref)) !== null || (await ports.facts.appOwner(user, ref.app)) !== null;
  if (name === newName || (ref.app !== app.app && isTaken)) {
    throw new DeployError('request:conflict', `There is an application ${newName} already.`);
  }
  const last = active ?? (await latestDeploy(user, name, ports));
  const { snapshot } = app;
  const draft = { ...operationOn('rename', newName, last), formerName: name, snapshot, ...(last && buildOf(last)) };
  return record(request, draft, { overrules: app.app }, ports);
}

const MAX_BODY_KIB = 16;

function buildOf({ manifest, found }: Entry): Pick<Entry, 'manifest' | 'found'> {
  return { manifest, ...(found && { found }) };
}

/** Returns an application that has been started before. Throws `status:db:not_found`. */
function started(found: FoundApp): FoundApp {
  if (found.app.state !== 'never') return found;
  const detail = `${found.name} has not been deployed successfully yet, so there is nothing to restart or stop: push again, or redeploy its newest commit.`;
  throw new DeployError('status:db:not_found', detail);
}

/**
 * `POST …/rollback?to=<entry>`: starts the snapshot of an earlier deploy again, by default of the one before. The
 * platform has the snapshot, so the repository host is not needed. Deploys that were accepted before never start.
 */
async function rollback(request: HttpRequest, ports: OperatePorts): Promise<HttpAnswer> {
  const application = await foundApp(request, ports);
  const { [to.name]: id } = request.query;
  const target = id === undefined ? deployBefore(application) : await named(id, application, ports);
  const again = { stage: 'extract', snapshot: target.snapshot, ...buildOf(target) } as const;
  const draft = { ...operationOn('rollback', application.name, target), ...again };
  return record(request, draft, { overrules: application.app.app }, ports);
}

/** Returns the newest deploy that is older than the one that runs, even when that is itself a rollback. */
function deployBefore({ app, name, earlier }: FoundApp): Entry {
  const running = deployOfSnapshot(app.snapshot ?? '') ?? 0;
  const before = earlier.find(({ number }) => number < running);
  if (before) return before;
  const detail = `${name} has no earlier successful deploy whose snapshot the platform still has.`;
  throw new DeployError('status:db:not_found', detail);
}

/** Returns the deploy to go back to, by the id or the address of an entry: of a deploy, or of a rollback to it. */
async function named(text: string, { app, name, active, earlier }: FoundApp, ports: OperatePorts): Promise<Entry> {
  const id = text.split('/').at(-1) ?? '';
  const number = entryNumber(id);
  const entry = number === null ? null : await ports.reader.read(app.user, number);
  // The whole id is compared: the number alone could be guessed.
  if (entry?.id !== id) throw refused('status:db:not_found', 'You have no such entry.');
  // What is listed can be gone back to, by whatever name the application had then.
  const target = [...earlier, ...(active ? [active] : [])].find(({ snapshot }) => snapshot === entry.snapshot);
  if (entry.appName !== name && !target) throw refused('request:bad_parameter', `The entry is not one of ${name}.`);
  if (entry.snapshot === null || entry.status === 'error') {
    throw refused('request:bad_parameter', 'The entry did not deploy successfully, so there is nothing to go back to.');
  }
  if (target) return target;
  const again = entry.sha === null ? '' : ` Deploy the commit again: POST …/deploy?ref=${entry.sha}.`;
  throw refused('request:bad_parameter', `The platform no longer has the snapshot of that deploy.${again}`);
}

function refused(code: 'status:db:not_found' | 'request:bad_parameter', problem: string): DeployError {
  return new DeployError(code, `${problem} The parameter to is the id of an entry in "rollback" of the application.`);
}
