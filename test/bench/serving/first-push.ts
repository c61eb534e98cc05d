import { setTimeout } from 'node:timers/promises';
import { entryAddress, type GitFolder, gitFolder } from '../../support/service/git-folder.ts';
import { basic, makeRepository, type Service } from '../service.ts';
import type { Version } from './versions.ts';

const POLL_MS = 20;

/** An application that is deployed by a push, and where it answers. */
export interface Pushed {
  readonly tree: GitFolder;
  readonly url: string;
}

/** Pushes the first version into a new repository of the first user, and waits until its deploy has ended. */
export async function firstPush(service: Service, name: string, version: Version): Promise<Pushed> {
  const tree = gitFolder(await makeRepository(service, service.user, name));
  tree.commit(version.files);
  const address = entryAddress(await tree.push());
  const headers = { authorization: basic(service.user, service.password) };
  for (;;) {
    const answer = await fetch(`${address}?include_docs=true`, { headers });
    const { status, error, doc } = (await answer.json()) as { status: string; error?: unknown; doc: { url: string } };
    if (status === 'ok') return { tree, url: doc.url };
    if (!['queued', 'running'].includes(status)) throw new Error(`The deploy ended: ${JSON.stringify(error)}`);
    await setTimeout(POLL_MS);
  }
}
