// A repository host in a process of its own, for the tests that kill it: the argument is its data folder. Prints the
// address of Ada's repository `app`.
import { join } from 'node:path';
import { openRepositories, startRepoHost } from '../../../lib/repohost/repohost.ts';
import { startRunner } from '../../../lib/runner/program/start.ts';
import { fakeReceiver } from '../../fakes/receiver.ts';

const dataDir = process.argv[2] ?? '';
// It ends what the host has running when the host is killed.
const files = {
  folder: join(dataDir, 'platform'),
  ports: join(dataDir, 'ports.json'),
  reserve: join(dataDir, 'reserve'),
};
await startRunner({ ...files, own: { ...process.env, RUNNER_LINGER: '0' }, warn: console.error });
const open = await openRepositories(dataDir);
const host = await startRepoHost(open, { port: 0, verify: async () => true, receiver: fakeReceiver() });
await host.createRepository('ada', 'app');
console.log(host.cloneUrl('ada', 'app').replace('//', '//ada:secret@'));
