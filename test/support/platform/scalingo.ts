import { tableApplications } from '../../../functions/adapters/platform/in-table/applications.ts';
import { scalingoApi } from '../../../functions/adapters/platform/scalingo/api.ts';
import { scalingoPlatform } from '../../../functions/adapters/platform/scalingo/hosting.ts';
import type { ScalingoParts } from '../../../functions/adapters/platform/scalingo/parts.ts';
import { scalingoAppOutput } from '../../../functions/adapters/platform/scalingo/run/app-output.ts';
import { scalingoAppVariables } from '../../../functions/adapters/platform/scalingo/run/app-variables.ts';
import { scalingoAppOperations } from '../../../functions/adapters/platform/scalingo/run/operations.ts';
import type { Clock } from '../../../functions/core/ports/clock.ts';
import type { SnapshotRef } from '../../../functions/core/ports/hosting-platform.ts';
import type { ApplicationsUnderTest } from '../../contracts/applications.ts';
import { uploadOf } from '../../contracts/hosting-platform.ts';
import { memoryTable } from '../../fakes/aws/memory-table.ts';
import { fakeS3 } from '../../fakes/aws/platform-parts.ts';
import { type FakeScalingo, fakeScalingo } from '../../fakes/scalingo/server.ts';
import { programTarball, quickClock } from './heroku.ts';

/** Scalingo and the rest of the platform's parts, as fakes. */
export interface ScalingoUnderTest {
  readonly scalingo: FakeScalingo;
  readonly parts: ScalingoParts;
  /** The objects of the bucket. */
  readonly objects: Map<string, Buffer>;
}

/** Starts a fake of Scalingo that reads the archives of a fake of S3. */
export async function openScalingo(): Promise<ScalingoUnderTest> {
  const objects = new Map<string, Buffer>();
  const scalingo = await fakeScalingo(({ pathname }) => objects.get(decodeURIComponent(pathname.slice(1))));
  const { url, token } = scalingo;
  const api = scalingoApi({ addresses: { api: url, auth: url }, serviceToken: token });
  const s3 = fakeS3(objects);
  const parts = { api, fetch, table: memoryTable(), clock: quickClock, seed: 'tests', s3, bucket: 'bucket' };
  return { scalingo, parts, objects };
}

/** A clock whose waits take no time, and which says nevertheless that they did. */
export function jumpingClock(): Clock {
  let waitedMs = 0;
  return {
    now: () => Date.now() + waitedMs,
    sleep: async (milliseconds) => {
      waitedMs += milliseconds;
    },
  };
}

/** Uploads, builds and starts a snapshot. */
export async function deployOn(
  parts: ScalingoParts,
  snapshot: SnapshotRef,
  { behaviour = 'runs', order }: { readonly behaviour?: string; readonly order?: number } = {},
): Promise<{ url: string }> {
  const platform = scalingoPlatform(parts);
  await platform.ensureApp(snapshot, { name: snapshot.app });
  await platform.upload(snapshot, uploadOf(await programTarball(snapshot.app, snapshot.snapshot, behaviour)));
  await platform.activate(snapshot, undefined, order);
  while ((await platform.poll(snapshot)).state === 'building');
  return platform.start(snapshot, order);
}

/** The platform on a fake of Scalingo, for the contracts. */
export async function onFakeScalingo(): Promise<ApplicationsUnderTest> {
  const { scalingo, parts } = await openScalingo();
  return {
    platform: scalingoPlatform(parts),
    applications: tableApplications(parts),
    operations: scalingoAppOperations(parts),
    output: scalingoAppOutput(parts),
    variables: scalingoAppVariables(parts),
    user: 'kiwi',
    tarball: programTarball,
    version: async (_app, url) => (await fetch(url)).text(),
    close: scalingo.close,
  };
}
