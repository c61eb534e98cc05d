import { paginateGetLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { BatchGetBuildsCommand, StartBuildCommand, StopBuildCommand } from '@aws-sdk/client-codebuild';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bucketOf, type Workshop, workshop } from '../../../support/aws-local/workshop/started-workshop.ts';

describe('CodeBuild, as a CDK app that is not this service uses it', () => {
  let made: Awaited<ReturnType<typeof workshop>>;
  let shop: Workshop;

  beforeAll(async () => {
    made = await workshop();
    shop = await made.start();
  });
  afterAll(async () => {
    await shop?.close();
  });

  /** Starts a build of a source, which is run by a shell; returns its id. */
  async function build(name: string, source: string, more: object = {}): Promise<string> {
    const Bucket = bucketOf(shop.runtime);
    await shop.put(`${name}.sh`, source);
    const variables = {
      SOURCE: await shop.address(new GetObjectCommand({ Bucket, Key: `${name}.sh` })),
      RELEASE: await shop.address(new PutObjectCommand({ Bucket, Key: `${name}.tgz` })),
    };
    const { build: started } = await shop.codeBuild.send(
      new StartBuildCommand({
        projectName: projectName(),
        environmentVariablesOverride: Object.entries(variables).map(([key, value]) => ({
          name: key,
          value,
          type: 'PLAINTEXT',
        })),
        ...more,
      }),
    );
    return started?.id ?? '';
  }
  const projectName = () => shop.runtime.template.ofType('AWS::CodeBuild::Project')[0]?.logicalId ?? '';
  const described = async (id: string) =>
    (await shop.codeBuild.send(new BatchGetBuildsCommand({ ids: [id] }))).builds?.[0];
  const ended = async (id: string, status: string) => {
    const event = JSON.parse(await shop.wait(`events/${id.split(':')[1]}/${status}`));
    return { event, build: await described(id) };
  };
  const logOf = async (id: string) => {
    const { logs } = (await described(id)) ?? {};
    const place = { logGroupName: logs?.groupName, logStreamName: logs?.streamName ?? '', startFromHead: true };
    let lines = '';
    for await (const { events = [] } of paginateGetLogEvents({ client: shop.logs, stopOnSameToken: true }, place)) {
      lines += events.map(({ message }) => message).join('');
    }
    return lines;
  };

  it('Lambda compute takes no other limit than its 15 minutes', async () => {
    await expect(build('late', 'true', { timeoutInMinutesOverride: 5 })).rejects.toThrow(
      'Cannot specify timeoutInMinutes for lambda compute',
    );
    const id = await build('limit', 'true');
    expect((await described(id))?.timeoutInMinutes).toBe(15);
  });

  it('more builds than the account may run are refused with its limit, none in a new account, until one has ended', async () => {
    await shop.close();
    shop = await made.start({ builds: 0 });
    await expect(build('none', 'true')).rejects.toMatchObject({
      name: 'AccountLimitExceededException',
      message: 'Cannot have more than 0 builds in queue for the account',
    });
    await shop.close();
    shop = await made.start({ builds: 1 });
    const id = await build('first', 'sleep 60');
    await expect(build('second', 'true')).rejects.toThrow('Cannot have more than 1 builds in queue');
    await shop.codeBuild.send(new StopBuildCommand({ id }));
    expect(await build('third', 'true')).not.toBe(id);
    await shop.close();
    shop = await made.start();
  });

  it('the commands of the buildspec run one after another, and a rule gets the event of the end', async () => {
    const id = await build('page', 'echo content > page.txt');
    const { event, build: done } = await ended(id, 'SUCCEEDED');
    expect(event).toMatchObject({
      source: 'aws.codebuild',
      'detail-type': 'CodeBuild Build State Change',
      detail: {
        'build-id': `arn:aws:codebuild:us-east-1:000000000000:build/${id}`,
        'project-name': projectName(),
        'additional-information': { 'build-complete': true, logs: { 'group-name': '/workshop/builds' } },
      },
    });
    const { 'environment-variables': variables } = event.detail['additional-information'].environment;
    expect(variables.map(({ name }: { name: string }) => name)).toEqual(['SOURCE', 'RELEASE']);
    expect(done).toMatchObject({ buildStatus: 'SUCCEEDED', buildComplete: true, currentPhase: 'COMPLETED' });
    const log = await logOf(id);
    expect(log).toContain('hello from app\n');
    expect(log).toMatch(/Running command .*\n(.*\n)*.*Phase complete: BUILD State: SUCCEEDED/);
    expect(await shop.wait('page.tgz')).not.toBe('');
  });

  it('a command that fails ends its phase, and the build says which it was', async () => {
    const id = await build('broken', 'exit 3');
    const { build: done } = await ended(id, 'FAILED');
    const failed = done?.phases?.find(({ phaseStatus }) => phaseStatus === 'FAILED');
    expect(failed).toMatchObject({
      phaseType: 'BUILD',
      contexts: [
        {
          statusCode: 'COMMAND_EXECUTION_ERROR',
          message: 'Error while executing command: . "$FETCHED". Reason: exit status 3',
        },
      ],
    });
    expect(await logOf(id)).toContain('Command did not exit successfully . "$FETCHED" exit status 3');
  });

  it('a build that is stopped ends with everything that it started', async () => {
    const id = await build('endless', 'sleep 1000 & sleep 1000');
    await expect.poll(async () => (await described(id))?.currentPhase, { timeout: 40_000 }).toBe('BUILD');
    const { build: stopped } = await shop.codeBuild.send(new StopBuildCommand({ id }));
    expect(stopped).toMatchObject({ buildStatus: 'STOPPED', buildComplete: true });
    await ended(id, 'STOPPED');
  }, 60_000);

  it('a token that is used again returns its build, and is refused with other parameters', async () => {
    const variables = [{ name: 'SOURCE', value: 'http://127.0.0.1:1/', type: 'PLAINTEXT' }] as const;
    const start = (value: string) =>
      shop.codeBuild.send(
        new StartBuildCommand({
          projectName: projectName(),
          idempotencyToken: 'once',
          environmentVariablesOverride: [{ ...variables[0], value }],
        }),
      );
    const [first, second] = [await start('http://127.0.0.1:1/'), await start('http://127.0.0.1:1/')];
    expect(second.build?.id).toBe(first.build?.id);
    await expect(start('http://127.0.0.1:2/')).rejects.toMatchObject({ name: 'InvalidInputException' });
    await ended(first.build?.id ?? '', 'FAILED');
  });

  it('more than 5500 characters of variables are refused, as on AWS', async () => {
    const environmentVariablesOverride = [{ name: 'LONG', value: 'x'.repeat(5500) }];
    const command = new StartBuildCommand({ projectName: projectName(), environmentVariablesOverride });
    await expect(shop.codeBuild.send(command)).rejects.toMatchObject({ name: 'InvalidInputException' });
    await expect(shop.codeBuild.send(new StartBuildCommand({ projectName: 'other' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });

  it('a parameter that is not emulated is refused and warned of', async () => {
    const command = new StartBuildCommand({ projectName: projectName(), debugSessionEnabled: true });
    await expect(shop.codeBuild.send(command)).rejects.toThrow('StartBuild.debugSessionEnabled is not emulated');
    expect(shop.warnings.join('\n')).toContain('A call to CodeBuild was refused on this machine');
  });
});
