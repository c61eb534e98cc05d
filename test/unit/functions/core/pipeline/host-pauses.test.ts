import { expect, it } from 'vitest';
import { DeployError } from '../../../../../functions/core/errors.ts';
import { hostPauses } from '../../../../../functions/core/pipeline/host-pauses.ts';
import type { StageWork } from '../../../../../functions/core/pipeline/stage-work.ts';
import { memoryClock } from '../../../../fakes/clock.ts';
import { memoryLog } from '../../../../fakes/deploy-log.ts';
import { AT, append, SECOND } from '../../../../support/entries.ts';

it('a host that asks for a pause is asked once, however many entries of the user wait for it', async () => {
  const [clock, log] = [memoryClock(AT), memoryLog()];
  let asked = 0;
  const limited: StageWork = async () => {
    asked += 1;
    const error = new DeployError('deploy:repohost:no_pkg_json', 'Slow down.', { retry: true, retryAfter: 40 });
    return { kind: 'failed', error };
  };
  const work = hostPauses(clock)(limited);
  const entries = [await append(log), await append(log), await append(log)];
  for (const entry of entries) expect(await work(entry)).toMatchObject({ kind: 'failed', error: { retryAfter: 40 } });
  expect(asked).toBe(1);
  await work(await append(log, { user: 'bob' }));
  expect(asked).toBe(2);
  clock.pass(40 * SECOND);
  for (const entry of entries) await work(entry);
  expect(asked).toBe(3);
});
