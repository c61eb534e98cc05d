import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHost } from '../../../../../../functions/adapters/hosts/open-hosts.ts';
import { github } from '../../../../../../functions/adapters/hosts/registry.ts';
import { entryId } from '../../../../../../functions/core/entry/entry.ts';
import type { PreviewDeployment } from '../../../../../../functions/core/ports/repository-host.ts';
import { type Expected, type StrictServer, strictServer } from '../../../../../support/hosts/strict-server.ts';

const repository = { host: 'github', owner: 'octocat', name: 'Hello-World' };
const deployments = '/repos/octocat/Hello-World/deployments';
const list = `GET ${deployments}?environment=shop-pr-7&per_page=100`;
const idOf = (number: number) => entryId('0a'.repeat(10), number);
const running: PreviewDeployment = {
  user: 'kiwi',
  entry: idOf(12),
  sha: '1'.repeat(40),
  environment: 'shop-pr-7',
  state: 'in_progress',
  description: 'Deploying',
  logUrl: 'https://hooks.example.com/#/kiwi/deploys/12',
  url: null,
};
const live: PreviewDeployment = { ...running, state: 'success', url: 'https://shop-pr-7.example.com' };
const removal: PreviewDeployment = { ...running, entry: idOf(13), sha: null, state: 'inactive' };

/** A deployment as https://docs.github.com/rest/deployments/deployments#list-deployments shows it. */
const listed = (id: number, payload: unknown) => ({
  ...{ url: `https://api.github.com${deployments}/${id}`, id, node_id: 'MDEwOkRlcGxveW1lbnQx', sha: '1'.repeat(40) },
  ...{ ref: '1'.repeat(40), task: 'deploy', payload, original_environment: 'shop-pr-7', environment: 'shop-pr-7' },
  ...{ description: 'Deploying', creator: { login: 'octocat', id: 1 }, created_at: '2026-07-20T01:19:13Z' },
  ...{ transient_environment: true, production_environment: false },
});
const ours = (id: number, number: number) => listed(id, { user: 'kiwi', entry: idOf(number) });
const answer = (request: string, json: unknown, status = 200): Expected => ({
  request,
  status,
  body: JSON.stringify(json),
});
/** The statuses of a deployment, newest first, as GitHub lists them. */
const statuses = (id: number, count: number, ...states: string[]) =>
  answer(
    `GET ${deployments}/${id}/statuses?per_page=${count}`,
    states.map((state, at) => ({ id: at + 1, state, creator: { login: 'octocat' }, environment: 'shop-pr-7' })),
  );
const set = (id: number): Expected => answer(`POST ${deployments}/${id}/statuses`, { id: 1, state: 'any' }, 201);

let api: StrictServer;
beforeEach(async () => {
  api = await strictServer();
});
afterEach(() => api.close());

const report = (deployment: PreviewDeployment, firstByteMs = 10_000) =>
  openHost(github, {
    ...{ name: 'github', api: api.url, web: api.url, userAgent: 'deployment-webhooks/1.0.0' },
    timeouts: { connectMs: 10_000, firstByteMs, idleMs: 10_000 },
  }).setDeployment(repository, deployment, 'ghp_token');
const bodies = () => api.received.filter(({ body }) => body !== '').map(({ body }) => JSON.parse(body));

