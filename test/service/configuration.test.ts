import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUser, type Login, readLogin } from '../../lib/local/config/users.ts';
import { application, entryAddress, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { project } from '../support/service/place.ts';
import { type Started, startForTest } from '../support/service/started.ts';

const fixture = JSON.parse(
  readFileSync(join(project, 'test', 'fixtures', 'senders', 'gitlab', 'push.json'), 'utf8'),
) as { readonly headers: Record<string, string>; readonly body: { readonly project: { readonly web_url: string } } };
const { origin } = new URL(fixture.body.project.web_url);

describe('a configured service on one machine', () => {
  let started: Started;
  const folders: GitFolder[] = [];
  const remote = ({ user, password }: Login, name: string) =>
    started.service.repoHost.cloneUrl(user, name).replace('//', `//${user}:${password}@`);
  const pushes = async (login: Login, name: string) => {
    const tree = gitFolder(remote(login, name));
    folders.push(tree);
    tree.commit(application(name, `of ${login.user}`));
    return tree.pushAndWatch();
  };

  beforeAll(async () => {
    started = await startForTest(
      'configuration',
      {},
      {
        repositoryHosts: [
          {
            name: 'work',
            kind: 'gitlab',
            api: `${origin}/api/v4`.replace('http:', 'https:'),
            web: origin.replace('http:', 'https:'),
          },
        ],
        defaultBranch: 'trunk',
        publicUrl: 'https://deploy.example.com/hooks',
        hookSecrets: { demo: { gitlab: ['sesame'] } },
        users: ['ann'],
      },
    );
  });
  afterAll(async () => {
    for (const folder of folders) folder.remove();
    await started.close();
  });

  it('takes signed webhooks of a configured GitLab, and deploys the configured branch', async () => {
    const { 'x-gitlab-token': _, ...headers } = fixture.headers;
    const call = (token: string) => started.hook(fixture.body, { ...headers, 'x-gitlab-token': token }, '');
    expect(await call('wrong')).toMatchObject({ status: 401, body: { code: 'deploy:auth:bad_creds' } });
    const answer = await call('sesame');
    expect(answer).toMatchObject({ status: 200, body: { status: 'skipped' } });
    expect(answer.body.reason).toContain('only the branch trunk is deployed');
    expect(answer.body.id).toMatch(/^https:\/\/deploy\.example\.com\/hooks\/1\/status\/demo\/changes\//);
  });

  it('has further users, who push, deploy and read below their own name, behind a public address too', async () => {
    const ann = readLogin(started.dataDir, 'ann');
    const printed = await pushes(ann, 'shop');
    expect(printed).toMatch(/remote: live after .*: http:/);
    expect(entryAddress(printed)).toContain('https://deploy.example.com/hooks/1/status/ann/changes/');
    const login = `ann:${ann.password}`;
    expect((await started.call('/1/status/ann/webhooks', { login })).body).toMatchObject({ total: 1 });
    expect((await started.call('/1/status/ann/webhooks')).body).toMatchObject({ code: 'mw:auth:not_you' });
  });

  it('takes in a user who is added while it runs', async () => {
    const ben = addUser(started.dataDir, 'ben');
    const status = () => started.call('/1/status/ben/webhooks', { login: `ben:${ben.password}` });
    await expect.poll(async () => (await status()).status).toBe(200);
    expect(await pushes(ben, 'blog')).toMatch(/remote: live after .*: http:/);
    expect((await status()).body).toMatchObject({ total: 1 });
  });
});
