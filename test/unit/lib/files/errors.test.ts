import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ABORTED, MISSING, unless } from '../../../../lib/files/errors.ts';
import { newFolder } from '../../../support/new-folder.ts';

describe('an error that is expected', () => {
  it('is undefined in place of what is read: no such file, or a file where a folder should be', async () => {
    expect(await unless(MISSING, readFile('/nowhere/at/all'))).toBeUndefined();
    expect(await unless(MISSING, readFile('/dev/null/below'))).toBeUndefined();
    expect(await unless(MISSING, readFile('/dev/null', 'utf8'))).toBe('');
  });

  it('is the end of a pause by its signal', async () => {
    expect(await unless(ABORTED, setTimeout(60_000, undefined, { signal: AbortSignal.abort() }))).toBeUndefined();
  });

  it('hides no other one: what cannot be read is not absent', async () => {
    await expect(unless(MISSING, readFile(newFolder('unreadable')))).rejects.toMatchObject({ code: 'EISDIR' });
    await expect(unless(MISSING, Promise.reject(new Error('no code')))).rejects.toThrow('no code');
  });
});
