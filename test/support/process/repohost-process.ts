// A repository host in a process of its own, for the tests that kill it: the argument is its data folder. Prints the
// address of Ada's repository `app`.
import { startRepoHost } from '../../../lib/repohost/repohost.ts';

const webhook = { url: 'http://127.0.0.1:9/', user: 'ada', secret: 'secret' };
const host = await startRepoHost({ dataDir: process.argv[2] ?? '', port: 0, webhook });
await host.createRepository('ada', 'app');
console.log(host.cloneUrl('ada', 'app').replace('//', '//ada:secret@'));
