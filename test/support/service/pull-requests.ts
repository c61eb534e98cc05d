import { githubPullRequest, type PullRequestCall } from '../senders/pull-requests.ts';
import { application, entryAddress } from './git-folder.ts';
import { repositories, type ServiceUnderTest, type Started } from './started.ts';

export const ENDED = ['ok', 'error', 'skipped', 'superseded', 'expired', 'duplicate'];

/** Returns what makes a repository whose application is live, with a pull request of one commit. */
export function pullRequests(started: () => Started<ServiceUnderTest>) {
  const repository = repositories(started);
  return async (name: string) => {
    const tree = await repository(name);
    tree.commit(application(name, 'parent'));
    await started().until(entryAddress(await tree.push('main:main')), ...ENDED);
    const sha = tree.commit(application(name, 'preview'));
    await tree.push('main:changes');
    const commit = { host: 'local', owner: 'demo', name, sha };
    const page = `${started().service.repoHost.url}/demo/${name}`;
    type Said = Partial<PullRequestCall> & Pick<PullRequestCall, 'action'>;
    const tell = async (said: Said, query = '?previews=true') => {
      const { body, headers } = githubPullRequest({ number: 7, commit, ...said });
      const told = JSON.stringify(body).replaceAll(`https://memory.example.com/demo/${name}`, page);
      return started().hook(JSON.parse(told), headers, query);
    };
    const hear = async (said: Said, query?: string) =>
      started().until((await tell(said, query)).body.id, ...ENDED, 'held');
    return { tell, hear, app: `${name}-pr-7` };
  };
}
