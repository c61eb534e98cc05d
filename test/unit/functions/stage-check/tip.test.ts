import { describe, expect, it } from 'vitest';
import { TIP_ROWS, tipRow, type Whereabouts } from '../../../../functions/stage-check/tip.ts';

const hosts = ['tip', 'history', 'gone'] as const;
const told = ['this', 'tip', 'another'] as const;
const all: readonly Whereabouts[] = hosts.flatMap((host) =>
  told.flatMap((one) =>
    [true, false].flatMap((isComplete) =>
      (host === 'gone' ? [true, false] : [false]).map((isAfterTip) => ({ host, told: one, isComplete, isAfterTip })),
    ),
  ),
);

/** What each row does: at once, or after the host was asked again while a call is fresh. */
const expected: Readonly<Record<string, readonly [outcome: string, unless?: string]>> = {
  'the tip, as the last call says': ['deploy'],
  'the tip, from which a newer call has moved the branch': ['deploy', 'newest'],
  'before a tip from which its own call has moved back': ['deploy', 'own'],
  'before the tip of the last call': ['deploy'],
  'before another tip than that of the last call': ['deploy', 'own'],
  'gone, as the last of all calls says': ['superseded'],
  'gone, as the last call says': ['superseded', 'own'],
  'not there yet, at a host that has what was there before': ['superseded', 'announced'],
  'gone, as no call says yet': ['superseded', 'own'],
};

describe('where a commit is decides', () => {
  it.each(TIP_ROWS.map((row) => [row.title, row] as const))('for a commit that is %s', (title, row) => {
    const [outcome, unless] = expected[title] ?? [];
    const decided = all.filter((where) => tipRow(where).title === title);
    expect(decided).not.toEqual([]);
    for (const where of decided) {
      expect(where.host).toBe(row.host);
      expect(tipRow(where)).toMatchObject({ outcome, ...(unless !== undefined && { unless }) });
      expect('unless' in tipRow(where)).toBe(unless !== undefined);
    }
  });

  it('in every case, and never deploys what is gone, nor ends what is on the branch', () => {
    for (const where of all) expect(tipRow(where).outcome).toBe(where.host === 'gone' ? 'superseded' : 'deploy');
  });
});
