import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommitRef } from '../../functions/core/payload/delivery.ts';
import type { CommitStatus, Host } from '../../functions/core/ports/repository-host.ts';

/** A commit to create at the host under test. */
export interface WantedCommit {
  readonly owner: string;
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** `suite` by default. */
  readonly message?: string;
  readonly parent?: CommitRef;
  readonly private?: boolean;
}

/** The author of all commits of the suite. */
export const AUTHOR = 'Ada';

/** A host under test, and functions to set up its content. */
export interface RepositoryHostFixture {
  readonly host: Host;
  commit(commit: WantedCommit): Promise<CommitRef>;
  /** That of all of its repositories. */
  readonly defaultBranch: string;
  /** Makes a commit the tip of a branch of its repository. */
  branch(commit: CommitRef, branch: string): Promise<void>;
  /** Adds a token of the user, or what the host accepts in its place: see `credentials`. */
  addToken(login: string, secret: string): Promise<void>;
  /** What the user `octo` pairs with, when it is not the user name and the token. */
  readonly credentials?: { readonly login: string; readonly secret: string };
  /** The scopes that pairing returns; `repo` by default. */
  readonly scopes?: readonly string[];
  /** Whether the host does not set `pending`, because the deploy waits for the pipeline that it would join. */
  readonly leavesOutPending?: true;
  /** Whether the host says the whole id of a commit for its first digits. */
  readonly abbreviates?: true;
  /** Whether a user name must be written as it is. */
  readonly namesAreExact?: true;
  /** Returns the statuses of a commit, oldest first; null at a host without them, where setting one does nothing. */
  readonly statuses: ((commit: CommitRef) => Promise<readonly CommitStatus[]>) | null;
  close(): Promise<void>;
}

const suiteToken = 'suite-token-0123456789';
const manifest = '{"name":"hello","description":"grüße"}\n';
const message = 'Grüße\n\nDetails [skip ci]';
const missing = 'f'.repeat(40);
const { signal: never } = new AbortController();

