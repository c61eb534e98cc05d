import { createHash } from 'node:crypto';
import { buffer, json } from 'node:stream/consumers';
import { type HttpServer, httpServer } from '../../support/service/http-server.ts';
import { commitTarball } from '../../support/service/tarballs.ts';

/** A commit of a fake repository. */
export interface FakeCommit {
  readonly sha: string;
  readonly files: Readonly<Record<string, string>>;
}

/** A repository whose commits are one line. */
export interface FakeRepository {
  readonly owner: string;
  readonly name: string;
  readonly commits: FakeCommit[];
}

/** A repository host with the part of GitHub's API that deploys use. */
export interface FakeHost extends HttpServer {
  repository(owner: string, name: string): FakeRepository;
  /** Returns the last state set on a commit. */
  statusOf(sha: string): string | undefined;
}

/** Adds a commit whose package has that version. */
export function commitTo({ owner, name, commits }: FakeRepository, version: string | null): FakeCommit {
  const sha = createHash('sha1').update(`${owner}/${name}/${commits.length}`).digest('hex');
  const manifest = { name, version, scripts: { start: 'node server.js' } };
  const files = version === null ? {} : { 'package.json': JSON.stringify(manifest) };
  const commit = { sha, files: { ...files, 'server.js': `// ${sha}\n` } };
  commits.push(commit);
  return commit;
}

/** Starts the host, without repositories. */
export async function fakeHost(): Promise<FakeHost> {
  const repositories = new Map<string, FakeRepository>();
  const statuses = new Map<string, string>();
  const server = await httpServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host.invalid');
    const [, , owner, name, call = '', ...rest] = pathname.split('/');
    const commits = repositories.get(`${owner}/${name}`)?.commits ?? [];
    if (call === 'statuses') {
      statuses.set(rest[0] ?? '', ((await json(request)) as { state: string }).state);
      return void response.writeHead(201).end('{}');
    }
    await buffer(request);
    const found = await read(commits, call, rest, searchParams.get('ref'));
    response.writeHead(found === null ? 404 : 200).end(found ?? '{"message":"Not Found"}');
  });
  return {
    ...server,
    repository: (owner, name) => {
      const made = { owner, name, commits: [] };
      repositories.set(`${owner}/${name}`, made);
      return made;
    },
    statusOf: (sha) => statuses.get(sha),
  };
}

async function read(
  commits: readonly FakeCommit[],
  call: string,
  rest: readonly string[],
  ref: string | null,
): Promise<string | Buffer | null> {
  const [first = ''] = rest;
  if (call === 'compare') return compared(commits, first);
  if (call === 'branches') return tipOf(commits, rest.join('/'));
  const commit = commits.find(({ sha }) => sha === (ref ?? first));
  if (!commit) return null;
  if (call === 'commits') return commit.sha;
  if (call === 'tarball') return commitTarball(commit.files);
  return call === 'contents' ? (commit.files[rest.join('/')] ?? null) : null;
}

/** Each branch has all commits. */
function tipOf(commits: readonly FakeCommit[], name: string): string | null {
  const sha = commits.at(-1)?.sha;
  return sha === undefined ? null : JSON.stringify({ name, commit: { sha, commit: { message: 'A commit' } } });
}

function compared(commits: readonly FakeCommit[], range: string): string | null {
  const [base, head] = range.split('...').map((sha) => commits.findIndex((commit) => commit.sha === sha));
  if (base === undefined || head === undefined || base < 0 || head < 0) return null;
  const status = head === base ? 'identical' : head > base ? 'ahead' : 'behind';
  return JSON.stringify({ status });
}
