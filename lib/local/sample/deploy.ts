import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isFinal, newestEntries } from '../show/log-client.ts';
import { BRANCH, type LocalService } from '../start.ts';
import { hasBranch, pushSample } from './push.ts';

const OWNER = 'demo';
const NAME = 'hello';
const PAUSE = 200;

/** Where the sample lives. */
export interface Sample {
  /** Path of its bare repository. */
  readonly repository: string;
  /** Where it answers; null when it does not. */
  readonly address: string | null;
}

/**
 * At the first start, pushes the sample application and waits until its deploy has come to an end; later starts find it
 * as it is. Where the push or the deploy fails, the next start tries again.
 */
export async function sampleDeploy(service: LocalService, dataDir: string): Promise<Sample> {
  const done = join(dataDir, 'sample-deployed');
  const repository = service.repoHost.repositoryPath(OWNER, NAME);
  if (!existsSync(repository)) await service.repoHost.createRepository(OWNER, NAME);
  if (!existsSync(done)) {
    // A start that was ended between the push and the mark must not push another first commit: git would refuse it.
    if (!(await hasBranch(repository, BRANCH))) await pushSample(repository, BRANCH, dataDir);
    writeFileSync(done, '');
  }
  return { repository, address: await sampleAddress(service) };
}

/** The address of the newest deploy of the sample, once nothing of it is under way. */
async function sampleAddress({ url, login }: LocalService): Promise<string | null> {
  for (;;) {
    const entries = (await newestEntries(url, login, 20)).filter(({ commit }) =>
      commit?.startsWith(`${OWNER}/${NAME}/`),
    );
    if (entries.every((entry) => isFinal(entry) || entry.status === 'held')) {
      return entries.findLast(({ status }) => status === 'ok')?.doc.url ?? null;
    }
    await setTimeout(PAUSE);
  }
}
