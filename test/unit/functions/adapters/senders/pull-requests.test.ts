import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { bitbucket } from '../../../../../functions/adapters/senders/bitbucket/bitbucket.ts';
import { forgejo } from '../../../../../functions/adapters/senders/gitea/forgejo.ts';
import { gitea } from '../../../../../functions/adapters/senders/gitea/gitea.ts';
import { github } from '../../../../../functions/adapters/senders/github/github.ts';
import { gitlab } from '../../../../../functions/adapters/senders/gitlab/gitlab.ts';
import type { HookCall } from '../../../../../functions/core/ports/sender.ts';
import { sha } from '../../../../support/entries.ts';
import {
  bitbucketPullRequest,
  giteaPullRequest,
  githubPullRequest,
  gitlabMergeRequest,
} from '../../../../support/senders/pull-requests.ts';
import { call, fixture, repositoryAt } from '../../../../support/senders/sender-call.ts';

const commit = { host: 'memory', owner: 'ann', name: 'shop', sha: sha('a') };
const opened = { action: 'opened', number: 7, commit };
const read = (said: HookCall) => github.read(said)[0];

/** Pull requests of GitHub.com, published by its users at https://github.com/octokit/webhooks. */
function published(): readonly Readonly<Record<string, unknown>>[] {
  const file = createRequire(import.meta.url).resolve('@octokit/webhooks-examples/api.github.com/index.json');
  const events: { name: string; examples: Record<string, unknown>[] }[] = JSON.parse(readFileSync(file, 'utf8'));
  return events.find(({ name }) => name === 'pull_request')?.examples ?? [];
}

describe('a pull request', () => {
  it('is read with its number, head commit, branch, title and author', () => {
    const delivery = 'delivery-1';
    expect(read(githubPullRequest({ ...opened, delivery }))).toEqual({
      kind: 'pull',
      provider: 'github',
      hostKind: 'github',
      id: delivery,
      repository: {
        ...{ hostname: 'memory.example.com', owner: 'ann', name: 'shop', id: '186853002', private: false },
        url: 'https://memory.example.com/ann/shop',
      },
      ...{ number: 7, closed: false, draft: false, fromFork: false },
      ...{ branch: 'changes', sha: sha('a'), before: null, title: 'Blue', author: 'octocat' },
    });
    expect(gitea.read(giteaPullRequest(opened))).toMatchObject([{ kind: 'pull', provider: 'gitea', number: 7 }]);
  });

  it.each(published().map((example) => [String(example.action), example] as const))(
    'of GitHub.com that was %s is read, or is a notice',
    (action, example) => {
      const said = read({ ...call(example, { 'x-github-event': 'pull_request' }), query: { previews: 'true' } });
      const moves = ['opened', 'reopened', 'synchronize', 'ready_for_review', 'closed'].includes(action);
      expect(said).toMatchObject(
        moves
          ? { kind: 'pull', closed: action === 'closed', fromFork: false, author: 'Codertocat' }
          : { kind: 'notice' },
      );
    },
  );

  it('is a notice when the webhook does not ask for previews', () => {
    const reason = 'The event pull_request deploys nothing; the service acts on pushes and CI results.';
    expect(read({ ...githubPullRequest(opened), query: {} })).toMatchObject({ kind: 'notice', reason });
    expect(gitea.read({ ...giteaPullRequest(opened), query: {} })).toMatchObject([{ kind: 'notice' }]);
    expect(gitlab.read({ ...gitlabMergeRequest(opened), query: {} })).toMatchObject([
      { kind: 'notice', reason: expect.stringContaining('The event merge_request of GitLab deploys nothing') },
    ]);
    expect(bitbucket.read({ ...bitbucketPullRequest(opened), query: {} })).toMatchObject([
      { kind: 'notice', reason: expect.stringContaining('The event pullrequest:created of Bitbucket deploys nothing') },
    ]);
  });

  it('has the commit before when it was pushed to, where the host sends that', () => {
    const before = { ...commit, sha: sha('b') };
    expect(read(githubPullRequest({ ...opened, action: 'synchronize', before }))).toMatchObject({ before: sha('b') });
    expect(gitea.read(giteaPullRequest({ ...opened, action: 'synchronized' }))).toMatchObject([{ before: null }]);
  });

  it('is of a fork when its commits are of another repository, or of one that was deleted', () => {
    expect(read(githubPullRequest({ ...opened, fromFork: true }))).toMatchObject({ fromFork: true });
    for (const action of ['opened', 'synchronized']) {
      const sent = giteaPullRequest({ ...opened, action, fromFork: true });
      expect(gitea.read(sent)).toMatchObject([{ fromFork: true }]);
      expect(gitea.read(giteaPullRequest({ ...opened, action }))).toMatchObject([{ fromFork: false }]);
    }
    const gone = JSON.parse(JSON.stringify(githubPullRequest(opened).body));
    gone.pull_request.head.repo = null;
    expect(read({ ...githubPullRequest(opened), body: gone })).toMatchObject({ fromFork: true });
  });

  it('of Gitea is a draft by the beginning of its title, and ready when that was edited', () => {
    const draft = giteaPullRequest({ ...opened, draft: true });
    expect(gitea.read(draft)).toMatchObject([{ kind: 'pull', draft: true }]);
    const edited = giteaPullRequest({ ...opened, action: 'edited' });
    expect(gitea.read(edited)).toMatchObject([{ kind: 'notice' }]);
    const body = { ...JSON.parse(JSON.stringify(edited.body)), changes: { title: { from: 'WIP: Blue' } } };
    expect(gitea.read({ ...edited, body })).toMatchObject([{ kind: 'pull', draft: false }]);
  });

  it('of Forgejo is read with its own header, also under the name of the event for new commits', () => {
    const sent = giteaPullRequest({ ...opened, action: 'synchronized' });
    const headers = { 'x-forgejo-event': 'pull_request_sync', 'x-forgejo-delivery': 'd-1' };
    expect(forgejo.read({ ...sent, headers })).toMatchObject([{ kind: 'pull', provider: 'forgejo', id: 'd-1' }]);
  });

  it.each([
    ['no commit', { sha: undefined }, /but pull_request.head.sha is missing/],
    ['a commit that is none', { sha: 'main' }, /but pull_request.head.sha is not a commit/],
    ['a branch that git forbids', { ref: '../x' }, /but pull_request.head.ref is not a name that git allows/],
  ])('with %s is refused, naming the field', (_what, head, problem) => {
    const body = JSON.parse(JSON.stringify(githubPullRequest(opened).body));
    body.pull_request.head = { ...body.pull_request.head, ...head };
    expect(() => read({ ...githubPullRequest(opened), body })).toThrow(problem);
  });
});

