import { setTimeout } from 'node:timers/promises';
import { application, entryAddress, type GitFolder } from '../../support/service/git-folder.ts';

/** The service of the benchmark, and a repository of its user. */
export interface Service {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly repository: string;
}

/** A version of an application to deploy, and the text that it responds with. */
export interface Version {
  readonly files: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Returns a version without dependencies. */
export function plain(round: number): Version {
  const text = `plain ${round}`;
  const lock = { name: 'plain', version: '1.0.0', lockfileVersion: 3, requires: true, packages: {} };
  return { files: { ...application('plain', text), 'package-lock.json': JSON.stringify(lock) }, text };
}

/** How long a deploy took. */
export interface Deploy {
  /** Milliseconds from the delivery to serving. */
  readonly own: number;
  /** Milliseconds from the call of `git push` to serving. */
  readonly whole: number;
}

/** Pushes and waits until the entry is `ok`, which means that the application has responded. */
export async function byPush(service: Service, tree: GitFolder, { files }: Version): Promise<Deploy> {
  tree.commit(files);
  const start = performance.now();
  const address = entryAddress(await tree.push('--force', 'main'));
  const entry = await finalEntry(service, address);
  if (entry.status !== 'ok') throw new Error(`The deploy ended as ${entry.status}: ${JSON.stringify(entry.error)}`);
  const { received_at: from, finished_at: to } = entry.doc;
  return { own: Date.parse(to) - Date.parse(from), whole: performance.now() - start };
}

/** Returns the entry at an address when it has ended. */
export async function finalEntry({ user, password }: Service, address: string) {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  for (;;) {
    const answer = await fetch(`${address}?include_docs=true`, { headers: { authorization } });
    // A strict service may have as many invocations as it can.
    if (answer.status >= 500) continue;
    const entry = (await answer.json()) as {
      status: string;
      error?: unknown;
      doc: { url: string; received_at: string; finished_at: string };
    };
    if (!['queued', 'running'].includes(entry.status)) return entry;
    await setTimeout(10);
  }
}
