import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { ci } from '../../../../../functions/adapters/senders/ci/ci.ts';
import { after, call, fixture, recognise } from '../../../../support/senders/sender-call.ts';

const sent = { commit: after, branch: 'main', repository: 'octo-org/hello-deploy', state: 'success' };
const read = (fields: Readonly<Record<string, unknown>>) => ci.read(call({ ...sent, ...fields }))[0];

describe('the call of any CI', () => {
  it('is read with its repository, of a host by its address, or of whichever has pushed', () => {
    const passed = { sha: after, branch: 'main', outcome: 'passed', pullRequest: false, check: 'CI' };
    const [address] = ci.read(fixture('ci/address'));
    expect(address).toMatchObject({ ...passed, hostKind: 'github', repository: { hostname: 'github.com' } });
    const repository = { hostname: null, owner: 'octo-org', name: 'hello-deploy' };
    expect(read({})).toMatchObject({ ...passed, hostKind: 'any', repository });
  });

  it.each([
    ['success', 'passed'],
    ['PASSED', 'passed'],
    ['succeeded', 'passed'],
    ['Failure', 'failed'],
    ['error', 'failed'],
    ['cancelled', 'failed'],
    ['pending', 'pending'],
    ['in_progress', 'pending'],
    ['skipped', 'neutral'],
  ])('in the state %s has the outcome %s', (state, outcome) => {
    expect(read({ state })).toMatchObject({ state: state.toLowerCase(), outcome });
  });

  it('is no repetition of an earlier one, and has the order of the numbers of its builds', () => {
    expect(read({})).toMatchObject({ id: null });
    for (const build of [7, '7']) expect(read({ build })).toMatchObject({ run: 7 });
    for (const unset of [undefined, null, '']) expect(read({ build: unset })).not.toHaveProperty('run');
  });

  it.each([
    [{ build: 'v7' }, 'build is not of the expected type (number)'],
    [{ build: 7.5 }, 'build is not a whole number'],
    [{ state: 'green' }, 'state is none of success, successful, succeeded, passed, ok, failure'],
    [{ state: true }, 'state is not of the expected type (string)'],
    [{ commit: 'abcdef0' }, 'commit is not a commit of 40 or 64 hex digits'],
    [{ branch: 'a..b' }, 'branch is not a name that git allows'],
    [{ repository: 'hello' }, 'repository is neither the address of a repository nor <owner>/<name>'],
  ])('is refused with the reason for %j', (fields, reason) => {
    expect(() => read(fields)).toThrow(reason);
  });

  it('is what a shell makes of the settings', () => {
    const values = { plainUrl: 'https://deploy.example.com/1/deploy', user: 'ann', secret: '<token>' };
    const guide = ci.setup?.({ ...values, url: '', authorization: '', repository: 'ann/shop' });
    const script = guide?.lines?.replace(/\| curl.*/, '') ?? '';
    const env = { PATH: process.env.PATH, COMMIT: after, BRANCH: 'main', STATE: 'failure', BUILD: '7' };
    const hook = call(JSON.parse(execFileSync('sh', ['-c', script], { env, encoding: 'utf8' })));
    const repository = { owner: 'ann', name: 'shop' };
    expect(recognise(hook).read(hook)).toMatchObject([
      { provider: 'ci', repository, sha: after, branch: 'main', outcome: 'failed', run: 7 },
    ]);
  });
});
