import { fieldsIn } from '../api/body.ts';
import { answerOf, record } from '../api/entry-answer.ts';
import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { clean, flag, ref } from '../api/parameters.ts';
import { appRef } from '../core/app-ref.ts';
import { latestDeploy, nameInLog } from '../core/apps/found-app.ts';
import { unreadable } from '../core/apps/history.ts';
import { commitOf } from '../core/apps/record.ts';
import { commitInfo } from '../core/entry/draft.ts';
import type { Entry } from '../core/entry/entry.ts';
import { badParameter, DeployError } from '../core/errors.ts';
import { branchNamed } from '../core/payload/branch.ts';
import { isCommitId, type RepositoryRef } from '../core/payload/delivery.ts';
import { environmentNamed } from '../core/payload/folder.ts';
import type { HostToken } from '../core/ports/repository-host.ts';
import { compareApp } from '../core/reconcile/compare.ts';
import type { SourcePorts } from './ports.ts';
import { MAX_BODY_KIB, repositoryIn } from './transfer.ts';

/**
 * `POST …/deploy?ref=<branch or commit>`: deploys the tip of a branch (by default that which the application follows), or
 * a commit, from the repository of the application. It does not wait for CI. Throws `deploy:repohost:no_pkg_json` when
 * the repository host does not answer, or does not show the repository.
 */
export async function deploy(request: HttpRequest, ports: SourcePorts): Promise<HttpAnswer> {
  const name = await nameInLog(request, ports);
  const latest = await latestDeploy(request.user, name, ports);
  if (!latest?.repository || !latest.branch) {
    const detail = `The log has no recent deploy of ${name}, so its repository is not known. Push a commit.`;
    throw new DeployError('status:db:not_found', detail);
  }
  const wanted = await wantedCommit(request, latest, ports);
  return record(request, { ...byHand(latest), ...wanted }, { isNewestPush: true }, ports);
}

/**
 * `POST /1/apps/<user>`: deploys a repository that nothing has called about yet, from the tip of a branch (by default the
 * repository's own). Its package.json names the application, which follows that branch from then on. It does not wait for
 * CI. Throws `deploy:repohost:no_pkg_json` when the repository host does not answer, or does not show the repository.
 */
export async function deployRepository(request: HttpRequest, ports: SourcePorts): Promise<HttpAnswer> {
  const fields = fieldsIn(request, MAX_BODY_KIB);
  const { path, ...repository } = repositoryIn(fields);
  const environment = environmentNamed(textIn(fields, 'environment'));
  const given = textIn(fields, 'branch');
  const named = given === undefined ? undefined : branchNamed(given, 'branch');
  const token = await ports.token(request.user, repository.host);
  const { defaultBranch, ...hosted } = await ports.host(repository.host).repository(repository, token);
  const branch = named ?? defaultBranch ?? 'HEAD';
  const tip = await tipOf({ repository, branch, token }, ports);
  const draft = {
    repository: { ...repository, ...hosted },
    ...tip,
    path,
    environment,
    kind: 'push',
    connects: true,
    appName: null,
    stage: 'check',
    ci: BY_HAND,
  } as const;
  return record(request, draft, { isNewestPush: true }, ports);
}

function textIn(fields: ReturnType<typeof fieldsIn>, name: string): string | undefined {
  const { [name]: value } = fields;
  if (value === undefined || value === null || typeof value === 'string') return value ?? undefined;
  throw badParameter(`The field ${name} must be a string.`);
}

interface NamedBranch {
  readonly repository: RepositoryRef;
  readonly branch: string;
  readonly token: HostToken;
}

/** Returns the commit at the tip of a branch. Throws `request:bad_parameter` when there is none. */
async function tipOf({ repository, branch, token }: NamedBranch, { host }: SourcePorts) {
  const tip = await host(repository.host).tip(repository, branch, token);
  if (tip) return { sha: tip.sha, branch, ref: `refs/heads/${branch}`, ...commitInfo(tip) };
  const detail = `${repository.owner}/${repository.name} has no branch ${branch} with a commit.`;
  throw badParameter(detail);
}

