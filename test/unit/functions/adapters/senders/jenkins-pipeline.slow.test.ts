import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { jenkinsPipeline } from '../../../../../functions/adapters/senders/jenkins/jenkins-pipeline.ts';
import { newFolder } from '../../../../support/new-folder.ts';
import { call, recognise } from '../../../../support/senders/sender-call.ts';

const plainUrl = 'https://deploy.example.com/1/deploy?branch=main';
const guide = jenkinsPipeline.setup?.({
  url: '',
  plainUrl,
  authorization: '',
  user: 'ann',
  secret: '<token>',
  repository: 'ann/shop',
  web: (usual) => usual,
});
/** The variables of a build, as Jenkins and its git plugin set them. */
const build = {
  JOB_NAME: 'shop/main',
  BUILD_NUMBER: '57',
  BUILD_URL: 'https://jenkins.example.org/job/shop/job/main/57/',
  GIT_URL: 'git@github.com:ann/shop.git',
  GIT_BRANCH: 'origin/main',
  GIT_COMMIT: 'a'.repeat(40),
  RESULT: 'SUCCESS',
  LOGIN: 'ann:token',
};

/** Runs the script of the Jenkinsfile with a curl that prints its arguments and its input. */
async function run(variables: Readonly<Record<string, string>>): Promise<{ args: string; body: unknown }> {
  const [, script = ''] = /'''([\s\S]*?)'''/.exec(guide?.lines ?? '') ?? [];
  const folder = newFolder('jenkins');
  await writeFile(join(folder, 'curl'), '#!/bin/sh\necho "$@"\ncat\n', { mode: 0o755 });
  const env = { ...build, ...variables, PATH: `${folder}:${process.env.PATH}` };
  const { stdout } = await promisify(execFile)('sh', ['-ec', script], { env });
  const [args = '', ...lines] = stdout.split('\n');
  return { args, body: JSON.parse(lines.join('\n')) };
}

describe('the Jenkinsfile of a Pipeline job', () => {
  it('calls the webhook with the build, which is read as one of Jenkins', async () => {
    const { args, body } = await run({});
    expect(args).toBe(`-fsS -u ann:token -d @- ${plainUrl}`);
    const hook = call(body);
    expect(recognise(hook).read(hook)).toMatchObject([
      {
        provider: 'jenkins',
        hostKind: 'github',
        repository: { owner: 'ann', name: 'shop' },
        sha: 'a'.repeat(40),
        branch: 'main',
        outcome: 'passed',
        pullRequest: false,
      },
    ]);
  });

  it('reports a failed build, and one of a pull request, which deploy nothing', async () => {
    const failed = call((await run({ RESULT: 'FAILURE' })).body);
    expect(recognise(failed).read(failed)).toMatchObject([{ kind: 'build', outcome: 'failed' }]);
    const ofPullRequest = call((await run({ GIT_BRANCH: 'PR-7' })).body);
    expect(recognise(ofPullRequest).read(ofPullRequest)).toMatchObject([{ kind: 'build', pullRequest: true }]);
  });

  it('shows the login nowhere but in the credential', () => {
    expect(guide?.lines).not.toContain('<token>');
    expect(guide?.notes?.join()).toContain('`ann` and `<token>`');
  });
});
