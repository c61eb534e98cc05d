import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHosts } from '../../../../../functions/adapters/hosts/open-hosts.ts';
import { type Expected, type StrictServer, strictServer } from '../../../../support/hosts/strict-server.ts';

const marker = '<!-- deployment-webhooks: preview kiwi/ -->';
const body = `${marker}\n\nlive`;
const link = (relation: string) => ({ link: `<https://api.example.com/comments?page=2>; rel="${relation}"` });

/** A comment in the shape of GitHub's (https://docs.github.com/rest/issues/comments) and Gitea's documentation. */
const issueComment = (id: number, login: string | null, text: string) => ({
  ...{ id, html_url: `https://example.com/octo/hello/pull/7#issuecomment-${id}`, body: text },
  user: login === null ? null : { id: 1, login, type: 'User' },
  ...{ created_at: '2026-04-14T16:00:49Z', author_association: 'COLLABORATOR' },
});
/** A note in the shape of https://docs.gitlab.com/api/notes/#list-all-merge-request-notes. */
const note = (id: number, username: string | null, text: string) => ({
  ...{ id, body: text, author: username === null ? null : { id: 1, username, name: 'Octo', state: 'active' } },
  ...{ system: false, noteable_type: 'MergeRequest', noteable_iid: 7, resolvable: false },
});

const issues = (kind: string, query: string) => ({
  ...{ kind, query, comments: '/repos/octo/hello/issues/7/comments', shape: issueComment },
  ...{ one: (id: number) => `PATCH /repos/octo/hello/issues/comments/${id}`, user: { id: 1, login: 'octo' } },
});
const notes = '/projects/octo%2Fhello/merge_requests/7/notes';
const hosts = [
  issues('github', 'per_page=100'),
  issues('gitea', 'limit=50'),
  issues('forgejo', 'limit=50'),
  {
    ...{ kind: 'gitlab', query: 'sort=asc&order_by=created_at&per_page=100', comments: notes, shape: note },
    ...{ one: (id: number) => `PUT ${notes}/${id}`, user: { id: 1, username: 'octo', name: 'Octo' } },
  },
];

describe.each(hosts)('the comment at a pull request of $kind', ({ kind, query, comments, shape, one, user }) => {
  let server: StrictServer;
  beforeEach(async () => {
    server = await strictServer();
  });
  afterEach(() => server.close());

  const comment = (creates = true, firstByteMs = 10_000) => {
    const config = { name: 'work', kind, api: server.url, web: server.url, privateNetwork: true };
    const host = openHosts([config], { timeouts: { firstByteMs } }).named('work');
    const repository = { host: 'work', owner: 'octo', name: 'hello' };
    return host.setComment(repository, { pullRequest: 7, marker, body, creates }, 'a-token');
  };
  const page = (number: number, ...all: unknown[]): Expected => ({
    request: `GET ${comments}?${query}&page=${number}`,
    body: JSON.stringify(all),
  });
  const me: Expected = { request: 'GET /user', body: JSON.stringify(user) };
  const made: Expected = { request: `POST ${comments}`, status: 201, body: '{"id":9}' };
  const updated = (id: number): Expected => ({ request: one(id), body: JSON.stringify({ id }) });
  const sent = () => server.received.filter(({ body: json }) => json !== '').map(({ body: json }) => JSON.parse(json));

  it('is made when there is none', async () => {
    server.expect(page(1, shape(1, 'ann', 'Nice.'), shape(2, null, '')), made);
    await comment();
    expect(sent()).toEqual([{ body }]);
  });

  it('is not made for what is only said in an update', async () => {
    server.expect(page(1));
    await comment(false);
  });

  it('is updated, and not made again', async () => {
    server.expect(page(1, shape(1, 'ann', 'Nice.'), shape(2, 'octo', `${marker}\n\nbefore`)), me, updated(2));
    await comment();
    expect(sent()).toEqual([{ body }]);
  });

  it('is left as it is when nothing has changed', async () => {
    server.expect(page(1, shape(2, 'octo', body)), me);
    await comment();
  });

  it('is found on a later page', async () => {
    server.expect({ ...page(1, shape(1, 'ann', 'Nice.')), headers: link('next') });
    server.expect({ ...page(2, shape(2, 'octo', `${marker}\n\nbefore`)), headers: link('prev') }, me, updated(2));
    await comment();
  });

  it('is not that of a stranger who has copied its marker, nor one that quotes it', async () => {
    const copies = [shape(1, 'mallory', `${marker}\n\nmine`), shape(2, null, marker), shape(3, 'octo', `> ${marker}`)];
    server.expect(page(1, ...copies), me, made);
    await comment();
  });

  it('is made again after somebody has deleted it, also at this moment', async () => {
    server.expect(page(1, shape(2, 'octo', `${marker}\n\nbefore`)), me);
    server.expect({ request: one(2), status: 404, body: '{"message":"Not Found"}' }, made);
    await comment();
  });

  it.each([
    [401, {}, { retry: false }],
    [403, {}, { retry: false }],
    [404, {}, { retry: false }],
    [429, { 'retry-after': '7' }, { retry: true, retryAfter: 7 }],
    [500, {}, { retry: true }],
    [503, {}, { retry: true }],
  ])('says whether another try can help when it is refused: %i', async (status, headers, expected) => {
    const refused = { status, headers, body: '{"message":"No."}' };
    server.expect({ ...page(1), ...refused });
    await expect(comment()).rejects.toMatchObject({ code: 'request:failed', ...expected });
    server.expect(page(1), { ...made, ...refused });
    await expect(comment()).rejects.toMatchObject({ code: 'request:failed', ...expected });
  });

  it('is tried again when the host does not answer, or not as documented', async () => {
    server.expect({ ...page(1), answer: () => {} });
    await expect(comment(true, 150)).rejects.toMatchObject({ retry: true });
    server.expect({ ...page(1), body: '{"comments":[]}' });
    await expect(comment()).rejects.toMatchObject({ retry: true });
  });
});
