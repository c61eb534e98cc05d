import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { application, entryAddress, gitFolder } from '../support/service/git-folder.ts';
import type { Started } from '../support/service/started.ts';
import type { EmulatedService } from './service/start.ts';
import { startStackForTest } from './service/started.ts';

let started: Started<EmulatedService>;

beforeAll(async () => {
  // A region without Lambda compute, which is most of them.
  const conditions = { AppsBuildOnLambdaCompute4C977EA1: false };
  started = await startStackForTest({ name: 'own-roles', parameters: { AppRoles: 'own' }, conditions });
});
afterAll(() => started?.close());

it('an application that was built in a container, with a role of its own, runs, writes its log, and takes the role along when it is removed', async () => {
  const { repoHost, runtime } = started.service;
  await repoHost.createRepository('demo', 'journey');
  const tree = gitFolder(repoHost.repositoryPath('demo', 'journey'));
  const files = application('journey', 'hello');
  tree.commit({ ...files, 'server.js': `console.log('a line of its own');\n${files['server.js']}` });
  const entry = await started.until(entryAddress(await tree.push()), 'ok', 'error');
  expect(entry).toMatchObject({ status: 'ok', app_name: 'journey' });
  expect(await (await fetch(entry.url)).text()).toBe('hello');
  const logged = async () => String((await started.call('/1/apps/demo/journey/logs')).body);
  await vi.waitFor(async () => expect(await logged()).toContain('a line of its own'), { timeout: 30_000 });
  const { body } = await started.call('/1/apps/demo/journey', { method: 'DELETE' });
  expect(await started.until(body.id, 'ok', 'error')).toMatchObject({ status: 'ok', operation: 'remove' });
  const used = runtime.permissions.used().map(({ action }) => action);
  expect(used).toEqual(expect.arrayContaining(['iam:CreateRole', 'iam:PutRolePolicy', 'iam:DeleteRole']));
  const [project] = runtime.template.ofType('AWS::CodeBuild::Project');
  expect(project?.properties).toMatchObject({
    Environment: { Type: 'LINUX_CONTAINER', Image: 'aws/codebuild/amazonlinux-x86_64-standard:6.0' },
    TimeoutInMinutes: 15,
  });
});
