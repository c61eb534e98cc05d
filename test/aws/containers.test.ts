import { afterAll, beforeAll, expect, it } from 'vitest';
import { application, entryAddress, gitFolder } from '../support/service/git-folder.ts';
import type { Started } from '../support/service/started.ts';
import type { EmulatedService } from './service/start.ts';
import { startStackForTest } from './service/started.ts';

let started: Started<EmulatedService>;

beforeAll(async () => {
  // A region without Lambda compute, which is most of them.
  const conditions = { AppsBuildOnLambdaCompute4C977EA1: false };
  started = await startStackForTest({ name: 'containers', conditions });
});
afterAll(() => started?.close());

it('a push is built in a container and runs on x86-64 where CodeBuild does not build on Lambda', async () => {
  const { repoHost, runtime } = started.service;
  await repoHost.createRepository('demo', 'journey');
  const tree = gitFolder(repoHost.repositoryPath('demo', 'journey'));
  tree.commit(application('journey', 'from a container'));
  const entry = await started.until(entryAddress(await tree.push()), 'ok', 'error');
  expect(entry).toMatchObject({ status: 'ok', app_name: 'journey' });
  expect(await (await fetch(entry.url)).text()).toBe('from a container');
  const [project] = runtime.template.ofType('AWS::CodeBuild::Project');
  expect(project?.properties).toMatchObject({
    Environment: { Type: 'LINUX_CONTAINER', Image: 'aws/codebuild/amazonlinux-x86_64-standard:6.0' },
    TimeoutInMinutes: 15,
  });
});
