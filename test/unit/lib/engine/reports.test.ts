import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DeployError } from '../../../../functions/core/errors.ts';
import type { Job } from '../../../../functions/core/pipeline/job.ts';
import { reports } from '../../../../lib/engine/reports.ts';

const job: Job = { user: 'ann', number: 1 };

describe('the queue of commit statuses', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  const counted = (report: (tries: number) => Promise<void>) => {
    const set: number[] = [];
    const queue = reports({
      report: async ({ number }) => {
        set.push(number);
        await report(set.length);
      },
      trace: () => {},
    });
    return { set, ...queue };
  };

  it('reports an entry that changes during its report once more afterwards', async () => {
    let end: () => void = () => {};
    const { set, report } = counted((tries) =>
      tries === 1 ? new Promise((resolve) => (end = resolve)) : Promise.resolve(),
    );
    for (let times = 1; times <= 3; times += 1) await report(job);
    expect(set).toEqual([1]);
    end();
    await vi.advanceTimersByTimeAsync(0);
    expect(set).toEqual([1, 1]);
  });

  it('tries three times again what can succeed later, and leaves it to the sweep then', async () => {
    const { set, report } = counted(async () => {
      throw new Error('The host does not answer.');
    });
    await report(job);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(set).toHaveLength(4);
  });

  it('does not try again what the host refuses', async () => {
    const { set, report } = counted(async () => {
      throw new DeployError('request:failed', 'No.', { retry: false });
    });
    await report(job);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(set).toHaveLength(1);
  });

  it('is not held up by a host that hangs', async () => {
    const { set, report } = counted(() => new Promise(() => {}));
    for (let number = 1; number <= 9; number += 1) await report({ user: 'ann', number });
    expect(set).toHaveLength(8);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(set).toContain(9);
  });
});
