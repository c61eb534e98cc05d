import { beforeEach, describe, expect, it } from 'vitest';
import { type Entry, tarballKey } from '../../../../functions/core/entry/entry.ts';
import { endDeploy } from '../../../../functions/core/pipeline/end-deploy.ts';
import { runStage } from '../../../../functions/core/pipeline/stage.ts';
import { report } from '../../../../functions/report-status/report.ts';
import { fetchTarball } from '../../../../functions/stage-fetch/fetch.ts';
import { type EnginePorts, enginePorts } from '../../../../lib/engine/ports.ts';
import { memoryQueue } from '../../../fakes/job-queue.ts';
import { memoryHost } from '../../../fakes/repository-host.ts';
import { engineSettings } from '../../../support/engine/settings.ts';
import { append, checked, repository } from '../../../support/entries.ts';
import { newFolder } from '../../../support/new-folder.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = newFolder('engine-tarballs');
});

/** The ports of a process on the folder. */
const start = () => enginePorts(engineSettings(dataDir));

/** Fetches the tarball of an entry. `meanwhile` happens before it is stored. */
async function fetched(entry: Entry, ports: EnginePorts, meanwhile: () => Promise<void> = async () => {}) {
  const { stores, clock, ids, trace, tarballs } = ports;
  const host = memoryHost();
  const { sha } = host.commit({ owner: repository.owner, name: repository.name, files: { 'package.json': '{}' } });
  const work = fetchTarball({
    tarballs,
    token: async () => null,
    host: () => ({
      ...host,
      tarball: async (commit, token, signal) => {
        await meanwhile();
        return host.tarball({ ...commit, sha }, token, signal);
      },
    }),
  });
  const context = { work, log: stores.stageLog, queue: memoryQueue(), clock, ids, trace };
  await runStage(entry, { ...context, stage: 'fetch', retryBaseSeconds: 1 });
}

describe('the tarballs of the engine', () => {
  const isStored = async (entry: Entry, { tarballs }: EnginePorts) => (await tarballs.get(tarballKey(entry))) !== null;

  it('are not kept by a start when a killed process stored them after the end of their deploy', async () => {
    const earlier = start();
    const { stores, clock } = earlier;
    const pushed = () => append(stores.log, { ...checked, stage: 'fetch', updatedAt: clock.now() });
    const [overtaken, underWay] = [await pushed(), await pushed()];
    await fetched(underWay, earlier);
    await fetched(overtaken, earlier, async () => {
      const end = { status: 'superseded', reason: 'A newer deploy has begun.' } as const;
      await endDeploy(overtaken, end, { log: stores.log, queue: memoryQueue(), clock });
      await report(overtaken, { ...earlier, ...stores, log: stores.reader, host: () => memoryHost() });
    });
    // It is closed, so that no sweep looks at it; and the process ends before the report that `fetch` has asked for.
    expect(await stores.backlog.due(Number.MAX_SAFE_INTEGER, 10)).toEqual([{ user: 'ann', number: underWay.number }]);
    expect(await isStored(overtaken, earlier)).toBe(true);
    await stores.close();

    const later = start();
    await fetched(await append(later.stores.log, { ...checked, stage: 'fetch' }), later);
    expect([await isStored(overtaken, later), await isStored(underWay, later)]).toEqual([false, true]);
    await later.stores.close();
  });
});
