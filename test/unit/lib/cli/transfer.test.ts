import { describe, expect, it } from 'vitest';
import { cliAt, ok } from '../../../support/cli-service.ts';

describe('transfer', () => {
  it('gives an application to a repository, whose owner may be a group in a group, and says what is left to do', async () => {
    const answer = { repository: { host: 'gitlab', owner: 'ann/tools', name: 'shop', path: 'web' }, next: 'Push.' };
    const { code, out, err, calls } = await cliAt('transfer shop gitlab/ann/tools/shop --path web', [ok(answer)]);
    expect([code, out, err, calls]).toEqual([0, '', 'Push.\n', ['POST /1/apps/kiwi/shop/transfer']]);
  });

  it('needs host, owner and name', async () => {
    for (const repository of ['ann/shop', 'shop', 'github//']) {
      const { code, err } = await cliAt(`transfer shop ${repository}`, []);
      expect([code, err]).toEqual([2, expect.stringContaining('<host>/<owner>/<name>')]);
    }
  });
});
