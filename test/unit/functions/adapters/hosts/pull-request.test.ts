import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHosts } from '../../../../../functions/adapters/hosts/open-hosts.ts';
import { type StrictServer, strictServer } from '../../../../support/hosts/strict-server.ts';

const repository = { host: 'work', owner: 'octo', name: 'hello' };

const head = 'a'.repeat(40);
const heads = {
  github: { head: { sha: head } },
  gitea: { head: { sha: head } },
  gitlab: { sha: head },
  bitbucket: { source: { commit: { hash: head.slice(0, 12) } } },
} as const;

/** Where each kind of host has its pull requests, and what it says of them. */
const kinds = [
  ['github', '/repos/octo/hello', '/repos/octo/hello/pulls/7', { open: 'open', closed: 'closed' }],
  ['gitea', '/repos/octo/hello', '/repos/octo/hello/pulls/7', { open: 'open', closed: 'closed' }],
  ['gitlab', '/projects/octo%2Fhello', '/projects/octo%2Fhello/merge_requests/7', { open: 'opened', closed: 'merged' }],
  [
    ...([
      'bitbucket',
      '/repositories/octo/hello',
      '/repositories/octo/hello/pullrequests/7?fields=state,source.commit.hash',
    ] as const),
    { open: 'OPEN', closed: 'DECLINED' },
  ],
] as const;

describe.each(kinds)('a pull request at %s', (kind, at, path, states) => {
  let server: StrictServer;
  beforeEach(async () => {
    server = await strictServer();
  });
  afterEach(() => server.close());

  const state = () => {
    const config = { name: 'work', kind, api: server.url, web: server.url, privateNetwork: true };
    return openHosts([config]).named('work').pullRequestState(repository, 7, 'a-token');
  };

  it.each([
    ['open', true],
    ['closed', false],
  ] as const)('that is %s', async (said, isOpen) => {
    server.expect({ request: `GET ${path}`, body: JSON.stringify({ ...heads[kind], state: states[said] }) });
    expect(await state()).toEqual({ isOpen, head: head.slice(0, kind === 'bitbucket' ? 12 : 40) });
  });

  it('of which the host says no commit has none', async () => {
    const unread = { head: null, sha: 7, source: { commit: null }, state: states.open };
    server.expect({ request: `GET ${path}`, body: JSON.stringify(unread) });
    expect(await state()).toEqual({ isOpen: true, head: null });
  });

  if (kind === 'gitlab') {
    it('that is locked while it is merged is not closed yet', async () => {
      server.expect({ request: `GET ${path}`, body: JSON.stringify({ state: 'locked' }) });
      expect(await state()).toMatchObject({ isOpen: true });
    });
  }

  it('that does not exist is not open, if its repository is visible', async () => {
    server.expect({ request: `GET ${path}`, status: 404 }, { request: `GET ${at}`, body: '{}' });
    expect(await state()).toEqual({ isOpen: false, head: null });
  });

  it.each([
    ['a repository that is not visible', [404, 404], false],
    ['a host that has broken down', [500], true],
  ])('is not said to be closed by %s', async (_what, statuses, retry) => {
    const requests = [`GET ${path}`, `GET ${at}`];
    server.expect(...statuses.map((status, index) => ({ request: requests[index] ?? '', status })));
    await expect(state()).rejects.toMatchObject({ code: 'deploy:repohost:no_pkg_json', retry });
  });
});

const listed = { number: 7, sha: head, branch: 'changes', title: 'Blue', author: 'octocat', draft: false };
const expected = { ...listed, fromFork: false, updatedAt: Date.UTC(2026, 0, 31, 12) };
const at = '2026-01-31T12:00:00Z';

/** A pull request as GitHub and Gitea list it, without the fields that nobody reads. */
const github = (more: object = {}, from: object | null = { id: 5, full_name: 'octo/hello' }) => ({
  ...{
    id: 1,
    number: 7,
    state: 'open',
    title: 'Blue',
    draft: false,
    user: { login: 'octocat', id: 2 },
    updated_at: at,
  },
  head: { label: 'octo:changes', ref: 'changes', sha: head, repo: from },
  base: { label: 'octo:main', ref: 'main', sha: 'b'.repeat(40), repo: { id: 5, full_name: 'octo/hello' } },
  ...more,
});
/** As `GET /projects/:id/merge_requests` of GitLab. */
const gitlab = (more: object = {}) => ({
  ...{ id: 90, iid: 7, project_id: 5, state: 'opened', title: 'Blue', draft: false, work_in_progress: false },
  ...{ author: { id: 2, name: 'octocat', username: 'octo' }, source_branch: 'changes', target_branch: 'main' },
  ...{ source_project_id: 5, target_project_id: 5, sha: head, updated_at: '2026-01-31T13:00:00.000+01:00' },
  ...more,
});
/** As Bitbucket's `pullrequests`, whose commits have 12 digits. */
const bitbucket = (more: object = {}, from = 'octo/hello') => ({
  ...{
    id: 7,
    title: 'Blue',
    draft: false,
    author: { display_name: 'octocat' },
    updated_on: '2026-01-31T12:00:00.000000+00:00',
  },
  source: { branch: { name: 'changes' }, commit: { hash: 'a'.repeat(12) }, repository: { full_name: from } },
  destination: { repository: { full_name: 'octo/hello' } },
  ...more,
});
const inValues = (values: readonly unknown[]) => ({ values });
const asList = (values: readonly unknown[]): unknown => values;
const fields =
  'values.id,values.title,values.draft,values.updated_on,values.author.display_name,values.source,values.destination.repository.full_name';