describe('the deployment of a preview at GitHub', () => {
  it('is made in a transient environment, with the id of its entry, and set in progress', async () => {
    api.expect(answer(list, []), answer(`POST ${deployments}`, listed(1, {}), 201), statuses(1, 1), set(1));
    await report(running);
    expect(bodies()).toEqual([
      {
        ...{ ref: running.sha, environment: 'shop-pr-7', description: 'Deploying' },
        ...{ payload: { user: 'kiwi', entry: idOf(12) }, auto_merge: false, required_contexts: [] },
        ...{ transient_environment: true, production_environment: false },
      },
      { state: 'in_progress', description: 'Deploying', log_url: running.logUrl, auto_inactive: false },
    ]);
  });

  it.each([
    ['an object', ours(1, 12)],
    ['a string, as older servers have it', listed(1, JSON.stringify({ user: 'kiwi', entry: idOf(12) }))],
  ])('is found again by its payload, which is %s', async (_what, one) => {
    const others = [listed(3, ''), listed(2, { user: 'plum', entry: idOf(12) }), listed(4, null)];
    api.expect(answer(list, [...others, one]), statuses(1, 1, 'queued'), set(1));
    await report(running);
    expect(bodies()).toMatchObject([{ state: 'in_progress' }]);
  });

  it('is not set twice to one state', async () => {
    api.expect(answer(list, [ours(1, 12)]), statuses(1, 1, 'in_progress', 'queued'));
    await report(running);
  });

  it('is a success with the address of the application, and the one that served before becomes inactive', async () => {
    api.expect(
      answer(list, [ours(5, 12), listed(9, {}), ours(4, 11), ours(3, 10), ours(2, 9), ours(1, 8)]),
      ...[statuses(5, 1, 'in_progress'), set(5)],
      ...[statuses(4, 100, 'failure', 'in_progress')],
      ...[statuses(3, 100, 'success', 'in_progress'), set(3)],
      statuses(2, 100, 'inactive', 'success', 'in_progress'),
    );
    await report(live);
    expect(bodies()).toEqual([
      {
        ...{ state: 'success', description: 'Deploying', log_url: live.logUrl, environment_url: live.url },
        auto_inactive: false,
      },
      { state: 'inactive', auto_inactive: false },
    ]);
  });

  it('ends what was left in progress, and what has crashed', async () => {
    api.expect(
      answer(list, [ours(3, 12), ours(2, 11), ours(1, 10)]),
      statuses(3, 1, 'success'),
      ...[statuses(2, 100, 'in_progress'), set(2)],
      ...[statuses(1, 100, 'failure', 'success'), set(1)],
    );
    await report(live);
  });

  it('is not ended by an older one that succeeds late', async () => {
    api.expect(answer(list, [ours(6, 13), ours(5, 12)]), statuses(5, 1, 'success'));
    await report(live);
  });

  it('becomes inactive with the removal, which has none of its own', async () => {
    api.expect(answer(list, [ours(5, 12)]), statuses(5, 100, 'success'), set(5));
    await report(removal);
    expect(bodies()).toEqual([{ state: 'inactive', auto_inactive: false }]);
  });

  it('is not made for an entry that was superseded before it had one', async () => {
    api.expect(answer(list, []));
    await report({ ...running, state: 'inactive' });
  });
});

describe('a token that may not see or make deployments', () => {
  const notFound = { status: 404, body: '{"message":"Not Found"}' };
  const forbidden = { status: 403, body: '{"message":"Resource not accessible by personal access token"}' };

  it.each([
    ['404', notFound],
    ['403', forbidden],
  ])('makes none, without an error: %s', async (_status, refused) => {
    api.expect({ request: list, ...refused });
    await report(live);
    api.expect(answer(list, []), { request: `POST ${deployments}`, ...refused });
    await report(live);
  });
});

describe('a report of a deployment that fails', () => {
  it.each([
    ['429', { status: 429, headers: { 'retry-after': '7' } }, { retry: true, retryAfter: 7 }],
    ['403 with Retry-After', { status: 403, headers: { 'retry-after': '9' } }, { retry: true, retryAfter: 9 }],
    ['500', { status: 500 }, { retry: true }],
    ['503', { status: 503 }, { retry: true }],
    ['409', { status: 409 }, { retry: false }],
    ['422', { status: 422 }, { retry: false }],
  ])('says whether another try can help: %s', async (_what, refused, expected) => {
    api.expect(answer(list, []), { request: `POST ${deployments}`, body: '{}', ...refused });
    await expect(report(running)).rejects.toMatchObject({ code: 'request:failed', ...expected });
  });

  it('is tried again when the host does not answer, or not as documented', async () => {
    api.expect({ request: list, answer: () => {} });
    await expect(report(running, 150)).rejects.toMatchObject({ retry: true });
    api.expect({ request: list, body: '<html>' });
    await expect(report(running)).rejects.toMatchObject({ retry: true });
  });

  it('finds the deployment again that it made before it failed', async () => {
    api.expect(answer(list, []), answer(`POST ${deployments}`, listed(1, {}), 201), statuses(1, 1));
    api.expect({ request: `POST ${deployments}/1/statuses`, status: 502 });
    await expect(report(running)).rejects.toMatchObject({ retry: true });
    api.expect(answer(list, [ours(1, 12)]), statuses(1, 1), set(1));
    await report(running);
  });
});
