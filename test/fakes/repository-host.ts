import { createHash } from 'node:crypto';
import { faultOf, isRelativePath } from '../../functions/adapters/hosts/coordinates.ts';
import { DeployError, type ErrorCode } from '../../functions/core/errors.ts';
import { type CommitRef, isCommitId } from '../../functions/core/payload/delivery.ts';
import type {
  CommitStatus,
  Comparison,
  Host,
  HostToken,
  OpenPullRequest,
  Pairing,
} from '../../functions/core/ports/repository-host.ts';
import { oneLine } from '../../functions/core/text.ts';
import { commitTarball } from '../support/service/tarballs.ts';

/** A commit to create in memory. */
export interface MemoryCommit {
  readonly owner: string;
  readonly name: string;
  /** Path in the tree → content. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly message?: string;
  readonly parent?: CommitRef;
  /** Whether its repository is only visible with a token of the owner. */
  readonly private?: boolean;
}

/** An in-memory repository host: the port, and methods to set up its content. */
export interface MemoryHost extends Host {
  /** Creates a commit, and with the first one its repository. */
  commit(commit: MemoryCommit): CommitRef;
  /** Makes a commit the tip of a branch. */
  branch(commit: CommitRef, branch: string): void;
  /** Opens or closes a pull request; with its head commit, it is listed. */
  pullRequest(number: number, isOpen: boolean, head?: Partial<OpenPullRequest>): void;
  /** Of each request for the open pull requests: whether they had changed. */
  readonly listed: boolean[];
  /** Adds `secret` as a token of `login`. */
  addToken(login: string, secret: string, scopes?: readonly string[], expiresAt?: string): void;
  /** The statuses set on a commit, oldest first. */
  statuses(commit: CommitRef): readonly CommitStatus[];
  /** Makes a method throw this error; null makes it work again. */
  failWith(method: keyof Host, error: DeployError | null): void;
}

interface Stored {
  readonly commit: MemoryCommit;
  readonly statuses: CommitStatus[];
}

