import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import type { CommitRef } from '../../../functions/core/payload/delivery.ts';
import type { CommitStatus } from '../../../functions/core/ports/repository-host.ts';
import type { WantedCommit } from '../../contracts/repository-host.ts';
import { httpServer } from '../service/http-server.ts';
import { commitTarball } from '../service/tarballs.ts';

/** A commit stored in the mock. */
export interface ForgeCommit extends WantedCommit {
  readonly sha: string;
  readonly statuses: CommitStatus[];
}

/** A request to the mock. */
interface ForgeCall {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The groups of the pattern, percent-decoded. */
  readonly at: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly json: Readonly<Record<string, string>>;
  /** The owner of the token; null without a valid one. */
  readonly login: string | null;
}

interface ForgeAnswer {
  readonly status: number;
  readonly json?: unknown;
  readonly bytes?: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A route of the API, with `{name}` as path parameters, and the query parameters that it accepts. */
export interface ForgeRoute {
  readonly call: string;
  readonly query?: readonly string[];
  answer(call: ForgeCall, forge: Forge): ForgeAnswer | Promise<ForgeAnswer>;
}

/** An HTTP mock of a repository host with commits in memory. It fails on unknown requests. */
export interface Forge {
  readonly url: string;
  /** Secret → login. */
  readonly tokens: Map<string, string>;
  commit(wanted: WantedCommit): CommitRef;
  /** Makes a commit the tip of a branch. */
  branch(commit: CommitRef, branch: string): void;
  /** Returns the tip of a branch: undefined for an unknown branch; null for a repository that the caller cannot see. */
  tip(repository: string, branch: string, login: string | null): string | null | undefined;
  /** Returns the commit when it exists and is visible to the caller. */
  see(repository: string, sha: string | null, login: string | null): ForgeCommit | undefined;
  /** Returns the id of the one commit of a repository that starts with these digits. */
  whole(repository: string, digits: string): string | undefined;
  /** Returns the commit ids in the history of one commit that are not in that of another. */
  news(commit: ForgeCommit, other: ForgeCommit): readonly string[];
  /** Closes, and throws if there was a request that matches no route. */
  close(): Promise<void>;
}

/** Whether a repository is visible to its owner only. */
export function isPrivate(forge: Forge, repository: string): boolean {
  return forge.tip(repository, '', null) === null;
}

/** Opens a mock with the routes of an API; `tokenIn` returns the token in the headers of a request. */
export async function openForge(
  routes: readonly ForgeRoute[],
  tokenIn: (headers: IncomingHttpHeaders) => string | undefined,
): Promise<Forge> {
  const commits = new Map<string, ForgeCommit>();
  const branches = new Map<string, string>();
  const unexpected: string[] = [];
  const server = await httpServer(async (request, response) => {
    const body = await text(request);
    const answer = await answerTo(request.method ?? '', request.url ?? '', request.headers, body);
    response.writeHead(answer.status, { ...answer.headers });
    response.end(answer.json === undefined ? answer.bytes : JSON.stringify(answer.json));
  });
  const forge: Forge = {
    url: server.url,
    tokens: new Map(),
    commit(wanted) {
      const { owner, name } = wanted;
      const sha = createHash('sha1').update(`${commits.size}/${owner}/${name}`).digest('hex');
      commits.set(`${owner}/${name}/${sha}`, { ...wanted, sha, statuses: [] });
      return { host: 'forge', owner, name, sha };
    },
    branch({ owner, name, sha }, branch) {
      branches.set(`${owner}/${name}#${branch}`, sha);
    },
    tip(repository, branch, login) {
      const known = [...commits.keys()].filter((key) => key.startsWith(`${repository}/`));
      const isVisible = known.some((key) => forge.see(repository, key.slice(repository.length + 1), login));
      return isVisible ? branches.get(`${repository}#${branch}`) : null;
    },
    see(repository, sha, login) {
      const found = commits.get(`${repository}/${sha}`);
      return found && (!found.private || found.owner === login) ? found : undefined;
    },
    whole(repository, digits) {
      const found = [...commits.keys()].filter((key) => key.startsWith(`${repository}/${digits}`));
      return found.length === 1 ? found[0]?.slice(repository.length + 1) : undefined;
    },
    news(commit, other) {
      const known = new Set(history(other));
      return history(commit).filter((sha) => !known.has(sha));
    },
    async close() {
      await server.close();
      if (unexpected.length > 0) throw new Error(`Asked for what the host does not have:\n${unexpected.join('\n')}`);
    },
  };

  function history(commit: ForgeCommit): string[] {
    const { parent } = commit;
    const before = parent && commits.get(`${parent.owner}/${parent.name}/${parent.sha}`);
    return [commit.sha, ...(before ? history(before) : [])];
  }

  async function answerTo(
    method: string,
    target: string,
    headers: IncomingHttpHeaders,
    body: string,
  ): Promise<ForgeAnswer> {
    const { pathname, searchParams } = new URL(target, forge.url);
    for (const route of routes) {
      const at = match(route.call, `${method} ${pathname}`);
      const known = [...searchParams.keys()].every((name) => route.query?.includes(name));
      if (!at || !known) continue;
      const login = forge.tokens.get(tokenIn(headers) ?? '') ?? null;
      const json = body === '' ? {} : JSON.parse(body);
      return route.answer({ method, headers, at, query: searchParams, json, login }, forge);
    }
    unexpected.push(`${method} ${target}`);
    return { status: 599 };
  }
  return forge;
}

/** Returns the tarball of a commit under a root folder. */
export function tarballOf({ files, name, sha }: ForgeCommit): Promise<Uint8Array> {
  return commitTarball(files, `${name}-${sha}`);
}

function match(pattern: string, call: string): Record<string, string> | null {
  const source = pattern
    .replace(/[.*?^$()|[\]\\]/g, '\\$&')
    .replace(/\{(\w+)\+\}/g, '(?<$1>.+)')
    .replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  const found = new RegExp(`^${source}$`).exec(call);
  const groups = Object.entries(found?.groups ?? {}).map(([key, value]) => [key, decodeURIComponent(value)]);
  return found && Object.fromEntries(groups);
}
