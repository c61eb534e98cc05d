import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { client } from '../../client/client.ts';
import { hasEnded, logPage } from '../../client/entry.ts';
import type { LocalService } from '../start.ts';
import { hasBranch, pushSample } from './push.ts';

const OWNER = 'demo';
const NAME = 'hello';
const BRANCH = 'main';
const POLL_MS = 200;

interface Sample {
  readonly app: string;
  /** Path of its bare repository. */
  readonly repository: string;
}

/**
 * Pushes the sample application at the first start and waits until its deploy has ended. When the push fails, the next
 * start tries again.
 */
export async function sampleDeploy(service: LocalService, dataDir: string): Promise<Sample> {
  const done = join(dataDir, 'sample-deployed');
  const repository = service.repoHost.repositoryPath(OWNER, NAME);
  if (existsSync(done)) return { app: NAME, repository };
  if (!existsSync(repository)) await service.repoHost.createRepository(OWNER, NAME);
  // A start that ended between the push and this file must not push again: git would reject another root commit.
  if (!(await hasBranch(repository, BRANCH))) await pushSample(repository, BRANCH, dataDir);
  writeFileSync(done, '');
  await deployed(service);
  return { app: NAME, repository };
}

/** Resolves when no deploy of the sample is in progress. */
async function deployed({ url, login }: LocalService): Promise<void> {
  const service = client({ url, user: login.user, secret: login.password });
  for (;;) {
    const { rows } = await logPage(service, { limit: 20 });
    const ofSample = rows.filter(({ commit }) => commit?.startsWith(`${OWNER}/${NAME}/`));
    if (ofSample.every((entry) => hasEnded(entry) || entry.status === 'held')) return;
    await setTimeout(POLL_MS);
  }
}
