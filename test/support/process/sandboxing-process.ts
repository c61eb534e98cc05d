// Starts a process in a sandbox that leaves its group, and runs until it is killed itself: <folder>.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startGroup } from '../../../lib/builder/process/child-group.ts';
import type { Isolation } from '../../../lib/process/sandbox.ts';
import { trySandbox } from '../../../lib/process/sandbox-trial.ts';

const [, , place = ''] = process.argv;
const release = join(place, 'release');
mkdirSync(release);
const isolation = { ...((await trySandbox()) as Omit<Isolation, 'hidden'>), hidden: place };
await startGroup(
  { add: () => {}, remove: () => {}, close: async () => {} },
  {
    program: '/bin/sh',
    args: ['-c', 'setsid env -i /bin/sleep 600 & echo up; exec sleep 600'],
    cwd: release,
    env: { PATH: '/usr/bin:/bin' },
    what: 'test',
    sandbox: { ...isolation, release, writable: [release], readable: [], temporaries: place },
    output: (stream) => void stream.pipe(process.stdout),
  },
);
