import { describe, expect, it } from 'vitest';
import { ciChoiceOf, hookOptionsOf } from '../../../../functions/api-deploy/hook-options.ts';
import { build, notice, pull, push } from '../../../support/senders/deliveries.ts';

const skip = { deploy: false, ci: true, words: '[skip ci]' };

describe("a hook's address", () => {
  it('selects the configured branch and no CI choice by default', () => {
    expect(hookOptionsOf({}, 'main')).toEqual({ branch: 'main', ci: null });
    expect(hookOptionsOf({ branch: 'refs/heads/work', ci: 'wait' }, 'main')).toEqual({ branch: 'work', ci: 'wait' });
    expect(hookOptionsOf({ ci: 'ignore' }, 'main').ci).toBe('ignore');
  });

  it.each([
    ['packages/web', 'packages/web'],
    ['./packages//web/', 'packages/web'],
    ['a/./b', 'a/b'],
    ['Über uns', 'Über uns'],
    ['..a/b..', '..a/b..'],
  ])('names the folder of the application: path=%s', (path, folder) => {
    expect(hookOptionsOf({ path }, 'main')).toEqual({ branch: 'main', path: folder, ci: null });
  });

  it.each(['', '.', './', './/'])('means the root of the repository with path=%s', (path) => {
    expect(hookOptionsOf({ path }, 'main')).toEqual({ branch: 'main', ci: null });
  });

  it.each(['/', '/etc', '..', 'a/../b', 'a/..', 'a\\b', 'a\nb', 'a\u0000', '\ud800', 'x'.repeat(251)])(
    'cannot have path=%j, which is no folder in the repository',
    (path) => {
      const refused = { code: 'request:bad_parameter', detail: expect.stringContaining('The parameter path must be') };
      expect(() => hookOptionsOf({ path }, 'main')).toThrow(expect.objectContaining(refused));
    },
  );

  it.each([
    ['staging', 'staging'],
    ['Staging', 'staging'],
    ['2', '2'],
    ['eu-west-1', 'eu-west-1'],
    ['pr', 'pr'],
    ['pr-7-eu', 'pr-7-eu'],
    ['x'.repeat(40), 'x'.repeat(40)],
  ])('names the environment of the application: environment=%s', (environment, name) => {
    expect(hookOptionsOf({ environment }, 'main')).toEqual({ branch: 'main', environment: name, ci: null });
  });

  it.each(['', '-', '-a', 'a-', 'a--b', 'a_b', 'a b', 'a.b', 'a/b', '~', 'ä', 'pr-7', 'PR-12', 'x'.repeat(41)])(
    'cannot have environment=%j',
    (environment) => {
      const detail = expect.stringContaining('The parameter environment must be a word');
      const refused = { code: 'request:bad_parameter', detail };
      expect(() => hookOptionsOf({ environment }, 'main')).toThrow(expect.objectContaining(refused));
    },
  );

  it('cannot ask for previews of an environment', () => {
    const detail = expect.stringContaining('An environment has no previews');
    const query = { environment: 'staging', previews: 'true' };
    const refused = { code: 'request:bad_parameter', detail };
    expect(() => hookOptionsOf(query, 'main')).toThrow(expect.objectContaining(refused));
  });

  it.each(['', 'false', 'TRUE', '1', 'CI', 'wait'])('cannot have previews=%s', (previews) => {
    expect(hookOptionsOf({ previews: 'true' }, 'main')).toEqual({ branch: 'main', ci: null });
    expect(hookOptionsOf({ previews: 'ci' }, 'main')).toEqual({ branch: 'main', ci: null, previewCi: true });
    const refused = { code: 'request:bad_parameter', detail: 'The parameter previews must be one of true, ci.' };
    expect(() => hookOptionsOf({ previews }, 'main')).toThrow(expect.objectContaining(refused));
  });

  it('goes on with comment=true, which former addresses have', () => {
    expect(hookOptionsOf({ previews: 'true', comment: 'true' }, 'main')).toEqual({ branch: 'main', ci: null });
  });

  it.each(['', 'auto', 'WAIT', 'true'])('cannot have ci=%s', (ci) => {
    const refused = { code: 'request:bad_parameter', detail: 'The parameter ci must be one of wait, ignore.' };
    expect(() => hookOptionsOf({ ci }, 'main')).toThrow(expect.objectContaining(refused));
  });
});

describe('waiting for CI', () => {
  it('is decided by the repository when neither hook nor commit does', () => {
    expect(ciChoiceOf(push(), { branch: 'master', ci: null })).toBeUndefined();
  });

  it('is decided by the address', () => {
    expect(ciChoiceOf(push(), { branch: 'master', ci: 'wait' })).toMatchObject({ waits: true });
    expect(ciChoiceOf(push(), { branch: 'master', ci: 'ignore' })).toMatchObject({ waits: false });
  });

  it('is not for a commit that CI leaves out, even if the address says wait', () => {
    const choice = { waits: false, because: "The commit's message says [skip ci]" };
    expect(ciChoiceOf(push({ skip }), { branch: 'master', ci: null })).toEqual(choice);
    const hook = ciChoiceOf(push(), { branch: 'master', ci: 'wait' });
    expect(ciChoiceOf(push({ skip }), { branch: 'master', ci: 'wait' })).toEqual({ ...choice, hook });
    expect(ciChoiceOf(push({ skip }), { branch: 'master', ci: 'ignore' })).toMatchObject({ from: 'hook' });
  });

  it.each(['wait', 'ignore', null] as const)('is for a preview what previews= says, whatever ci=%s says', (ci) => {
    const waits = { waits: true, because: "the hook's address says previews=ci", from: 'hook' };
    const not = { waits: false, because: 'A preview waits for no CI', from: 'hook' };
    expect(ciChoiceOf(pull(), { branch: 'master', ci, previewCi: true })).toEqual(waits);
    expect(ciChoiceOf(pull(), { branch: 'master', ci })).toEqual(not);
    expect(ciChoiceOf(pull({ fromFork: true }), { branch: 'master', ci, previewCi: true })).toEqual(not);
  });

  it.each([build(), notice()])('is no question of a build or a ping', (delivery) => {
    expect(ciChoiceOf(delivery, { branch: 'master', ci: 'wait' })).toBeUndefined();
  });
});
