import { DeployError } from '../../../../core/errors.ts';
import type { SnapshotRef } from '../../../../core/ports/hosting-platform.ts';
import { keys } from '../../in-table/keys.ts';
import { knownSnapshot } from '../../in-table/known-snapshot.ts';
import { requiredText } from '../../provider/answers.ts';
import type { HerokuParts } from '../parts.ts';
import { isExpired } from './upload-snapshot.ts';

const CODE = 'deploy:tar:extract_failed';

/**
 * Starts the build of a snapshot that has none yet, as `HostingPlatform.activate` does. It is built in a separate app,
 * because Heroku releases each build at once, and only `start` may decide what runs.
 */
export async function activateSnapshot(
  snapshot: SnapshotRef,
  path: string | undefined,
  parts: HerokuParts,
): Promise<void> {
  const { table, api, clock } = parts;
  const { state, ...item } = await knownSnapshot(snapshot, parts);
  if (state !== 'pending') return;
  if (path) throw refused(inAFolder(path));
  if (isExpired({ ...item, state }, clock.now())) throw refused(EXPIRED);
  const { builder = '' } = (await table.read(keys.app(snapshot))) ?? {};
  const blob = { url: item.source, checksum: `SHA256:${item.sha256}`, version: snapshot.snapshot };
  const what = `the build of ${snapshot.snapshot}`;
  const request = { method: 'POST', path: ['apps', builder, 'builds'], json: { source_blob: blob } } as const;
  const { body } = await api({ ...request, code: CODE, what });
  const changes = { state: 'building', build: requiredText(body, 'id', CODE), source: null };
  await table.write(keys.snapshot(snapshot), changes, { exists: true });
}

const EXPIRED = 'Heroku kept the upload for an hour and has deleted it before its build; deploy the commit again.';

function inAFolder(path: string): string {
  return `Heroku builds the root of a repository, and this application is in ${path}: give it a repository of its own.`;
}

function refused(detail: string): DeployError {
  return new DeployError(CODE, detail, { retry: false });
}
