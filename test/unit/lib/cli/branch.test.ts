import { describe, expect, it } from 'vitest';
import { cliAt, ok, problem } from '../../../support/cli-service.ts';

describe('branch', () => {
  it('shows the branch that an application follows', async () => {
    const { code, out, calls } = await cliAt('branch shop', [ok({ branch: 'main' })]);
    expect([code, out, calls]).toEqual([0, 'main\n', ['GET /1/apps/kiwi/shop/settings']]);
    expect((await cliAt('branch shop --json', [ok({ branch: 'main' })])).out).toBe('{"branch":"main"}\n');
  });

  it('says that an application follows none yet', async () => {
    const { code, out, err } = await cliAt('branch shop', [ok({ branch: null })]);
    expect([code, out, err]).toEqual([0, '', 'shop follows no branch before its first push.\n']);
  });

  it('has it follow another one, and says what is deployed next', async () => {
    const next = 'Nothing is deployed by that: the next push of staging is.';
    const { code, out, err, calls } = await cliAt('branch shop staging', [ok({ branch: 'staging', next })]);
    expect([code, out, err, calls]).toEqual([0, 'staging\n', `${next}\n`, ['PATCH /1/apps/kiwi/shop/settings']]);
  });

  it('says why it is refused', async () => {
    const refused = problem(400, 'request:bad_parameter', 'ann/shop has no branch stagign.');
    const { code, out, err } = await cliAt('branch shop stagign', [refused]);
    expect([code, out, err]).toEqual([1, '', expect.stringContaining('ann/shop has no branch stagign.')]);
  });
});
