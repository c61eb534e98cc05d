import { randomUUID } from 'node:crypto';
import type { DeleteFunctionRequest, ListVersionsByFunctionRequest } from '@aws-sdk/client-lambda';
import { ServiceError } from '../wire/service.ts';
import type { FunctionParts } from './function-parts.ts';
import {
  conflict,
  type FunctionRecord,
  type FunctionSettings,
  type FunctionStore,
  invalid,
  type Revision,
  versionOf,
} from './function-store.ts';
import { describe } from './settings-of.ts';

/** The duration of a function update; callers must wait for its end. */
const WORK_MS = 100;
/**
 * Publishes a version of what a function is now, also while it changes, as the call that changes it may ask. One that
 * would equal the last one is not made; that one is returned, as on AWS.
 */
export function published(store: FunctionStore, name: string) {
  const record = store.get(name);
  const { latest, lastVersion, versions } = record;
  const last = versions[String(lastVersion)];
  const { settings } = latest;
  if (last && isSame(last.settings, settings)) return describe(record, last, String(lastVersion), true);
  const version = String(lastVersion + 1);
  const made = revision(settings, true);
  store.put({ ...record, lastVersion: lastVersion + 1, versions: { ...versions, [version]: made } });
  return describe(record, made, version, true);
}

/** The description of a version does not make it another one. */
function isSame(left: FunctionSettings, right: FunctionSettings): boolean {
  const comparable = (settings: FunctionSettings) => JSON.stringify({ ...settings, description: '' });
  return comparable(left) === comparable(right);
}

/** Returns a page of the versions, `$LATEST` first. */
export function listVersions(record: FunctionRecord, { Marker, MaxItems = 50 }: ListVersionsByFunctionRequest) {
  const numbered = Object.entries(record.versions).sort(([left], [right]) => Number(left) - Number(right));
  const all = [
    describe(record, record.latest, '$LATEST', true),
    ...numbered.map(([version, published]) => describe(record, published, version, true)),
  ];
  const from = Number(Marker ?? 0);
  const next = from + MaxItems;
  return { Versions: all.slice(from, next), ...(next < all.length && { NextMarker: String(next) }) };
}

/** Removes a version, or the function with everything that belongs to it. */
export async function remove(
  { store, runner, urls, concurrency }: FunctionParts,
  { FunctionName, Qualifier }: DeleteFunctionRequest,
) {
  const record = store.get(FunctionName);
  if (Qualifier !== undefined) {
    const version = versionOf(record, Qualifier);
    const alias = Object.entries(record.aliases).find(([, one]) => one === version)?.[0];
    if (version === '$LATEST') throw invalid('$LATEST version cannot be deleted without deleting the function.');
    if (alias !== undefined)
      throw conflict(`Unable to delete version because the following aliases reference it: [${alias}]`);
    const { [version]: _removed, ...versions } = record.versions;
    store.put({ ...record, versions });
    await runner.retire(record.name, version);
  } else {
    store.remove(record.name);
    concurrency.release(record.name);
    await Promise.all(Object.keys(record.urls).map((qualifier) => urls.end(record.name, qualifier)));
    await runner.end(record.name);
  }
  return { StatusCode: 204 };
}

/** Returns the function when it may be changed now: no change is under way, and the caller knows the last one. */
export function changeable(record: FunctionRecord, revisionId: string | undefined): FunctionRecord {
  const { busyUntil, revisionId: current, isNew } = record.latest;
  if (revisionId !== undefined && revisionId !== current) {
    throw new ServiceError(
      'PreconditionFailedException',
      'The RevisionId provided does not match the latest RevisionId. Call the GetFunction/GetAlias API to retrieve the latest RevisionId',
    );
  }
  if (Date.now() >= busyUntil) return record;
  throw conflict(
    isNew
      ? 'The operation cannot be performed at this time. The function is currently in the following state: Pending'
      : `The operation cannot be performed at this time. An update is in progress for resource: ${record.name}`,
  );
}

/** Returns a new state of a function, on which Lambda works for a moment. */
export function revision(settings: FunctionSettings, isNew: boolean): Revision {
  return { settings, revisionId: randomUUID(), busyUntil: Date.now() + WORK_MS, isNew };
}
