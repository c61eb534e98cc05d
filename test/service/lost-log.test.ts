import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type LocalService, startLocal } from '../../lib/local/start.ts';
import { application, entryAddress, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { project, testPage } from '../support/service/place.ts';
import { clientOf, dataFolderFor } from '../support/service/started.ts';

const PUSHES = 3;
const dataDir = dataFolderFor('lost-log');
let service: LocalService;
let tree: GitFolder | undefined;

afterEach(async () => {
  await service.close();
  tree?.remove();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  service = await startLocal({ project, dataDir, page: testPage, port: 0 });
}

async function removeLog(): Promise<void> {
  await service.close();
  for (const name of readdirSync(dataDir)) if (name.startsWith('service.db')) rmSync(join(dataDir, name));
}

/** Returns the entry of a push of an application that answers with this text, when it has ended. */
async function deployed(tree: GitFolder, text: string) {
  tree.commit(application('shop', text));
  const entry = await clientOf(service).until(entryAddress(await tree.push()), 'ok', 'error');
  return { status: entry.status, serves: entry.url && (await (await fetch(entry.url)).text()) };
}

it('after its log was lost, the service deploys each push, though the platform has snapshots of these numbers', async () => {
  await start();
  await service.repoHost.createRepository('demo', 'shop');
  tree = gitFolder(service.repoHost.repositoryPath('demo', 'shop'));
  for (let log = 1; log <= 2; log += 1) {
    for (let push = 1; push <= PUSHES; push += 1) {
      const text = `push ${push} of log ${log}`;
      expect(await deployed(tree, text)).toEqual({ status: 'ok', serves: text });
    }
    if (log === 2) break;
    await removeLog();
    await start();
  }
});
