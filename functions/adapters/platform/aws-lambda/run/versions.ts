import { createHash, randomUUID } from 'node:crypto';
import {
  DeleteFunctionCommand,
  type FunctionConfiguration,
  ListVersionsByFunctionCommand,
} from '@aws-sdk/client-lambda';
import { DeployError } from '../../../../core/errors.ts';
import type { AppRef, SnapshotRef } from '../../../../core/ports/platform.ts';
import { unless } from '../../../aws/failures.ts';
import { functionName, jobFunctionOf, logGroupOf, objectKeys } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { keys } from '../table/items.ts';
import type { VersionPlan } from './app-function.ts';
import { environmentOf, jobEnvironmentOf, type Variables } from './environment.ts';
import { variableSeal } from './sealed-variables.ts';

interface Startable {
  readonly variables: Variables;
  /** The folder of the application in its repository. */
  readonly path: string;
  readonly wasCrashed: boolean;
  /** The address that it has had so far. */
  readonly known: string | undefined;
  /** The requests that it may have at a time; undefined when it was stopped or never ran. */
  readonly limit: number | undefined;
  /** The version whose commands its second function runs, by its description. */
  readonly jobs: string | undefined;
}

/** Returns the snapshot if it can be started. */
export async function startable(snapshot: SnapshotRef, parts: LambdaPlatformParts): Promise<Startable> {
  const { table } = parts;
  const [app, item] = await Promise.all([table.read(keys.app(snapshot)), table.read(keys.snapshot(snapshot))]);
  if (!app || !item) throw refused(`There is no snapshot ${snapshot.snapshot} of ${snapshot.app}.`);
  if (item.state !== 'ready') throw refused(`The snapshot ${snapshot.snapshot} is not built: it is ${item.state}.`);
  const stored = await variableSeal(parts).open(snapshot, app.variables);
  const variables = { ...(item.commit !== undefined && { SOURCE_VERSION: item.commit }), ...stored };
  const limit = app.state === 'stopped' ? undefined : app.limit;
  const { url: known, jobs } = app;
  return { variables, path: item.path ?? '', wasCrashed: app.state === 'crashed', known, limit, jobs };
}

interface Planning {
  readonly parts: LambdaPlatformParts;
  readonly fresh: boolean;
}

export function planOf(snapshot: SnapshotRef, variables: Variables, { parts, fresh }: Planning): VersionPlan {
  const { functionPrefix, adapterLayer, appTimeoutSeconds, appRole } = parts;
  const isNew = fresh ? randomUUID() : null;
  const whatItIs = JSON.stringify([snapshot.snapshot, adapterLayer, appTimeoutSeconds, variables, isNew, appRole]);
  const digest = createHash('sha256').update(whatItIs).digest('hex').slice(0, 16);
  const description = `${snapshot.snapshot.slice(0, 200)} ${digest}`;
  return {
    name: functionName(functionPrefix, snapshot),
    description,
    // In the environment too: Lambda publishes nothing when neither code nor configuration has changed.
    environment: environmentOf(variables, description),
    release: objectKeys(snapshot).release,
  };
}

/** Returns the function that runs the commands of a version: the same code, variables and log. */
export function jobPlanOf(version: VersionPlan): VersionPlan {
  const environment = jobEnvironmentOf(version.environment);
  return { ...version, name: jobFunctionOf(version.name), environment, jobsLog: logGroupOf(version.name) };
}

/** Returns the application with what it runs. Throws when nothing of it has been started. */
export async function running(app: AppRef, { table }: LambdaPlatformParts): Promise<SnapshotRef> {
  const item = await table.read(keys.app(app));
  if (item?.snapshot !== undefined) return { ...app, snapshot: item.snapshot };
  throw refused(item ? `${app.app} has not been started yet.` : `There is no application ${app.app}.`);
}

function refused(detail: string): DeployError {
  return new DeployError('deploy:platform:start_app', detail, { retry: false });
}

type VersionParts = Pick<LambdaPlatformParts, 'lambda'>;

/**
 * The version that serves and the one before it: a roll back to that, with the same variables, is the move of an alias, and
 * to an older one takes seconds. An account has 75 GB for the code of all versions.
 */
const KEPT_VERSIONS = 2;

/** Returns the newest version with a description; null when there is none. */
export function versionOf(versions: readonly FunctionConfiguration[], description: string): string | null {
  return versions.find((one) => one.Description === description)?.Version ?? null;
}

interface Pruning {
  readonly name: string;
  readonly live: string;
  /** The versions that were published before the live one, newest first. */
  readonly versions: readonly FunctionConfiguration[];
}

/** Deletes the versions that are neither live nor among the newest. What fails is deleted at a later deploy. */
export async function pruneVersions({ name, live, versions }: Pruning, parts: VersionParts): Promise<void> {
  const others = versions.flatMap(({ Version }) => (Version && Version !== live ? [Version] : []));
  for (const version of others.slice(KEPT_VERSIONS - 1)) await deleteVersion(name, version, parts).catch(() => {});
}

export async function deleteVersion(FunctionName: string, Qualifier: string, { lambda }: VersionParts): Promise<void> {
  await lambda.send(new DeleteFunctionCommand({ FunctionName, Qualifier }));
}

/** Returns the published versions, newest first; none when the function does not exist. */
export async function publishedVersions(
  FunctionName: string,
  { lambda }: VersionParts,
): Promise<FunctionConfiguration[]> {
  const all: FunctionConfiguration[] = [];
  let Marker: string | undefined;
  do {
    const list = new ListVersionsByFunctionCommand({ FunctionName, ...(Marker && { Marker }) });
    const page = await unless('ResourceNotFoundException', lambda.send(list));
    all.push(...(page?.Versions ?? []));
    Marker = page?.NextMarker;
  } while (Marker);
  return all
    .filter(({ Version }) => Version !== '$LATEST')
    .sort((one, other) => Number(other.Version) - Number(one.Version));
}
