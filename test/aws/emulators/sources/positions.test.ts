import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPositions } from '../../../aws-local/sources/streams/positions.ts';

describe('The positions of stream readers', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'positions-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('are kept for the next start', () => {
    const file = join(folder, 'positions.json');
    const positions = openPositions(file);
    positions.set('shard', '7');
    positions.close();
    expect(openPositions(file).get('shard')).toBe('7');
  });

  it('that cannot be written do not end the process, and are written as soon as they can be', async () => {
    // A file in the place of the folder fails each write, as a full disk does.
    const place = join(folder, 'place');
    writeFileSync(place, '');
    const positions = openPositions(join(place, 'positions.json'));
    positions.set('shard', '7');
    // Longer than the pause before a write: its failure in a timer would fail this run.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    rmSync(place);
    const written = () => readFileSync(join(place, 'positions.json'), 'utf8');
    await expect.poll(() => written().includes('"shard": "7"')).toBe(true);
    positions.close();
  });

  it('that cannot be written at the end do not prevent it', () => {
    const place = join(folder, 'place');
    writeFileSync(place, '');
    const positions = openPositions(join(place, 'positions.json'));
    positions.set('shard', '7');
    positions.close();
  });
});
