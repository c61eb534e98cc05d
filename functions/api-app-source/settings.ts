import { fieldsIn } from '../api/body.ts';
import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import type { ChangedSettings, Settings } from '../api/shapes/applications.ts';
import { appRef, packageNameIn, required } from '../core/app-ref.ts';
import { latestDeploy, nameInLog } from '../core/apps/found-app.ts';
import { changedSettings, SETTING_NAMES, type SettingChanges, usedSettings } from '../core/apps/settings.ts';
import type { Entry } from '../core/entry/entry.ts';
import { appName } from '../core/entry/package-name.ts';
import { badParameter, DeployError } from '../core/errors.ts';
import type { OwnerClaim } from '../core/ports/facts.ts';
import type { AppRef } from '../core/ports/platform.ts';
import type { SourcePorts } from './ports.ts';

const MAX_BODY_KIB = 64;

/** `GET …/settings`: the settings of an application; null for those that are not set. */
export async function showSettings(request: HttpRequest, ports: SourcePorts): Promise<HttpAnswer> {
  const { app, claim, stored } = await knownOf(request, ports);
  if (claim === null && Object.keys(stored).length === 0) required(await ports.applications.find(app), request);
  return { status: 200, body: await shown(request, ports) };
}

/**
 * `PATCH …/settings`: changes those that the body names; null removes one. An application may get settings before its
 * first deploy. All are changed or none.
 */
export async function changeSettings(request: HttpRequest, ports: SourcePorts): Promise<HttpAnswer> {
  const changes = changedSettings(fieldsIn(request, MAX_BODY_KIB), ports.platform);
  const { app, claim, stored } = await knownOf(request, ports);
  if (claim?.pullRequest)
    throw badParameter(`${app.app} is a preview, which has the settings of ${claim.pullRequest.parent}.`);
  const { branch, password, ...others } = changes;
  // Its name may be mistyped.
  const isRemoval = Object.values(changes).every((value) => value === null);
  if (isRemoval && claim === null && Object.keys(stored).length === 0)
    required(await ports.applications.find(app), request);
  const said = branch === undefined ? [] : [await follow(branch, { request, claim }, ports)];
  checkEnvironment(others, { app, claim });
  if (others.path !== undefined && claim !== null) await moveFolder(others.path, { app, claim }, ports);
  if (password !== undefined) {
    await ports.passwords?.set(app, packageNameIn(request), password);
    const from = password === null ? 'no password any more' : 'it, with any user name, from now on';
    said.push(`${app.app} asks each visitor for ${from}.`);
  }
  if (Object.keys(others).length > 0) {
    await ports.settings.change(app, others);
    said.push(`The next deploy of ${app.app} uses it; "hooks redeploy ${app.app}" deploys its newest commit again.`);
  }
  const body: ChangedSettings = { ...(await shown(request, ports)), next: said.join(' ') };
  return { status: 200, body };
}

async function knownOf(request: HttpRequest, { facts, settings }: SourcePorts) {
  const app = appRef(request);
  const [claim, stored] = await Promise.all([facts.appOwner(app.user, app.app), settings.read(app)]);
  return { app, claim, stored };
}

/** The branch is kept with the repository that it is one of, and the password where visitors are asked for it. */
async function shown(request: HttpRequest, ports: SourcePorts): Promise<Settings> {
  const { app, claim, stored } = await knownOf(request, ports);
  const password = (await ports.passwords?.has(app)) || null;
  const set = { ...allOf(stored), branch: claim?.branch ?? null, password };
  return { ...set, ...(await ofNewest(request, ports)) };
}

type SettingValues = Settings['in_package'];

function allOf(some: SettingChanges): SettingValues {
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, some[name] ?? null])) as SettingValues;
}

/** Returns what the package.json of the newest deploy says, and what its build has used. */
async function ofNewest(request: HttpRequest, ports: SourcePorts): Promise<Pick<Settings, 'in_package' | 'found'>> {
  const name = await nameInLog(request, ports).catch(() => null);
  const latest = name === null ? null : await latestDeploy(request.user, name, ports);
  return { in_package: allOf(inPackage(latest, ports)), found: allOf(latest?.found ?? {}) };
}

/** Empty if a value in package.json is invalid: its deploy has failed. */
function inPackage(latest: Entry | null, { platform }: SourcePorts): SettingChanges {
  try {
    return usedSettings({}, latest?.manifest ?? {}, platform).settings;
  } catch {
    return {};
  }
}

/** Moves the application to another folder of its repository; the next push is deployed from there. */
async function moveFolder(
  path: string | null,
  { app, claim }: { readonly app: AppRef; readonly claim: OwnerClaim },
  { facts, ownHost }: SourcePorts,
): Promise<void> {
  const { branch: _, path: __, ...owner } = claim;
  const namesake = appName(claim.name);
  // A push deploys the application that has the name of the repository, if there is one; else that which was renamed.
  const isPushed = namesake === app.app || (await facts.appOwner(app.user, namesake)) === null;
  if (claim.host !== ownHost?.name || claim.owner !== app.user || !isPushed) {
    const detail =
      `Only a repository of this service that is called ${app.app} can have its folder set, and ${app.app} belongs to ` +
      `${claim.owner}/${claim.name}: the address of a webhook names the folder, ?path=apps/web.`;
    throw badParameter(detail);
  }
  await facts.transferApp(app.user, app.app, { ...owner, ...(path !== null && path !== '.' && { path }) });
}

/**
 * The environment is a part of the name of an application. Throws `request:bad_parameter` for an application of another
 * name, and for one that is deployed otherwise already.
 */
function checkEnvironment(
  { environment }: SettingChanges,
  { app: { app }, claim }: { readonly app: AppRef; readonly claim: OwnerClaim | null },
): void {
  if (environment === undefined || (claim !== null && environment === (claim.environment ?? null))) return;
  if (environment !== null && !app.endsWith(`-${environment}`)) {
    throw badParameter(
      `An environment is an application of its own: "hooks create ${app} --environment ${environment}" in its folder.`,
    );
  }
  if (claim === null) return;
  const detail = `${app} is deployed already, by ${claim.owner}/${claim.name}: its environment is a part of its name.`;
  throw badParameter(detail);
}

interface Followed {
  readonly request: HttpRequest;
  readonly claim: OwnerClaim | null;
}

/** Makes the application follow another branch of its repository. Returns a sentence about what follows. */
async function follow(branch: string | null, { request, claim }: Followed, ports: SourcePorts): Promise<string> {
  const { user, app } = appRef(request);
  if (branch === null) throw badParameter(`${app} always follows a branch: name another one.`);
  if (claim === null) {
    const detail = `No repository has deployed ${app} yet: it follows the branch of its first push.`;
    throw new DeployError('status:db:not_found', detail);
  }
  const place = `${claim.owner}/${claim.name}`;
  const tip = await ports.host(claim.host).tip(claim, branch, await ports.token(user, claim.host));
  if (tip === null) throw badParameter(`${place} has no branch ${branch}.`);
  const isOwn = claim.host === ports.ownHost?.name && claim.owner === user;
  if (isOwn) await ports.ownHost?.makeDefault(claim, branch);
  await ports.facts.followBranch(user, app, branch);
  const next = `Nothing is deployed by that: the next push of ${branch} is, and its tip by "hooks deploy ${app}".`;
  if (isOwn) return `${branch} is the default branch of ${place} now. ${next}`;
  return `${next} The address of the webhook must name the branch: ?${new URLSearchParams({ branch })}.`;
}
