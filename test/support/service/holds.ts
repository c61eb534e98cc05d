import { afterAll, beforeAll } from 'vitest';
import type { EngineOverrides } from '../../../lib/local/config/settings.ts';
import { githubPush } from '../senders/github-push.ts';
import { application, entryAddress, type GitFolder } from './git-folder.ts';
import { type ApiAnswer, repositories, type Started, startEngineForTest } from './started.ts';
import { travisCall } from './travis.ts';

const hooked = 'notifications:\n  webhooks: https://deploy.example.org/1/deploy\n';
export const finals = ['ok', 'error', 'skipped', 'superseded', 'expired', 'duplicate'];

interface Named {
  readonly name: string;
  readonly sha: string;
}

/** A service for the tests of a `describe`, whose pushes wait for CI. */
export function holds(folder: string, settings: EngineOverrides = {}) {
  let started: Started;
  beforeAll(async () => {
    started = await startEngineForTest(folder, settings);
  });
  afterAll(() => started.close());
  const repository = repositories(() => started);

  /** Pushes an application, with a `.travis.yml` or without; returns the commit and the address of the push's entry. */
  async function pushed(tree: GitFolder, name: string, travis: string | null = hooked, ref = 'main') {
    const sha = tree.commit({ ...application(name, name), '.travis.yml': travis });
    return { name, sha, entry: entryAddress(await tree.push(`main:${ref}`)) };
  }
  return {
    started: () => started,
    repository,
    pushed,
    /** A push that is held by now. */
    held: async (name: string) => {
      const push = await pushed(await repository(name), name);
      await started.until(push.entry, 'held', ...finals);
      return push;
    },
    /** Travis CI calls about a commit, with the fixture of that name. */
    called: (fixture: string, { name, sha }: Named) => {
      const { headers, body } = travisCall(fixture, { page: `${started.service.repoHost.url}/demo/${name}`, sha });
      return started.hook(body, headers);
    },
    /** GitHub's call about a push of a commit. */
    payload: ({ name, sha }: Named) => githubPush(started.service.repoHost.url, { owner: 'demo', name, sha }),
    badge: async (name: string): Promise<string> => {
      const { body } = await started.call(`/demo/${name}.svg`, { login: null });
      return /deployment: (\w+)/.exec(body)?.[1] ?? body;
    },
    read: async (address: string) => (await started.call(`${address}?include_docs=true`)).body,
    /** Returns the entry of an answer once its status is final. */
    outcome: (answer: ApiAnswer) => started.until(answer.body.id, ...finals),
  };
}
