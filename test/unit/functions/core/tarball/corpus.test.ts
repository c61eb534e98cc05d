import { describe, expect, it } from 'vitest';
import { archiveCorpus } from '../../../../support/archive-corpus.ts';
import { verdict } from '../../../../support/archives.ts';

describe('the inspection of the archives that both sides know', () => {
  it.each(archiveCorpus)('a tarball with %s', async (_what, bytes, expected) => {
    expect(await verdict(bytes)).toBe(expected);
  });
});
