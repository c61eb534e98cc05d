// A repository host in a process of its own, for the tests that kill it: the argument is its data folder. Prints the
// address of Ada's repository `app`.
import { openRepositories, startRepoHost } from '../../../lib/repohost/repohost.ts';
import { fakeReceiver } from '../../fakes/receiver.ts';

const open = await openRepositories(process.argv[2] ?? '');
const host = await startRepoHost(open, { port: 0, verify: async () => true, receiver: fakeReceiver() });
await host.createRepository('ada', 'app');
console.log(host.cloneUrl('ada', 'app').replace('//', '//ada:secret@'));
