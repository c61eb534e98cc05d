import { expect, it } from 'vitest';
import { senders } from '../../../../../functions/adapters/senders/registry.ts';
import { fixture, passedBuild, recognise } from '../../../../support/senders/sender-call.ts';

const id = (last: number) => `0d5a1c2e-0000-11ee-8000-000000000${last}`;
const run = Date.parse('2024-01-10T09:12:30Z');
const github = 'https://github.com/octo-org/hello-deploy';
const gitea = 'https://git.example.org/octo-org/hello-deploy';
const forgejo = 'https://codeberg.org/octo-org/hello-deploy';
const gitlab = 'https://gitlab.com/octo-group/tools/hello-deploy';
const bitbucket = 'https://bitbucket.org/octo-team/hello-deploy';
const forgejoBuild = { id: expect.stringMatching(/^run-[\da-f]{32}$/), check: 'tests.yml', run };
const travisBuild = { id: '240100200:passed:2024-01-10T09:12:30Z', check: 'Travis CI', run, state: 'Passed' };

/** With the address of the repository, and what the build says otherwise than others. */
const rows: readonly [name: string, hostKind: string, repository: string, build: object][] = [
  ['github-actions/success', 'github', github, { id: id(600), check: 'Tests', checkId: '88', run: 570_001 }],
  ['github-checks/success', 'github', github, { id: id(620), check: 'Some CI', checkId: 'some-ci', run }],
  ['github-status/success', 'github', github, { id: id(640), check: 'ci/example', run: 6600 }],
  ['gitlab-ci/success', 'gitlab', gitlab, { id: id(220), check: 'Pipeline of a push', run }],
  [
    'gitea-actions/success',
    'gitea',
    gitea,
    { id: id(700), check: 'Tests', checkId: 'tests.yml', run: 570_000, author: null },
  ],
  ['forgejo-actions/success', 'gitea', forgejo, forgejoBuild],
  [
    'bitbucket-pipelines/successful',
    'bitbucket',
    bitbucket,
    { id: id(420), check: 'build-57', run, state: 'SUCCESSFUL', author: null },
  ],
  [
    'circleci/success',
    'github',
    github,
    { id: id(710), check: 'build-and-test', checkId: '0d5a1c2e-0000-11ee-8000-000000000703/build-and-test', run },
  ],
  ['travis/passed', 'github', github, travisBuild],
];

it.each(rows)('%s is read as a passed build of its commit and branch', (name, hostKind, url, build) => {
  const said = { ...passedBuild, provider: name.split('/')[0], hostKind, state: 'success', ...build };
  const repository = expect.objectContaining({ url, name: 'hello-deploy' });
  expect(recognise(fixture(name)).read(fixture(name))).toEqual([{ ...said, repository }]);
});

it('There is a passed build of each sender of builds, but for any CI, whose own test reads it', () => {
  const ids = senders.filter(({ sends }) => sends === 'builds').map(({ id }) => id);
  expect([...rows.map(([name]) => name.split('/')[0]), 'ci'].sort()).toEqual(ids.sort());
});
