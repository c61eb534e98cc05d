import { herokuApi } from '../../../functions/adapters/platform/heroku/api.ts';
import { herokuPlatform } from '../../../functions/adapters/platform/heroku/hosting.ts';
import type { HerokuParts } from '../../../functions/adapters/platform/heroku/parts.ts';
import { herokuAppOutput } from '../../../functions/adapters/platform/heroku/run/app-output.ts';
import { herokuAppVariables } from '../../../functions/adapters/platform/heroku/run/app-variables.ts';
import { herokuAppOperations } from '../../../functions/adapters/platform/heroku/run/operations.ts';
import { tableApplications } from '../../../functions/adapters/platform/in-table/applications.ts';
import { systemClock } from '../../../functions/adapters/system/clock.ts';
import type { SnapshotRef } from '../../../functions/core/ports/hosting-platform.ts';
import type { ApplicationsUnderTest } from '../../contracts/applications.ts';
import { uploadOf } from '../../contracts/hosting-platform.ts';
import { memoryTable } from '../../fakes/aws/memory-table.ts';
import { type FakeHeroku, fakeHeroku } from '../../fakes/heroku/server.ts';

/** Nobody waits in a test. */
export const quickClock = {
  ...systemClock,
  sleep: (_milliseconds: number, signal?: AbortSignal) => systemClock.sleep(2, signal),
};

/** Returns the platform's parts on a fake of Heroku. */
export function partsOn({ url, token }: FakeHeroku): HerokuParts {
  const api = herokuApi({ url, serviceToken: token });
  return { api, fetch, table: memoryTable(), clock: quickClock, seed: 'tests', team: undefined };
}

/** Returns a tarball for the fake, which reads no archive: the JSON of a program. */
export async function programTarball(_app: string, version: string, behaviour: string): Promise<Buffer> {
  return Buffer.from(JSON.stringify({ version, behaviour }));
}

/** Uploads, builds and starts a snapshot. */
export async function deployOn(parts: HerokuParts, snapshot: SnapshotRef, behaviour: string): Promise<{ url: string }> {
  const platform = herokuPlatform(parts);
  await platform.ensureApp(snapshot, { name: snapshot.app });
  await platform.upload(snapshot, uploadOf(await programTarball(snapshot.app, snapshot.snapshot, behaviour)));
  await platform.activate(snapshot);
  while ((await platform.poll(snapshot)).state === 'building');
  return platform.start(snapshot);
}

/** The platform on a fake of Heroku, for the contracts. */
export async function onFakeHeroku(): Promise<ApplicationsUnderTest> {
  const heroku = await fakeHeroku();
  const parts = partsOn(heroku);
  return {
    platform: herokuPlatform(parts),
    applications: tableApplications(parts),
    operations: herokuAppOperations(parts),
    output: herokuAppOutput(parts),
    variables: herokuAppVariables(parts),
    user: 'kiwi',
    tarball: programTarball,
    version: async (_app, url) => (await fetch(url)).text(),
    close: heroku.close,
  };
}
