import {
  DeleteFunctionCommand,
  type FunctionConfiguration,
  ListVersionsByFunctionCommand,
} from '@aws-sdk/client-lambda';
import { unless } from '../../../aws/failures.ts';
import type { LambdaPlatformParts } from '../parts.ts';

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
