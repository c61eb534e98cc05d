import { describe, expect, it } from 'vitest';
import { budget } from './budget.ts';
import { killAmongPreviews } from './world/killed-previews.ts';

const LIMIT_MS = 20 * 60_000;

// What runs is read from /proc.
describe.skipIf(process.platform !== 'linux')('a hundred previews under a SIGKILL', () => {
  it('none that is open is lost, and none that is closed is left behind', { timeout: LIMIT_MS }, async () => {
    const figures = await killAmongPreviews();
    console.log(`previews: ${JSON.stringify(figures)}`);
    expect(figures.settled).toBeLessThanOrEqual(budget.recoverySeconds);
  });
});
