import { tmpdir } from 'node:os';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { Machine } from '../../../../functions/api/shapes/applications.ts';
import { machineOf } from '../../../../lib/files/machine.ts';

it('a machine has memory and disk, of each of which a part is free', async () => {
  const machine = v.parse(Machine, await machineOf(tmpdir()));
  for (const { total, free } of [machine.memory, machine.disk]) {
    expect(free).toBeGreaterThan(0);
    expect(free).toBeLessThan(total);
  }
});
