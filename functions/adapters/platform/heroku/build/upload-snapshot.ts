import { DeployError } from '../../../../core/errors.ts';
import { isObject } from '../../../../core/json.ts';
import type { SnapshotRef, Upload } from '../../../../core/ports/hosting-platform.ts';
import { keys } from '../../in-table/keys.ts';
import type { Item } from '../../in-table/table.ts';
import { requiredText } from '../../provider/answers.ts';
import { withUpload } from '../../upload.ts';
import { verified } from '../../verified.ts';
import type { HerokuParts } from '../parts.ts';

const CODE = 'deploy:platform:upload_tarball';
const UPLOAD_TIMEOUT_MS = 240_000;
/** The addresses of a source are valid for an hour; a build takes some minutes of it. */
export const SOURCE_LIFE_MS = 45 * 60_000;

/** Stores the tarball of a snapshot at Heroku, as `HostingPlatform.upload` does. */
export async function uploadSnapshot(snapshot: SnapshotRef, upload: Upload, parts: HerokuParts): Promise<void> {
  const { table, clock } = parts;
  const key = keys.snapshot(snapshot);
  await withUpload(upload, async (body) => {
    if (!(await table.read(keys.app(snapshot)))?.builder) throw refused(`There is no application ${snapshot.app}.`);
    const item = await table.read(key);
    if (item && isStored(item, snapshot, upload) && !isExpired(item, clock.now())) return;
    const source = await newSource(snapshot, parts);
    await put(source.put, { ...upload, body: verified(body, upload.sha256) }, parts);
    const fields = { sha256: upload.sha256, source: source.get, at: String(clock.now()), state: 'pending' };
    // An expired source is replaced; a new snapshot is written unless another call was faster.
    if (await table.write(key, fields, item ? { attribute: 'state', is: 'pending' } : { exists: false })) return;
    const faster = await table.read(key);
    if (faster) isStored(faster, snapshot, upload);
  });
}

/** Whether the tarball of a snapshot waits for its build, and Heroku has deleted it. */
export function isExpired({ state, at }: Item, now: number): boolean {
  return state === 'pending' && now - Number(at) > SOURCE_LIFE_MS;
}

/** True when the snapshot has the same bytes. Throws when it has others. */
function isStored(item: Item, { snapshot }: SnapshotRef, { sha256 }: Upload): boolean {
  if (item.sha256 === sha256) return true;
  throw refused(`The snapshot ${snapshot} exists with other bytes.`);
}

interface Source {
  readonly put: string;
  readonly get: string;
}

async function newSource({ snapshot }: SnapshotRef, { api }: HerokuParts): Promise<Source> {
  const what = `the upload of ${snapshot}`;
  const { body } = await api({ method: 'POST', path: ['sources'], json: {}, code: CODE, what });
  const blob = isObject(body) ? body.source_blob : undefined;
  return { put: requiredText(blob, 'put_url', CODE), get: requiredText(blob, 'get_url', CODE) };
}

/**
 * The address is signed for an empty `Content-Type`, which `fetch` does not send for a stream. Neither the address nor
 * what the storage answers may be in an error: both hold the signature.
 */
async function put(address: string, { body, bytes }: Upload, { fetch }: HerokuParts): Promise<void> {
  const response = await fetch(address, {
    method: 'PUT',
    headers: { 'content-length': String(bytes) },
    body,
    duplex: 'half',
    redirect: 'error',
    signal: AbortSignal.timeout(UPLOAD_TIMEOUT_MS),
  }).catch((cause: unknown) => {
    throw causeOf(cause);
  });
  await response.body?.cancel();
  if (response.ok) return;
  const detail = `Heroku's storage answered the upload with ${response.status}; it is tried again.`;
  throw new DeployError(CODE, detail, { retry: true });
}

/** An error of the upload's source is the cause of the failed request. */
function causeOf(cause: unknown): DeployError {
  for (let error = cause; error instanceof Error; error = error.cause) if (error instanceof DeployError) return error;
  return new DeployError(CODE, "Heroku's storage did not take the upload; it is tried again.", { retry: true });
}

function refused(detail: string): DeployError {
  return new DeployError(CODE, detail, { retry: false });
}