/** Returns the commit that is wanted; one that is named by its id counts for the branch that the application follows. */
async function wantedCommit(
  request: HttpRequest,
  { repository, branch: latest, pullRequest }: Entry,
  ports: SourcePorts,
): Promise<Pick<Entry, 'sha' | 'branch' | 'ref' | 'message' | 'author'>> {
  const { user, query } = request;
  const claim = pullRequest ? null : await ports.facts.appOwner(user, appRef(request).app).catch(unreadable);
  const followed = claim?.branch ?? latest;
  const { [ref.name]: asked = followed ?? '' } = query;
  if (isCommitId(asked)) return { sha: asked.toLowerCase(), branch: followed, ref: null, message: null, author: null };
  const branch = branchNamed(asked, ref.name);
  if (pullRequest?.fromFork) {
    const detail = 'The commits of this preview are of a fork: name one by its whole id, or redeploy the newest.';
    throw badParameter(detail);
  }
  if (!repository) throw new Error('A deploy has a repository.');
  return tipOf({ repository, branch, token: await ports.token(user, repository.host) }, ports);
}

/**
 * `POST …/redeploy`: deploys the commit of the newest deploy again, also of one that failed, so that a new variable or
 * a repaired host is tried without a push. It does not wait for CI. With `?clean=true` its build reuses nothing.
 */
export async function redeploy(request: HttpRequest, ports: SourcePorts): Promise<HttpAnswer> {
  const isClean = flag(request.query, clean);
  const name = await nameInLog(request, ports);
  const latest = await latestDeploy(request.user, name, ports);
  if (!latest) {
    const detail = `The log has no recent deploy of ${name} to repeat. Push a commit, or POST …/deploy?ref=<branch>.`;
    throw new DeployError('status:db:not_found', detail);
  }
  return record(request, { ...byHand(latest), ...(isClean && { clean: true }) }, { isNewestPush: true }, ports);
}

/** Why a deploy by hand waits for no CI. */
const BY_HAND = { waits: false, because: 'It was requested manually' } as const;

/** Returns the draft of a deploy by hand of what an entry has deployed. */
function byHand(latest: Entry) {
  const { pullRequest } = latest;
  const connects = latest.kind === 'push' ? latest.connects : undefined;
  const kind = pullRequest ? ({ kind: 'preview', pullRequest } as const) : ({ kind: 'push', connects } as const);
  return { ...commitOf(latest), ...kind, appName: null, stage: 'check', ci: BY_HAND } as const;
}

/**
 * `POST …/reconcile`: compares the application with the tip of the branch that its pushes deploy. A commit that no
 * webhook has brought is deployed, and answered with its entry as a webhook call is; else the answer says why there is
 * none. Throws `deploy:repohost:no_pkg_json` when the repository host does not answer, or does not show the repository.
 */
export async function reconcile(request: HttpRequest, ports: SourcePorts): Promise<HttpAnswer> {
  const { uuid, base, token } = request;
  const app = await ports.tracked.tracked(appRef(request));
  if (!app) {
    const detail = 'No push of that application has been deployed, so there is no branch to compare it with.';
    throw new DeployError('status:db:not_found', detail);
  }
  const at = ports.clock.now();
  const { tip, entry, reason } = await compareApp(
    app,
    { uuid, base, at, token: token?.name },
    // Somebody looks at it, so it is not too old.
    { ...ports, previewDays: Number.POSITIVE_INFINITY },
  );
  // Only a hint for the schedule, so it must not fail the request.
  await ports.tracked
    .compared(app, { at, dueAt: at + HOUR_MS })
    .catch((error: unknown) => ports.trace('comparison not kept', { error }));
  if (!entry) return { status: 200, body: { app_name: app.app, branch: app.branch, tip, reason } };
  return answerOf(entry, request, ports);
}

const HOUR_MS = 60 * 60_000;