/** In the shape of https://docs.gitlab.com/user/project/integrations/webhook_events/#merge-request-events. */
describe('a merge request of GitLab', () => {
  const merge = (
    said: Partial<Parameters<typeof gitlabMergeRequest>[0]>,
    fields: Readonly<Record<string, unknown>> = {},
  ) => {
    const sent = gitlabMergeRequest({ ...opened, ...said });
    const body = JSON.parse(JSON.stringify(sent.body));
    Object.assign(body.object_attributes, fields);
    return gitlab.read({ ...sent, body })[0];
  };
  const before = { ...commit, sha: sha('b') };

  it('is read with its number, head commit, branch, title and author', () => {
    expect(merge({ delivery: 'delivery-1' })).toEqual({
      kind: 'pull',
      provider: 'gitlab',
      hostKind: 'gitlab',
      id: 'delivery-1',
      repository: {
        ...{ hostname: 'memory.example.com', owner: 'ann', name: 'shop', id: '14', private: false },
        url: 'https://memory.example.com/ann/shop',
      },
      ...{ number: 7, closed: false, draft: false, fromFork: false },
      ...{ branch: 'changes', sha: sha('a'), before: null, title: 'Blue', author: 'octocat' },
    });
  });

  it.each([
    ['that is reopened', { action: 'reopen' }, { kind: 'pull', closed: false }],
    ['that is closed', { action: 'close' }, { kind: 'pull', closed: true }],
    ['that is merged', { action: 'merge' }, { kind: 'pull', closed: true }],
    ['that got a commit', { action: 'update', before }, { kind: 'pull', closed: false, before: sha('b') }],
    ['that is made ready', { action: 'ready_for_review' }, { kind: 'pull', draft: false, before: null }],
    ['with another title or label', { action: 'update' }, { kind: 'notice' }],
    ['that is approved', { action: 'approved' }, { kind: 'notice' }],
    ['of a fork', { fromFork: true }, { kind: 'pull', fromFork: true }],
    ['that is a draft', { draft: true }, { kind: 'pull', draft: true }],
  ])('%s', (_what, said, delivery) => {
    expect(merge(said)).toMatchObject(delivery);
  });

  it.each([
    ['is of a fork when that was deleted', { source_project_id: null }, { fromFork: true }],
    ['is a draft at versions that call it so', { draft: undefined, work_in_progress: true }, { draft: true }],
    ['is a notice when its commit is gone', { last_commit: null }, { kind: 'notice' }],
    ['is a notice in a test of the webhook, which has no action', { action: undefined }, { kind: 'notice' }],
  ])('%s', (_what, fields, delivery) => {
    expect(merge({}, fields)).toMatchObject(delivery);
  });

  it.each([
    ['Draft: Blue', 'Blue', 'pull'],
    ['[WIP] Blue', 'Blue', 'pull'],
    ['(Draft) Blue', 'Blue', 'pull'],
    ['Blue', 'Draft: Blue', 'notice'],
    ['Draft: Blue', 'Draft: Red', 'notice'],
    ['Blue', 'Red', 'notice'],
  ])('of an older version says by its title that %s has become %s', (previous, current, kind) => {
    const sent = gitlabMergeRequest({ ...opened, action: 'update' });
    const body = JSON.parse(JSON.stringify(sent.body));
    Object.assign(body.object_attributes, { draft: undefined, work_in_progress: undefined, title: current });
    expect(gitlab.read({ ...sent, body: { ...body, changes: { title: { previous, current } } } })).toMatchObject([
      { kind, ...(kind === 'pull' && { draft: false }) },
    ]);
    expect(merge({}, { draft: undefined, work_in_progress: undefined, title: previous })).toMatchObject({
      draft: previous !== 'Blue',
    });
  });

  it.each([
    ['no commit', { last_commit: undefined }, /but object_attributes.last_commit is missing/],
    ['a commit that is none', { last_commit: { id: 'main' } }, /but object_attributes.last_commit.id is not a commit/],
    ['a branch that git forbids', { source_branch: '../x' }, /but object_attributes.source_branch is not a name/],
  ])('with %s is refused, naming the field', (_what, fields, problem) => {
    expect(() => merge({}, fields)).toThrow(problem);
  });
});

