import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { diskSpace } from '../../../../lib/files/disk-usage.ts';

it('a disk has a size, of which a part is free', async () => {
  const { total, free } = await diskSpace(tmpdir());
  expect(free).toBeGreaterThan(0);
  expect(free).toBeLessThan(total);
});
