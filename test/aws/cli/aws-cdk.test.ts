import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { awsCommand } from '../../../lib/cli/aws/aws.ts';
import { cdkProgram } from '../../../lib/cli/aws/cdk.ts';
import { type FakeAccount, startAccount } from '../../support/aws-account/account.ts';
import { newFolder } from '../../support/new-folder.ts';
import { runInProcess } from '../../support/run-program.ts';

let account: FakeAccount;
let folder: string;

beforeEach(async () => {
  account = await startAccount();
  folder = newFolder('aws-cdk');
  for (const [name, value] of Object.entries(account.env)) vi.stubEnv(name, value);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await account.close();
});

/** A synthesised stack of the service's name: without files to upload, for which there would have to be a bucket. */
function synthesised(): string {
  const properties = { templateFile: 'template.json', validateOnSynth: false };
  const environment = 'aws://unknown-account/unknown-region';
  const artifacts = { DeploymentWebhooks: { type: 'aws:cloudformation:stack', environment, properties } };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ version: '44.0.0', artifacts }));
  const template = {
    Parameters: { HoldMinutes: { Type: 'Number', Default: 60 }, AlarmEmail: { Type: 'String', Default: '' } },
    Resources: { One: { Type: 'AWS::SQS::Queue' } },
  };
  writeFileSync(join(folder, 'template.json'), JSON.stringify(template));
  return folder;
}

// The CDK pauses for seconds between its questions.
it('The CDK of this checkout understands what it is told: it compares, deploys, updates with the values it had, and deletes', {
  timeout: 180_000,
}, async () => {
  account.cloudFormation.put({ name: 'CDKToolkit', outputs: { BootstrapVersion: '30' } });
  const groups = [{ title: 'All', commands: [awsCommand(cdkProgram)] }];
  const env = { ...process.env, HOME: folder, CDK_APP: synthesised() };
  expect((await runInProcess('aws deploy --dry-run', { groups, env })).code).toBe(0);
  expect(account.cloudFormation.stacks.map(({ name }) => name)).toEqual(['CDKToolkit']);
  expect(account.stacks.calls).not.toContain('CreateChangeSet');
  await runInProcess('aws deploy --parameters HoldMinutes=5', { groups, env });
  const [, stack] = account.cloudFormation.stacks;
  expect(stack).toMatchObject({
    name: 'DeploymentWebhooks',
    status: 'CREATE_COMPLETE',
    parameters: { HoldMinutes: '5' },
  });
  await runInProcess('aws deploy --parameters AlarmEmail=a@example.com', { groups, env });
  const both = { HoldMinutes: '5', AlarmEmail: 'a@example.com' };
  expect(stack).toMatchObject({ status: 'UPDATE_COMPLETE', parameters: both });
  const { code, out } = await runInProcess('aws destroy --yes', { groups, env });
  expect([code, out]).toEqual([0, expect.stringContaining('Deleted: the stack DeploymentWebhooks')]);
  expect(stack?.status).toBe('DELETE_COMPLETE');
  expect(account.mistakes()).toEqual([]);
});
