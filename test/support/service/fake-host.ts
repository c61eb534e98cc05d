import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { githubPush } from '../senders/github-push.ts';
import { type HttpServer, httpServer } from './http-server.ts';

/** A commit of the host. A number is the status of the response in place of the tarball. */
export interface FakeCommit {
  readonly files: Readonly<Record<string, string>>;
  readonly tarball: Buffer | number;
}

/**
 * A repository host with the part of GitHub's API that a deploy needs, which serves any tarball that a test provides.
 */
export interface FakeHost extends HttpServer {
  /** The commit statuses that were set, in order, with a token of `octo`. */
  readonly statuses: { readonly context: string; readonly state: string; readonly target_url: string }[];
  /** The open pull requests of every repository, by number; all others are closed. */
  readonly pulls: Map<number, { readonly sha: string }>;
  /** Answers each request about pull requests with this status; null: properly. */
  refuses: number | null;
  /** The number of requests about pull requests. */
  asked: number;
  /** Adds a commit to a repository of `octo` and returns the payload of its push. */
  push(repository: string, commit: FakeCommit): Record<string, unknown> & { readonly after: string };
}

/** Starts the host, without repositories. */
export async function fakeHost(): Promise<FakeHost> {
  const commits = new Map<string, FakeCommit>();
  const tips = new Map<string, string>();
  const pulls: FakeHost['pulls'] = new Map();
  const statuses: FakeHost['statuses'] = [];
  const server = await httpServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://host.invalid');
    if (url.pathname === '/user') return void response.end('{"login":"octo"}');
    const [, , owner, name, call, ...rest] = url.pathname.split('/');
    if (call === 'statuses') {
      statuses.push(JSON.parse(await text(request)));
      return void response.writeHead(201).end('{}');
    }
    if (call === undefined && name === 'gone') return void response.writeHead(404).end(NOT_FOUND);
    if (call === 'pulls' || call === undefined) {
      host.asked += 1;
      response.writeHead(host.refuses ?? 200);
      return void response.end(JSON.stringify(call === undefined ? described : aboutPulls(pulls, rest[0])));
    }
    const tip = tips.get(name ?? '');
    if (call === 'branches' && rest[0] === described.default_branch && tip !== undefined) {
      const commit = { message: 'A first commit', author: { name: 'Octo' } };
      return void response.writeHead(200).end(JSON.stringify({ name: rest[0], commit: { sha: tip, commit } }));
    }
    const commit = commits.get(`${owner}/${name}/${url.searchParams.get('ref') ?? rest.at(-1)}`);
    const { status, body } = answer(call ?? '', rest.join('/'), commit);
    response.writeHead(status).end(body);
  });
  const host: FakeHost = {
    ...server,
    pulls,
    refuses: null,
    asked: 0,
    statuses,
    push: (repository, commit) => {
      const sha = randomBytes(20).toString('hex');
      commits.set(`octo/${repository}/${sha}`, commit);
      const before = tips.get(repository);
      tips.set(repository, sha);
      return githubPush(server.url, { owner: 'octo', name: repository, sha }, before);
    },
  };
  return host;
}

const NOT_FOUND = '{"message":"Not Found"}';
/** What it says of each repository but `gone`, which there is not. */
const described = { default_branch: 'main', private: false };

/** The list of those that are open or, by its number, the state of one. */
function aboutPulls(pulls: FakeHost['pulls'], number: string | undefined): unknown {
  if (number !== undefined) return { state: pulls.has(Number(number)) ? 'open' : 'closed' };
  const repo = { id: 1 };
  return [...pulls].map(([one, { sha }]) => ({
    ...{ number: one, title: 'Blue', draft: false, user: { login: 'octocat' }, base: { repo } },
    head: { ref: 'changes', sha, repo },
  }));
}

function answer(call: string, path: string, commit: FakeCommit | undefined): { status: number; body: string | Buffer } {
  const missing = { status: 404, body: NOT_FOUND };
  if (!commit) return missing;
  if (call === 'commits') return { status: 200, body: '' };
  const { files, tarball } = commit;
  if (call === 'tarball') {
    return typeof tarball === 'number' ? { status: tarball, body: '{}' } : { status: 200, body: tarball };
  }
  const file = call === 'contents' ? files[path] : undefined;
  return file === undefined ? missing : { status: 200, body: file };
}