/** In the shape of https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/#Pull-request-events. */
describe('a pull request of Bitbucket', () => {
  const pull = (
    said: Partial<Parameters<typeof bitbucketPullRequest>[0]>,
    fields: Readonly<Record<string, unknown>> = {},
    source: Readonly<Record<string, unknown>> = {},
  ) => {
    const sent = bitbucketPullRequest({ ...opened, ...said });
    const body = JSON.parse(JSON.stringify(sent.body));
    Object.assign(body.pullrequest, fields);
    Object.assign(body.pullrequest.source, source);
    return bitbucket.read({ ...sent, body })[0];
  };
  const ofMallory = { ...commit, owner: 'mallory' };

  it('is read with its number, the 12 digits of its head commit, branch, title and author', () => {
    expect(pull({ delivery: 'delivery-1' })).toEqual({
      kind: 'pull',
      provider: 'bitbucket',
      hostKind: 'bitbucket',
      id: 'delivery-1',
      repository: {
        ...{ hostname: 'memory.example.com', owner: 'ann', name: 'shop', private: false },
        url: 'https://memory.example.com/ann/shop',
      },
      ...{ number: 7, closed: false, draft: false, fromFork: false },
      ...{ branch: 'changes', sha: 'a'.repeat(12), before: null, title: 'Blue', author: 'octocat' },
    });
  });

  it.each([
    ['that is merged', { action: 'merged' }, { kind: 'pull', closed: true }],
    ['that is declined', { action: 'closed' }, { kind: 'pull', closed: true }],
    ['that is updated, perhaps in its title only', { action: 'updated' }, { kind: 'pull', mayRepeat: true }],
    ['that is approved', { action: 'approved' }, { kind: 'notice' }],
    ['that is commented', { action: 'comment_created' }, { kind: 'notice' }],
    ['of a fork', { fromFork: true, commit: ofMallory }, { kind: 'pull', fromFork: true, source: 'mallory/shop' }],
    ['that is a draft', { draft: true }, { kind: 'pull', draft: true }],
  ])('%s', (_what, said, delivery) => {
    expect(pull(said)).toMatchObject(delivery);
  });

  it.each([
    ['is of a fork when that was deleted', { repository: null }, { fromFork: true }],
    ['is not of a fork in other letters', { repository: { full_name: 'Ann/Shop' } }, { fromFork: false }],
    ['has the whole commit if it is sent', { commit: { hash: sha('a') } }, { sha: sha('a') }],
    ['is a notice when its commit is gone', { commit: null }, { kind: 'notice' }],
  ])('%s', (_what, source, delivery) => {
    const read = pull({}, {}, source);
    expect(read).toMatchObject(delivery);
    expect(read).not.toHaveProperty('source');
  });

  it('of bitbucket.org is read as documented', () => {
    const sent = { ...fixture('bitbucket/pull-request'), query: { previews: 'true' } };
    const repository = repositoryAt('bitbucket.org', 'octo-team');
    const said = { number: 7, sha: '1f7e6d5c4b3a', branch: 'port', fromFork: false, author: 'Mona Example' };
    expect(bitbucket.read(sent)).toMatchObject([{ kind: 'pull', repository, ...said }]);
    expect(bitbucket.read({ ...sent, query: {} })).toMatchObject([{ kind: 'notice', repository }]);
  });

  it('is not a draft without the field', () => {
    expect(pull({}, { draft: undefined })).toMatchObject({ kind: 'pull', draft: false });
  });

  it.each([
    ['no commit', { commit: undefined }, /but pullrequest.source.commit is missing/],
    ['a commit that is none', { commit: { hash: 'main' } }, /but pullrequest.source.commit.hash is not a full or/],
    ['a branch that git forbids', { branch: { name: '../x' } }, /but pullrequest.source.branch.name is not a name/],
    ['a fork that has no name', { repository: { full_name: '../x' } }, /source.repository is not of a workspace/],
  ])('with %s is refused, naming the field', (_what, source, problem) => {
    expect(() => pull({}, {}, source)).toThrow(problem);
  });
});
