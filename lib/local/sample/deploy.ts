import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isFinal } from '../../terminal/shown-entry.ts';
import { newestEntries } from '../show/log-client.ts';
import type { LocalService } from '../start.ts';
import { hasBranch, pushSample } from './push.ts';

const OWNER = 'demo';
const NAME = 'hello';
const BRANCH = 'main';
const POLL_MS = 200;

/** Repository and address of the sample application. */
export interface Sample {
  /** Path of its bare repository. */
  readonly repository: string;
  /** Its address; null when it is not deployed. */
  readonly address: string | null;
}

/**
 * Pushes the sample application at the first start, waits until its deploy has ended, and returns where it is. When the push
 * fails, the next start tries again.
 */
export async function sampleDeploy(service: LocalService, dataDir: string): Promise<Sample> {
  const done = join(dataDir, 'sample-deployed');
  const repository = service.repoHost.repositoryPath(OWNER, NAME);
  if (!existsSync(repository)) await service.repoHost.createRepository(OWNER, NAME);
  if (!existsSync(done)) {
    // A start that ended between the push and this file must not push again: git would reject another root commit.
    if (!(await hasBranch(repository, BRANCH))) await pushSample(repository, BRANCH, dataDir);
    writeFileSync(done, '');
  }
  return { repository, address: await sampleAddress(service) };
}

/** Returns the address of the newest deploy of the sample, once none is in progress. */
async function sampleAddress({ url, login }: LocalService): Promise<string | null> {
  for (;;) {
    const entries = (await newestEntries(url, login, 20)).filter(({ commit }) =>
      commit?.startsWith(`${OWNER}/${NAME}/`),
    );
    if (entries.every((entry) => isFinal(entry) || entry.status === 'held')) {
      return entries.findLast(({ status }) => status === 'ok')?.doc.url ?? null;
    }
    await setTimeout(POLL_MS);
  }
}
