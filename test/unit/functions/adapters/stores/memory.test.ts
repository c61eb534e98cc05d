import { expect, it } from 'vitest';
import { memoryFailures } from '../../../../../functions/adapters/stores/memory/failure-memory.ts';
import { memoryRefusedCalls } from '../../../../../functions/adapters/stores/memory/refused-calls.ts';
import { memoryLeases } from '../../../../../functions/adapters/stores/memory/stream-leases.ts';
import { failureMemoryContract } from '../../../../contracts/failure-memory.ts';
import { refusedCallsContract } from '../../../../contracts/refused-calls.ts';
import { streamLeasesContract } from '../../../../contracts/stream-leases.ts';
import { memoryClock } from '../../../../fakes/clock.ts';

failureMemoryContract('The memory of one process', memoryFailures);
refusedCallsContract('The memory of one process', memoryRefusedCalls);
streamLeasesContract('The memory of one process', memoryLeases);

it('remembers wrong passwords in bounded memory, and the attacker longest', async () => {
  const memory = memoryFailures(memoryClock());
  const attacked = { user: 'ann', address: '192.0.2.1' };
  await memory.add({ user: 'first', address: '192.0.2.2' });
  for (let user = 0; user < 50_000; user += 1) await memory.add({ user: `user-${user}`, address: attacked.address });
  expect(await memory.read({ user: 'first', address: '192.0.2.2' })).toMatchObject({ here: 0, ofAddress: 0 });
  expect((await memory.read(attacked)).ofAddress).toBe(50_000);
});
