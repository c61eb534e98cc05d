// The whole service in a separate process, so that the measuring code does not share its event loop.
// Arguments: data folder, additional users to create. Prints one line of JSON when it is ready; exits at the end of its
// standard input.
import { startLocal } from '../../lib/local/start.ts';
import { project } from '../support/service/place.ts';

const [dataDir = '', users = '0'] = process.argv.slice(2);
const service = await startLocal({ project, dataDir, port: 0, settings: { retryBaseSeconds: 1 } });
for (let user = 1; user <= Number(users); user += 1) {
  await service.platform.ensureUser({ user: `user-${user}`, password: service.login.password });
}
await service.repoHost.createRepository('demo', 'bench');
console.log(
  JSON.stringify({
    url: service.url,
    ...service.login,
    repository: service.repoHost.repositoryPath('demo', 'bench'),
    repositories: service.repoHost.url,
    platform: service.platform.url,
    pid: process.pid,
  }),
);
process.stdin.resume();
process.stdin.on('end', () => void service.close().then(() => process.exit(0)));