const lists = [
  {
    kind: 'github',
    path: '/repos/octo/hello/pulls?state=open&sort=updated&direction=desc&per_page=50',
    body: asList,
    pulls: [github(), github({}, null), github({}, { id: 6 }), github({ draft: true })],
  },
  {
    kind: 'gitea',
    path: '/repos/octo/hello/pulls?state=open&sort=recentupdate&limit=50',
    body: asList,
    pulls: [
      github(),
      github({ head: { ref: 'changes', sha: head, repo: null, repo_id: -1 }, base: { repo_id: 5 } }),
      github({}, { id: 6 }),
      github({ draft: undefined, title: 'WIP: Blue' }),
    ],
  },
  {
    kind: 'gitlab',
    path: '/projects/octo%2Fhello/merge_requests?state=opened&order_by=updated_at&sort=desc&per_page=50',
    body: asList,
    pulls: [
      gitlab(),
      gitlab({ source_project_id: null }),
      gitlab({ source_project_id: 6 }),
      gitlab({ draft: undefined, work_in_progress: true }),
    ],
  },
  {
    kind: 'bitbucket',
    path: `/repositories/octo/hello/pullrequests?state=OPEN&sort=-updated_on&pagelen=50&fields=${fields}`,
    body: inValues,
    pulls: [
      bitbucket(),
      bitbucket({ source: { branch: { name: 'changes' }, commit: null, repository: null } }),
      bitbucket({}, 'mallory/hello'),
      bitbucket({ draft: true }),
    ],
  },
] as const;

describe.each(lists)('the open pull requests at $kind', ({ kind, path, body, pulls }) => {
  let server: StrictServer;
  beforeEach(async () => {
    server = await strictServer();
  });
  afterEach(() => server.close());

  const request = `GET ${path}`;
  /** Only what never comes is waited for briefly: beside other programs any answer may take a second. */
  const list = (tag: string | null = null, waitMs = 30_000) => {
    const config = { name: 'work', kind, api: server.url, web: server.url, privateNetwork: true };
    return openHosts([config], { timeouts: { firstByteMs: waitMs, idleMs: waitMs } })
      .named('work')
      .openPullRequests(repository, 'a-token', tag);
  };

  it('are listed with their head commits; those of forks and drafts say so', async () => {
    server.expect({ request, headers: { etag: 'W/"1"' }, body: JSON.stringify(body(pulls)) });
    const sha = kind === 'bitbucket' ? head.slice(0, 12) : head;
    const { open, tag, paceSeconds } = await list();
    expect([tag, paceSeconds]).toEqual(['W/"1"', 0]);
    expect(open?.[0]).toEqual({ ...expected, sha });
    expect(open?.map(({ fromFork }) => fromFork)).toEqual([false, true, true, false]);
    expect(open?.map(({ draft }) => draft)).toEqual([false, false, false, true]);
    const source = kind === 'bitbucket' ? 'mallory/hello' : undefined;
    expect(open?.map((one) => one.source)).toEqual([undefined, undefined, source, undefined]);
  });

  it('are not sent again while nothing has changed', async () => {
    server.expect({ request, status: 304 });
    expect(await list('W/"1"')).toEqual({ open: null, tag: 'W/"1"', paceSeconds: 0 });
    expect(server.received[0]?.headers['if-none-match']).toBe('W/"1"');
  });

  it('are asked for so often that half of what the host allows is left', async () => {
    const headers = { 'x-ratelimit-remaining': '60', 'x-ratelimit-reset': '3600' };
    server.expect({ request, headers, body: JSON.stringify(body([])) });
    expect(await list()).toEqual({ open: [], tag: null, paceSeconds: 120 });
  });

  it.each([
    ['401', { status: 401 }, false],
    ['403', { status: 403 }, false],
    ['404', { status: 404 }, false],
    ['a rate limit', { status: 429, headers: { 'retry-after': '7' } }, true],
    ['503', { status: 503 }, true],
    ['304 without a tag', { status: 304 }, false],
    ['no JSON', { body: '<html>' }, true],
    ['other JSON', { body: '{"message":"soon"}' }, true],
    ['a list of something else', { body: JSON.stringify(body([{ number: '7' }])) }, true],
    ['a list that breaks off', { body: '[', headers: { 'content-length': '9' }, waitMs: 300 }, true],
    ['nothing', { answer: () => {}, waitMs: 300 }, true],
  ] as const)('are not known from %s', async (_what, answer, retry) => {
    server.expect({ request, ...answer });
    const pause = 'headers' in answer && 'retry-after' in answer.headers ? { retryAfter: 7 } : {};
    const asked = list(null, 'waitMs' in answer ? answer.waitMs : undefined);
    await expect(asked).rejects.toMatchObject({ code: 'deploy:repohost:no_pkg_json', retry, ...pause });
  });
});
