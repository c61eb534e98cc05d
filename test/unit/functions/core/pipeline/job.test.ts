import { describe, expect, it } from 'vitest';
import { jobOf } from '../../../../../functions/core/pipeline/job.ts';
import { entry } from '../../../../support/entries.ts';

const at = (owner: string, name: string) =>
  entry({ repository: { host: 'github', url: 'https://github.com/ann/shop', private: false, owner, name } });

describe('the message for a stage', () => {
  it('names the entry and its stage, and nothing else of it', () => {
    expect(jobOf(entry())).toEqual({ user: 'ann', number: 1, stage: 'check', group: 'ann/ann/shop' });
  });

  it('keeps a repository in order, whichever case its host and its CI write it in', () => {
    expect(jobOf(at('Ann', 'Shop')).group).toBe(jobOf(at('ann', 'shop')).group);
    expect(jobOf(at('ann', 'shop-2')).group).not.toBe(jobOf(at('ann', 'shop')).group);
  });

  it.each(['fetch', 'upload', 'extract'] as const)('for "%s" is in the way of no other deploy', (stage) => {
    expect(jobOf(entry({ stage })).group).not.toBe(jobOf(entry({ stage, number: 2 })).group);
  });

  it('keeps the starts of an application in order, from whatever repository or branch', () => {
    const groups = [{ branch: 'main' }, { repository: null }, { appName: '@ann/shop' }, { appName: 'cart' }].map(
      (patch) => jobOf(entry({ appName: 'ann-shop', stage: 'start', ...patch })).group,
    );
    expect(groups).toEqual(['ann/ann-shop', 'ann/ann-shop', 'ann/ann-shop', 'ann/cart']);
  });

  it('keeps in order what has no repository by its user', () => {
    expect(jobOf(entry({ repository: null })).group).toBe('ann');
  });
});