/** Defines the contract tests that every adapter of the port `Host` passes. */
export function repositoryHostContract(title: string, open: () => Promise<RepositoryHostFixture>): void {
  describe(`${title}, as a repository host`, () => {
    let fixture: RepositoryHostFixture;
    let first: CommitRef;
    let second: CommitRef;
    let side: CommitRef;
    let hidden: CommitRef;
    let credentials: { readonly login: string; readonly secret: string };
    let token: string;

    beforeAll(async () => {
      fixture = await open();
      await fixture.addToken('octo', suiteToken);
      credentials = fixture.credentials ?? { login: 'octo', secret: suiteToken };
      token = (await fixture.host.pair(credentials.login, credentials.secret)).token;
      const repository = { owner: 'octo', name: 'hello.js' };
      first = await fixture.commit({
        ...repository,
        message,
        files: { 'package.json': manifest, 'a/b c.txt': 'deep' },
      });
      second = await fixture.commit({ ...repository, files: { 'package.json': manifest, n: '2' }, parent: first });
      side = await fixture.commit({ ...repository, files: { 'package.json': manifest, n: '3' }, parent: first });
      hidden = await fixture.commit({ owner: 'octo', name: 'hidden', files: { 'package.json': '{}' }, private: true });
    });
    afterAll(() => fixture?.close());

    it('returns the tip of a branch, also of one with a slash in its name, and null for one that does not exist', async () => {
      await fixture.branch(first, 'stable');
      await fixture.branch(second, 'feature/two');
      expect(await fixture.host.tip(first, 'stable', null)).toEqual({ sha: first.sha, message, author: AUTHOR });
      expect(await fixture.host.tip(first, 'feature/two', null)).toMatchObject({ sha: second.sha, message: 'suite' });
      expect(await fixture.host.tip(first, 'no-such', null)).toBeNull();
    });

    it('returns the tip of a branch of a private repository with a token only', async () => {
      await fixture.branch(hidden, 'stable');
      expect(await fixture.host.tip(hidden, 'stable', token)).toMatchObject({ sha: hidden.sha });
      const refused = { code: 'deploy:repohost:no_pkg_json', retry: false };
      await expect(fixture.host.tip(hidden, 'stable', null)).rejects.toMatchObject(refused);
      await expect(fixture.host.tip({ ...first, name: 'none' }, 'stable', null)).rejects.toMatchObject(refused);
      await expect(fixture.host.tip({ ...first, owner: '../x' }, 'stable', null)).rejects.toMatchObject(refused);
    });

    it('says of a repository its default branch, and whether it is private, with a token only then', async () => {
      const { defaultBranch } = fixture;
      expect(await fixture.host.repository(first, null)).toMatchObject({ defaultBranch, private: false });
      expect(await fixture.host.repository(hidden, token)).toMatchObject({ defaultBranch, private: true });
      const refused = { code: 'deploy:repohost:no_pkg_json', retry: false };
      await expect(fixture.host.repository(hidden, null)).rejects.toMatchObject(refused);
      await expect(fixture.host.repository({ ...first, name: 'none' }, null)).rejects.toMatchObject(refused);
    });

    it('returns a file of exactly the given commit', async () => {
      expect(await fixture.host.file(first, 'package.json', null, 1000)).toBe(manifest);
      expect(await fixture.host.file(first, 'a/b c.txt', null, 1000)).toBe('deep');
      expect(await fixture.host.file(second, 'n', null, 1000)).toBe('2');
    });

    it('returns null for a file that is not in the tree, even if nothing of the commit was read before', async () => {
      expect(await fixture.host.file(side, '.travis.yml', null, 1000)).toBeNull();
      expect(await fixture.host.file(side, 'no/such/folder', null, 1000)).toBeNull();
    });

    it('returns a file of the maximum size and throws a non-retryable error for a larger one', async () => {
      const bytes = Buffer.byteLength(manifest);
      expect(await fixture.host.file(first, 'package.json', null, bytes)).toBe(manifest);
      await expect(fixture.host.file(first, 'package.json', null, bytes - 1)).rejects.toMatchObject({
        code: 'deploy:repohost:no_pkg_json',
        retry: false,
      });
    });

    it('throws a non-retryable error for an unknown repository or commit, which says to pair a token', async () => {
      const unknown = [
        { ...first, name: 'nothing' },
        { ...first, sha: missing },
      ];
      for (const commit of unknown) {
        await expect(fixture.host.file(commit, 'package.json', null, 1000)).rejects.toMatchObject({
          code: 'deploy:repohost:no_pkg_json',
          retry: false,
          detail: expect.stringMatching(/POST \/1\/auth\/[a-z]/),
        });
        await expect(fixture.host.tarball(commit, null, never)).rejects.toMatchObject({
          code: 'deploy:repohost:download_tarball',
          retry: false,
        });
      }
    });

    it('reads a private repository only with a token of its owner', async () => {
      expect(await fixture.host.file(hidden, 'package.json', token, 1000)).toBe('{}');
      expect(await names(await fixture.host.tarball(hidden, token, never))).toContain('package.json');
      await expect(fixture.host.file(hidden, 'package.json', null, 1000)).rejects.toMatchObject({ retry: false });
      await expect(fixture.host.tarball(hidden, null, never)).rejects.toMatchObject({ retry: false });
    });

    it('returns the tarball of the commit as gzip with one root folder', async () => {
      const tarball = await fixture.host.tarball(first, null, never);
      expect((await names(tarball)).sort()).toEqual(['a/b c.txt', 'package.json']);
    });

    it('throws the error code of the download when a tarball is aborted', async () => {
      const stop = new AbortController();
      const tarball = await fixture.host.tarball(first, null, stop.signal);
      stop.abort(new Error('given up'));
      await expect(names(tarball)).rejects.toMatchObject({ code: 'deploy:repohost:download_tarball' });
    });

    it('sets statuses with a description of at most 140 characters, but only with a token', async () => {
      const status = {
        state: 'success',
        targetUrl: 'http://127.0.0.1/1',
        description: 'x'.repeat(200),
        context: 'c',
      } as const;
      await fixture.host.setStatus(second, { ...status, state: 'pending', description: 'soon' }, token);
      await fixture.host.setStatus(second, status, token);
      if (fixture.statuses === null) return;
      const set = await fixture.statuses(second);
      expect(set.map(({ state }) => state)).toEqual(fixture.leavesOutPending ? ['success'] : ['pending', 'success']);
      expect(set.at(-1)?.description).toBe(`${'x'.repeat(139)}…`);
      await expect(fixture.host.setStatus(second, status, null)).rejects.toMatchObject({ retry: false });
    });

    it('compares two commits', async () => {
      expect(await fixture.host.compare(first, second.sha, null)).toBe('ahead');
      expect(await fixture.host.compare(second, first.sha, null)).toBe('behind');
      expect(await fixture.host.compare(second, second.sha, null)).toBe('identical');
      expect(await fixture.host.compare(second, side.sha, null)).toBe('diverged');
      await expect(fixture.host.compare(first, missing, null)).rejects.toMatchObject({ retry: false });
    });

    it('returns the whole id of a commit for its first digits, where its calls name commits by them', async () => {
      const digits = first.sha.slice(0, 12);
      const refused = { code: 'deploy:repohost:no_pkg_json', retry: false };
      if (fixture.abbreviates) {
        expect(await fixture.host.wholeCommit(first, digits, null)).toBe(first.sha);
        expect(await fixture.host.wholeCommit(hidden, hidden.sha.slice(0, 12), token)).toBe(hidden.sha);
      } else {
        await expect(fixture.host.wholeCommit(first, digits, null)).rejects.toMatchObject(refused);
      }
      await expect(fixture.host.wholeCommit(hidden, hidden.sha.slice(0, 12), null)).rejects.toMatchObject(refused);
      for (const wrong of [missing.slice(0, 12), '', 'master', '../x', digits.toUpperCase()]) {
        await expect(fixture.host.wholeCommit(first, wrong, null), wrong).rejects.toMatchObject(refused);
      }
    });

    it('pairs a user only with their own token, ignoring the case of the user name where the host does', async () => {
      const { login, secret } = credentials;
      const name = fixture.namesAreExact ? login : login.toUpperCase();
      const pairing = await fixture.host.pair(name, secret);
      expect(pairing).toMatchObject({ login: 'octo', scopes: fixture.scopes ?? ['repo'], expiresAt: null });
      expect(await fixture.host.file(hidden, 'package.json', pairing.token, 1000)).toBe('{}');
      for (const [who, wrong] of [
        ['someone', secret],
        [login, 'a password'],
        [login, 'wrong-token'],
        ['no body', secret],
      ] as const) {
        const refused = fixture.host.pair(who, wrong);
        await expect(refused).rejects.toMatchObject({ code: 'auth:repohost:github_pairing_failed', retry: false });
        await expect(refused).rejects.not.toThrow(wrong);
      }
    });

    it('rejects a user name or secret that is not valid in a request, without sending it', async () => {
      const odd = ['', ' ', 'a\r\nb', '\u0000', 'grüße', '\ud800', 'x'.repeat(5000), '../..', '%2e%2e', '🗝'];
      for (const text of odd) {
        const refusal = { code: 'auth:repohost:github_pairing_failed', retry: false };
        await expect(fixture.host.pair(text, text), JSON.stringify(text)).rejects.toMatchObject(refusal);
        await expect(fixture.host.pair(credentials.login, text)).rejects.toMatchObject(refusal);
      }
    });

    it.each(['..', '.', 'a/b', 'a b', 'a%2fb', ''])('sends no request for a repository named %j', async (name) => {
      await expect(fixture.host.file({ ...first, name }, 'package.json', null, 9)).rejects.toMatchObject({
        retry: false,
      });
      await expect(fixture.host.tarball({ ...first, owner: name }, null, never)).rejects.toMatchObject({
        retry: false,
      });
    });

    it.each(['master', 'abc1234', `${missing}0`, '../x'])('sends no request for a commit named %j', async (sha) => {
      await expect(fixture.host.file({ ...first, sha }, 'package.json', null, 9)).rejects.toMatchObject({
        retry: false,
      });
      await expect(fixture.host.compare(first, sha, null)).rejects.toMatchObject({ retry: false });
    });

    it.each(['../package.json', '/package.json', 'a/../b', ''])('sends no request for the path %j', async (path) => {
      await expect(fixture.host.file(first, path, null, 9)).rejects.toMatchObject({ retry: false });
    });
  });
}

/** The files of a tarball, without the root folder that all of them must share. */
async function names(tarball: AsyncIterable<Uint8Array>): Promise<string[]> {
  const entries = extract();
  entries.end(gunzipSync(await buffer(tarball)));
  const files: string[] = [];
  for await (const entry of entries) {
    if (entry.header.type === 'file') files.push(entry.header.name);
    entry.resume();
  }
  const [root] = files[0]?.split('/') ?? [];
  expect(files.every((file) => file.startsWith(`${root}/`))).toBe(true);
  return files.map((file) => file.slice(`${root}/`.length));
}
