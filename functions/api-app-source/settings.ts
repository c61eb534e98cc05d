import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import type { ChangedSettings, Settings } from '../api/shapes/applications.ts';
import { appRef, required } from '../core/app-ref.ts';
import { DeployError } from '../core/errors.ts';
import { fieldsIn } from '../core/parameters.ts';
import { branchNamed } from '../core/payload/branch.ts';
import type { OwnerClaim } from '../core/ports/facts.ts';
import type { SourcePorts } from './ports.ts';

/** A setting: its value, and its change, which returns a sentence about what follows. */
interface Setting {
  readonly read: (claim: OwnerClaim | null) => string | null;
  readonly change: (value: unknown, request: HttpRequest, ports: SourcePorts) => Promise<string>;
}

const SETTINGS: Readonly<Record<keyof Settings, Setting>> = {
  branch: { read: (claim) => claim?.branch ?? null, change: changeBranch },
};

const MAX_BODY_KIB = 16;

/** `GET …/settings`: the settings of an application. */
export async function showSettings(request: HttpRequest, ports: SourcePorts): Promise<HttpAnswer> {
  return { status: 200, body: await settingsOf(request, ports) };
}

/** `PATCH …/settings`: changes those that the body names. */
export async function changeSettings(request: HttpRequest, ports: SourcePorts): Promise<HttpAnswer> {
  const changes = Object.entries(fieldsIn(request, MAX_BODY_KIB)).map(([name, value]) => ({ name, value }));
  const isKnown = (name: string): name is keyof Settings => Object.hasOwn(SETTINGS, name);
  const wanted = changes.flatMap(({ name, value }) => (isKnown(name) ? [{ ...SETTINGS[name], value }] : []));
  if (changes.length === 0 || wanted.length < changes.length) {
    const detail = `The body is JSON with settings to change: ${Object.keys(SETTINGS).join(', ')}.`;
    throw new DeployError('request:bad_parameter', detail);
  }
  const said: string[] = [];
  for (const { change, value } of wanted) said.push(await change(value, request, ports));
  const body: ChangedSettings = { ...(await settingsOf(request, ports)), next: said.join(' ') };
  return { status: 200, body };
}

async function settingsOf(request: HttpRequest, { owners, applications }: SourcePorts): Promise<Settings> {
  const app = appRef(request);
  const claim = await owners.appOwner(app.user, app.app);
  if (claim === null) required(await applications.find(app), request);
  return { branch: SETTINGS.branch.read(claim) };
}

/** Has the application follow another branch of its repository; that deploys nothing yet. */
async function changeBranch(value: unknown, request: HttpRequest, ports: SourcePorts): Promise<string> {
  const { user, app } = appRef(request);
  const branch = branchNamed(typeof value === 'string' ? value : '', 'branch');
  const claim = await ports.owners.appOwner(user, app);
  if (claim === null) {
    const detail = `No repository has deployed ${app} yet: it follows the branch of its first push.`;
    throw new DeployError('status:db:not_found', detail);
  }
  const place = `${claim.owner}/${claim.name}`;
  const refused = claim.pullRequest
    ? `${app} is a preview, which follows its pull request.`
    : (await ports.host(claim.host).tip(claim, branch, await ports.token(user, claim.host))) === null &&
      `${place} has no branch ${branch}.`;
  if (refused) throw new DeployError('request:bad_parameter', refused);
  const isOwn = claim.host === ports.ownHost?.name && claim.owner === user;
  if (isOwn) await ports.ownHost?.makeDefault(claim, branch);
  await ports.owners.followBranch(user, app, branch);
  const next = `Nothing is deployed by that: the next push of ${branch} is, and its tip by "hooks deploy ${app}".`;
  if (isOwn) return `${branch} is the default branch of ${place} now. ${next}`;
  return `${next} The address of the webhook must name the branch: ?${new URLSearchParams({ branch })}.`;
}
