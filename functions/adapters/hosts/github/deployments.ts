import * as v from 'valibot';
import { entryNumber } from '../../../core/entry/entry.ts';
import { jsonIn } from '../../../core/json-value.ts';
import type { PreviewDeployment } from '../../../core/ports/repository-host.ts';
import { pauseOf } from '../failures.ts';
import type { Api, RestRequest } from '../rest.ts';

const DeploymentList = v.array(v.object({ id: v.number(), payload: v.unknown() }));
const Created = v.object({ id: v.number() });
const Statuses = v.array(v.object({ state: v.string() }));
const Payload = v.object({ user: v.string(), entry: v.string() });

/** Earlier deployments that are looked at: more than one is left only when reports were lost. */
const MAX_EARLIER = 30;
/** The states of a deployment that never served, or no longer does. */
const ENDED = ['inactive', 'failure', 'error'];

/**
 * Sets the state of a deployment, with `path` `repos/OWNER/NAME/deployments`, as `RepositoryHost.setDeployment` describes it
 * (https://docs.github.com/rest/deployments/deployments, https://docs.github.com/rest/deployments/statuses). Each entry
 * has one deployment, in a transient environment for each preview; GitHub itself ends those before in permanent ones only.
 */
export async function setDeployment(api: Api, path: string, deployment: PreviewDeployment): Promise<void> {
  const deployments = deploymentsAt(api, path);
  const { user, entry, environment, sha, state } = deployment;
  const listed = await deployments.read(DeploymentList, `?environment=${encodeURIComponent(environment)}&per_page=100`);
  if (listed === null) return;
  const ofUser = listed.flatMap(({ id, payload }) => {
    const sent = v.safeParse(Payload, typeof payload === 'string' ? jsonIn(payload) : payload);
    return sent.success && sent.output.user === user ? [{ id, entry: sent.output.entry }] : [];
  });
  const id = ofUser.find((one) => one.entry === entry)?.id ?? (await created(deployment, deployments));
  if (id !== null) await setState(id, deployment, deployments);
  if (sha !== null && state !== 'success') return;
  // Newest first, as they are listed.
  const earlier = ofUser.filter((one) => numberOf(one) < numberOf(deployment));
  await endEarlier(deployments, earlier);
}

type Deployments = ReturnType<typeof deploymentsAt>;

/** Requests that return null where the token may not: the repository is not visible, or lacks a permission. */
function deploymentsAt(api: Api, path: string) {
  const answer = async <T>(schema: v.GenericSchema<unknown, T>, request: RestRequest): Promise<T | null> => {
    const response = await api.send(request);
    const mayNot = response.status === 404 || (response.status === 403 && pauseOf(response) === null);
    if (!mayNot) return api.parse(schema, response);
    response.discard();
    return null;
  };
  return {
    read: <T>(schema: v.GenericSchema<unknown, T>, at: string) => answer(schema, { path: `${path}${at}` }),
    create: <T>(schema: v.GenericSchema<unknown, T>, at: string, json: unknown) =>
      answer(schema, { method: 'POST', path: `${path}${at}`, json }),
  };
}

/** Returns the id of a new deployment; null when there is nothing to make, or the token may not. */
async function created(deployment: PreviewDeployment, deployments: Deployments): Promise<number | null> {
  const { user, entry, sha, environment, state, description } = deployment;
  if (sha === null || state === 'inactive') return null;
  const made = await deployments.create(Created, '', {
    ref: sha,
    environment,
    description,
    payload: { user, entry },
    // Otherwise it merges the default branch into the commit, or waits for the status that this deploy sets.
    auto_merge: false,
    required_contexts: [],
    transient_environment: true,
    production_environment: false,
  });
  return made?.id ?? null;
}

async function setState(id: number, deployment: PreviewDeployment, deployments: Deployments): Promise<void> {
  const { state, description, logUrl, url } = deployment;
  const [newest] = (await deployments.read(Statuses, `/${id}/statuses?per_page=1`)) ?? [];
  if (newest?.state === state) return;
  const address = url === null ? {} : { environment_url: url };
  const json = { state, description, log_url: logUrl, ...address, auto_inactive: false };
  await deployments.create(v.unknown(), `/${id}/statuses`, json);
}

/** The one that served before is the last to be ended: when it did, those before it were. */
async function endEarlier(deployments: Deployments, earlier: readonly { readonly id: number }[]): Promise<void> {
  for (const { id } of earlier.slice(0, MAX_EARLIER)) {
    const statuses = (await deployments.read(Statuses, `/${id}/statuses?per_page=100`)) ?? [];
    const [newest] = statuses;
    const served = statuses.some(({ state }) => state === 'success');
    if (served && newest?.state === 'inactive') return;
    if (!served && newest && ENDED.includes(newest.state)) continue;
    await deployments.create(v.unknown(), `/${id}/statuses`, { state: 'inactive', auto_inactive: false });
  }
}

function numberOf({ entry }: Pick<PreviewDeployment, 'entry'>): number {
  return entryNumber(entry) ?? Number.POSITIVE_INFINITY;
}
