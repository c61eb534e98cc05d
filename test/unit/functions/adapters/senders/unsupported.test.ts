import { describe, expect, it } from 'vitest';
import { unsupported } from '../../../../../functions/adapters/senders/unsupported.ts';
import { after, call, fixture, fixtures, recognise } from '../../../../support/senders/sender-call.ts';

const calls: readonly [fixture: string, service: string][] = [
  ['azure-devops-push', 'Azure DevOps'],
  ['azure-devops-build', 'Azure DevOps'],
  ['gogs-push', 'Gogs'],
  ['gitee-push', 'Gitee'],
  ['gitee-push-without-headers', 'Gitee'],
  ['coding-push', 'Coding.net'],
  ['coding-push-without-headers', 'Coding.net'],
  ['harness-push', 'Harness'],
  ['harness-push-without-headers', 'Harness'],
  ['bitbucket-data-center-push', 'Bitbucket Data Center'],
  ['bitbucket-data-center-push-without-headers', 'Bitbucket Data Center'],
  ['bitbucket-data-center-test', 'Bitbucket Data Center'],
];

describe('a call of a known service that is not supported', () => {
  for (const [name, service] of calls) {
    it(`is refused with the name of the service: ${name}`, () => {
      const hook = fixture(`../unsupported/${name}`);
      expect(() => recognise(hook).read(hook)).toThrow(
        expect.objectContaining({
          code: 'deploy:provider:not_supported',
          status: 400,
          detail: expect.stringContaining(`This is a call of ${service}, which is not supported.`),
        }),
      );
    });
  }

  it('is refused with the header that tells it', () => {
    for (const [name, header] of [
      ['coding', 'X-Coding-Event'],
      // It has that of GitHub as well.
      ['gogs', 'X-Gogs-Event'],
    ]) {
      const hook = fixture(`../unsupported/${name}-push`);
      expect(() => recognise(hook)).toThrow(
        expect.objectContaining({ detail: expect.stringContaining(`It has the header ${header}.`) }),
      );
    }
  });

  it.each([
    ['Buildkite', { 'x-buildkite-event': 'build.finished' }, {}],
    ['Buildkite', {}, { event: 'build.finished', build: { commit: after }, pipeline: { repository: 'x' } }],
    ['Drone or Woodpecker', { 'x-drone-event': 'build' }, {}],
    ['Drone or Woodpecker', {}, { repo: { name: 'shop' }, build: { number: 57, status: 'success' } }],
    ['Drone or Woodpecker', {}, { Build: { Number: 57 }, Repo: { Slug: 'ann/shop' }, Commit: { SHA: after } }],
    ['Jenkins', {}, { name: 'shop', build: { phase: 'FINALIZED', number: 57 } }],
    ['AppVeyor', {}, { eventName: 'build_success', eventData: { commitId: after.slice(0, 10) } }],
  ])('of builds is told the one line that calls instead: %s', (service, headers, body) => {
    const detail = expect.stringMatching(
      `This is a call of ${service}, which is not supported\\..* "hooks hook ci <owner>/<repository>" prints it\\.$`,
    );
    expect(() => recognise(call(body, headers))).toThrow(expect.objectContaining({ status: 400, detail }));
  });

  it('is covered for each service', () => {
    const ofBuilds = ['Buildkite', 'Drone or Woodpecker', 'Jenkins', 'AppVeyor'];
    expect(new Set([...calls.map(([, service]) => service), ...ofBuilds])).toEqual(
      new Set(unsupported.map(({ name }) => name)),
    );
  });

  it('is not taken for one when it has the header of a sender', () => {
    const { body } = fixture('../unsupported/gitee-push');
    expect(recognise(call(body, { 'x-github-event': 'push' })).name).toBe('GitHub');
    for (const { names } of fixtures()) for (const name of names) expect(() => recognise(fixture(name))).not.toThrow();
  });
});
