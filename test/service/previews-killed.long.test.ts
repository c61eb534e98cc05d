import { it } from 'vitest';
import { killAmongPreviews } from '../faults/world/killed-previews.ts';

// What runs is read from /proc. A hundred: test/faults.
it.skipIf(process.platform !== 'linux')(
  'a kill loses no preview that is open, and leaves none that is closed',
  async () => {
    await killAmongPreviews('previews-killed', { applications: 2, previews: 2, closed: 1, deploysAgain: true });
  },
);
