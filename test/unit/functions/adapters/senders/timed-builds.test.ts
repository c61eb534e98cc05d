import { describe, expect, it } from 'vitest';
import { senders } from '../../../../../functions/adapters/senders/registry.ts';
import { buildDeployable } from '../../../../../functions/core/payload/branch.ts';
import { fixture, fixtures, recognise } from '../../../../support/senders/sender-call.ts';

/** Builds that passed, of commits of `main`, started by a timer. */
const timed = [
  'circleci/scheduled',
  'circleci/scheduled-oauth',
  'forgejo-actions/schedule',
  'gitea-actions/schedule',
  'github-actions/schedule',
  'gitlab-ci/schedule',
  'travis/cron',
];

/** Providers whose calls do not say what started a build. */
const unknown = ['bitbucket-pipelines', 'github-checks', 'github-status', 'ci'];

describe('a build that a timer started', () => {
  for (const name of timed) {
    it(`is neutral and says so: ${name}`, () => {
      const hook = fixture(name);
      const [build] = recognise(hook).read(hook);
      expect(build).toMatchObject({ kind: 'build', outcome: 'neutral', pullRequest: false });
      if (build?.kind !== 'build') throw new Error('not a build');
      expect(buildDeployable(build, 'main')).toEqual({
        deploy: false,
        reason: 'The build says nothing about the commit: started by a timer.',
      });
    });
  }

  it('has a fixture for every sender of builds whose calls name it', () => {
    const covered = new Set([...timed.map((name) => name.split('/')[0]), ...unknown]);
    const builders = senders.filter(({ sends }) => sends === 'builds');
    expect(builders.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([]);
    expect(fixtures().flatMap(({ names }) => names)).toEqual(expect.arrayContaining(timed));
  });
});
