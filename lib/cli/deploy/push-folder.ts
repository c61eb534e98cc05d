import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Entry, numberOf } from '../../client/entry.ts';
import { appName, packageName, REMOTE, repositoryNameOf } from '../apps/app-name.ts';
import type { Call } from '../command.ts';
import { Failure } from '../errors.ts';
import type { Api } from '../service/api.ts';
import { logPage } from '../service/entry.ts';
import { type EmbeddedHost, embeddedHost, loginOptions, repositoryUrl } from './embedded-host.ts';
import type { Git } from './git.ts';
import { follow, operate } from './operation.ts';

const POLL_MS = 150;
/** The host calls the service before the push ends. */
const MAX_WAIT_MS = 30_000;
const PAGE_SIZE = 20;

/**
 * Pushes the commit that is checked out to the service on this machine and follows its deploy. Returns the exit code.
 */
export async function pushFolder(call: Call, client: Api, git: Git): Promise<number> {
  const host = await embeddedHost(client.service, call);
  const sha = await git.read(['rev-parse', '--verify', 'HEAD']);
  if (sha === null) throw new Failure('There is no commit to deploy yet: git add --all && git commit -m "First"');
  await warnOfChanges(call, git);
  const remote = (name: string) => git.read(['remote', 'get-url', name]);
  // That of this application, where the repository has several.
  const remoteOfApp = `${REMOTE}-${repositoryNameOf((await packageName(call.folder)) ?? '')}`;
  const url =
    (await remote(remoteOfApp)) ?? (await remote(REMOTE)) ?? repositoryUrl(host, client.user, await nameOf(call));
  const newest = (await logPage(client, { limit: 1 })).rows[0];
  const pushing = push(call, git, { host, url });
  const entry = await entryOf(call, client, { sha, after: newest ? Number(numberOf(newest)) : 0, pushing });
  if (entry === null) return deployAgain(call, client, sha);
  return follow(call, client, entry);
}

/** Deploys a commit that was pushed before, because git does not deliver it again. */
async function deployAgain(call: Call, client: Api, sha: string): Promise<number> {
  call.warn('The host has this commit already; it is deployed again.');
  const app = await appName(call);
  return operate(call, client, {
    request: { path: ['apps', client.user, app, 'deploy'], query: { ref: sha } },
  });
}

async function warnOfChanges({ warn }: Call, git: Git): Promise<void> {
  const changed = (await git.read(['status', '--porcelain', '--untracked-files=no'])) ?? '';
  if (changed !== '') warn('There are changes that are not committed; they are not deployed.');
}

async function nameOf({ folder }: Call): Promise<string> {
  const name = (await packageName(folder)) ?? basename(folder);
  return name.slice(name.lastIndexOf('/') + 1).replace(/[^A-Za-z0-9._-]+/g, '-');
}

interface Target {
  readonly host: EmbeddedHost;
  readonly url: string;
}

/** Returns whether something was pushed. */
async function push({ args }: Call, git: Git, { host, url }: Target): Promise<boolean> {
  const login = loginOptions(host);
  const symref = await git.read([...login, 'ls-remote', '--symref', url, 'HEAD']);
  const defaultBranch = /^ref: (refs\/heads\/\S+)/.exec(symref ?? '')?.[1];
  const branch = (await git.read(['branch', '--show-current'])) || 'main';
  const force = args.flag('force') ? ['--force'] : [];
  const { code, err } = await git.run([
    ...login,
    'push',
    ...force,
    url,
    `HEAD:${defaultBranch ?? `refs/heads/${branch}`}`,
  ]);
  if (code === 0) return !err.includes('Everything up-to-date');
  const hint = /\[rejected\]/.test(err)
    ? ' The repository has other commits: "--force" replaces them, and "hooks create <name>" takes another repository.'
    : '';
  throw new Failure(`git push did not succeed.${hint}\n${err}`);
}

interface Wanted {
  readonly sha: string;
  /** The number of the newest entry before the push. */
  readonly after: number;
  readonly pushing: Promise<boolean>;
}

/** Returns the entry of what is being pushed; null when there was nothing to push. */
async function entryOf({ signal }: Call, client: Api, { sha, after, pushing }: Wanted): Promise<Entry | null> {
  const state: { ended?: number; pushed?: boolean; failure?: unknown } = {};
  pushing.then(
    (pushed) => Object.assign(state, { pushed, ended: performance.now() }),
    (failure) => Object.assign(state, { failure }),
  );
  for (;;) {
    const { rows } = await logPage(client, { limit: PAGE_SIZE });
    const entry = rows.find((one) => one.commit?.endsWith(`/${sha}`) && numberOf(one) > after);
    if (entry) return entry;
    if (state.failure) throw state.failure;
    if (state.pushed === false) return null;
    if (state.ended !== undefined && performance.now() - state.ended > MAX_WAIT_MS) {
      throw new Failure('It was pushed, but the service has no entry of it: "hooks status" shows the log.');
    }
    await setTimeout(POLL_MS, undefined, { signal });
  }
}