/** Returns the in-memory fake of the repository hosts; `name` is the `host` of its commits. */
export function memoryHost(name = 'memory'): MemoryHost {
  const commits = new Map<string, Stored>();
  const branches = new Map<string, string>();
  const tokens = new Map<string, Pairing>();
  const open = new Map<number, OpenPullRequest | null>();
  const listed: boolean[] = [];
  const failures = new Map<string, DeployError>();
  const enter = (method: keyof Host) => {
    const failure = failures.get(method);
    if (failure) throw failure;
  };
  const see = (code: ErrorCode, ref: CommitRef, token: HostToken): Stored => {
    const fault = faultOf(ref);
    if (fault !== null) throw new DeployError(code, fault, { retry: false });
    const stored = commits.get(keyOf(ref));
    if (stored && (!stored.commit.private || tokens.get(token ?? '')?.login === ref.owner)) return stored;
    throw new DeployError(code, unseen, { retry: false });
  };
  const isVisible = (owner: string, repository: string, token: HostToken) => {
    const known = [...commits.values()].filter(({ commit }) => commit.owner === owner && commit.name === repository);
    return known.some(({ commit }) => !commit.private || tokens.get(token ?? '')?.login === owner);
  };
  return {
    async file(ref, path, token, maxBytes) {
      enter('file');
      if (!isRelativePath(path)) throw new DeployError('deploy:repohost:no_pkg_json', 'Bad path.', { retry: false });
      const content = see('deploy:repohost:no_pkg_json', ref, token).commit.files[path];
      if (content === undefined) return null;
      const bytes = Buffer.from(content);
      if (bytes.byteLength <= maxBytes) return bytes.toString('utf8');
      throw new DeployError('deploy:repohost:no_pkg_json', `${path} is too large.`, { retry: false });
    },
    async tarball(ref, token, signal) {
      enter('tarball');
      const { commit } = see('deploy:repohost:download_tarball', ref, token);
      return unlessAborted(signal, await commitTarball(commit.files, `${ref.owner}-${ref.name}-${ref.sha}`));
    },
    async setStatus(ref, status, token) {
      enter('setStatus');
      const { statuses } = see('request:failed', ref, token);
      if (!tokens.has(token ?? '')) throw new DeployError('request:failed', 'A token is needed.', { retry: false });
      statuses.push({ ...status, description: oneLine(status.description, 140) ?? '' });
    },
    async compare(base, head, token) {
      enter('compare');
      if (!isCommitId(head)) throw new DeployError('deploy:repohost:no_pkg_json', 'Bad commit id.', { retry: false });
      see('deploy:repohost:no_pkg_json', base, token);
      see('deploy:repohost:no_pkg_json', { ...base, sha: head }, token);
      return compared(commits, base, { ...base, sha: head });
    },
    async wholeCommit({ owner, name: repository }, digits, token) {
      enter('wholeCommit');
      const [found, ...others] = [...commits.keys()].filter((key) =>
        key.startsWith(`${owner}/${repository}/${digits}`),
      );
      const sha = others.length === 0 ? (found?.split('/')[2] ?? '') : '';
      see('deploy:repohost:no_pkg_json', { host: name, owner, name: repository, sha }, token);
      return sha;
    },
    async tip({ owner, name: repository }, branch, token) {
      enter('tip');
      const sha = branches.get(`${owner}/${repository}#${branch}`);
      if (!isVisible(owner, repository, token))
        throw new DeployError('deploy:repohost:no_pkg_json', unseen, { retry: false });
      const found = sha === undefined ? undefined : commits.get(keyOf({ host: name, owner, name: repository, sha }));
      if (sha === undefined || !found) return null;
      return { sha, message: found.commit.message ?? 'suite', author: 'Ada' };
    },
    async repository({ owner, name: repository }, token) {
      enter('repository');
      if (!isVisible(owner, repository, token))
        throw new DeployError('deploy:repohost:no_pkg_json', unseen, { retry: false });
      const isPrivate = !isVisible(owner, repository, null);
      return { defaultBranch: 'main', private: isPrivate, url: `https://github.example/${owner}/${repository}` };
    },
    async pullRequestState(_repository, pullRequest) {
      enter('pullRequestState');
      return { isOpen: open.has(pullRequest), head: open.get(pullRequest)?.sha ?? null };
    },
    async openPullRequests(_repository, _token, tag) {
      enter('openPullRequests');
      const all = [...open.values()].filter((one) => one !== null);
      const now = `W/"${createHash('sha1').update(JSON.stringify(all)).digest('hex')}"`;
      listed.push(now !== tag);
      return { open: now === tag ? null : all, tag: now, paceSeconds: 0 };
    },
    listed,
    pullRequest(number, isOpen, head) {
      if (!isOpen) return void open.delete(number);
      const described = { title: 'Blue', author: 'octocat', draft: false, fromFork: false, updatedAt: null };
      open.set(number, head ? { number, sha: null, branch: 'changes', ...described, ...head } : null);
    },
    branch({ owner, name: repository, sha }, branch) {
      branches.set(`${owner}/${repository}#${branch}`, sha);
    },
    async pair(login, secret) {
      enter('pair');
      const pairing = tokens.get(secret);
      if (pairing?.login.toLowerCase() === login.toLowerCase()) return pairing;
      throw new DeployError('auth:repohost:github_pairing_failed', tokenNeeded, { retry: false });
    },
    commit(commit) {
      const { owner, name: repository } = commit;
      const sha = createHash('sha1')
        .update(JSON.stringify([commits.size, owner, repository]))
        .digest('hex');
      const ref = { host: name, owner, name: repository, sha };
      commits.set(keyOf(ref), { commit, statuses: [] });
      return ref;
    },
    addToken(login, secret, scopes = ['repo'], expiresAt) {
      tokens.set(secret, { login, token: secret, scopes, expiresAt: expiresAt ?? null });
    },
    statuses: (ref) => commits.get(keyOf(ref))?.statuses ?? [],
    failWith(method, error) {
      if (error) failures.set(method, error);
      else failures.delete(method);
    },
  };
}

const unseen = 'Is it a private repository? Then pair a token with POST /1/auth/repohost.';
const tokenNeeded = 'A personal access token of that user is needed, with the scope repo.';

function keyOf({ owner, name, sha }: CommitRef): string {
  return `${owner}/${name}/${sha.toLowerCase()}`;
}

function compared(commits: ReadonlyMap<string, Stored>, base: CommitRef, head: CommitRef): Comparison {
  if (keyOf(base) === keyOf(head)) return 'identical';
  if (descends(commits, head, base)) return 'ahead';
  return descends(commits, base, head) ? 'behind' : 'diverged';
}

function descends(commits: ReadonlyMap<string, Stored>, from: CommitRef, ancestor: CommitRef): boolean {
  let at: CommitRef | undefined = from;
  while (at && keyOf(at) !== keyOf(ancestor)) at = commits.get(keyOf(at))?.commit.parent;
  return at !== undefined;
}

async function* unlessAborted(signal: AbortSignal, body: Uint8Array): AsyncGenerator<Uint8Array> {
  if (!signal.aborted) yield body;
  if (!signal.aborted) return;
  throw new DeployError('deploy:repohost:download_tarball', 'The download was aborted.', { cause: signal.reason });
}
