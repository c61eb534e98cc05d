import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateBucketCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { senderRegistry, senders } from '../../../functions/adapters/senders/registry.ts';
import { awsCommand } from '../../../lib/cli/aws/aws.ts';
import type { Cdk } from '../../../lib/cli/aws/cdk.ts';
import { pushOf } from '../../../lib/cli/aws/deploy/sample.ts';
import { Denied } from '../../aws-local/wire/answer.ts';
import { QueryError } from '../../aws-local/wire/query-server.ts';
import { ServiceError } from '../../aws-local/wire/service.ts';
import { apiServer, type Received } from '../../support/api-server.ts';
import { type FakeAccount, MANAGE_USERS, startAccount } from '../../support/aws-account/account.ts';
import { entry } from '../../support/cli-entries.ts';
import { newFolder } from '../../support/new-folder.ts';
import { type ProgramRun, runInProcess } from '../../support/run-program.ts';

let account: FakeAccount;
let home: string;
/** The calls of the CDK, which does what it would do; `fails` makes it end with 1. */
let cdkCalls: string[];
let fails: boolean;
let serviceAddress: string;
let atDestroy = () => {};

beforeAll(async () => {
  account = await startAccount();
});
afterAll(() => account.close());

beforeEach(() => {
  account.reset();
  home = newFolder('aws-home');
  cdkCalls = [];
  fails = false;
  atDestroy = () => {};
  serviceAddress = 'https://api.example.com/prod/';
  for (const name of ['AWS_PROFILE', 'AWS_DEFAULT_REGION', 'AWS_SESSION_TOKEN']) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(account.env)) vi.stubEnv(name, value);
});
afterEach(() => {
  vi.unstubAllEnvs();
  expect(account.mistakes()).toEqual([]);
});

const cdk: Cdk = async (args) => {
  cdkCalls.push(args.join(' '));
  if (fails) return 1;
  const { cloudFormation } = account;
  const [verb, name = ''] = args;
  if (verb === 'bootstrap') cloudFormation.put({ name: 'CDKToolkit', outputs: { BootstrapVersion: '30' } });
  if (verb === 'deploy') {
    const outputs = { ApiUrl: serviceAddress, ManageUsers: MANAGE_USERS };
    cloudFormation.put({ name, outputs, parameters: { PublicUrl: '' } });
  }
  if (verb === 'destroy') atDestroy();
  if (verb === 'destroy') cloudFormation.remove(name);
  return 0;
};

function hooks(args: string, options: Omit<ProgramRun, 'groups'> = {}) {
  const groups = [{ title: 'All', commands: [awsCommand(cdk)] }];
  const env = { HOME: home, PATH: process.env.PATH, ...options.env };
  return runInProcess(args, { ...options, env, groups });
}

const storedLogin = () => JSON.parse(readFileSync(join(home, '.config/deployment-webhooks/login.json'), 'utf8'));

describe('the credentials', () => {
  it.each([
    [{ AWS_REGION: undefined }, 'No region of AWS is chosen: set AWS_REGION'],
    [{ AWS_ACCESS_KEY_ID: undefined }, 'There are no valid credentials of AWS: set AWS_PROFILE'],
    [{ AWS_REGION: 'eu central' }, '"eu central" is no region of AWS: set AWS_REGION'],
    [{ AWS_PROFILE: 'nobody', AWS_ACCESS_KEY_ID: undefined }, 'no valid credentials of AWS in the profile "nobody"'],
    [
      { AWS_ENDPOINT_URL_STS: 'http://127.0.0.1:1' },
      'AWS cannot be reached (connect ECONNREFUSED 127.0.0.1:1): is there a network',
    ],
  ])('are asked for in one line when %j', async (env, sentence) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const { code, err } = await hooks('aws deploy');
    expect(code).toBe(1);
    expect(err).toContain(sentence);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
    expect(cdkCalls).toEqual([]);
  });

  it.each([
    ['ExpiredToken', 'The credentials of AWS have expired: log in again.'],
    ['InvalidClientTokenId', 'has not enabled us-east-1'],
    ['SignatureDoesNotMatch', "the secret access key is wrong, or this machine's clock"],
    ['AccessDenied', 'AWS refuses the credentials: No. (AccessDenied).'],
  ])('are checked before anything is done: %s', async (code, sentence) => {
    account.refusal = new QueryError(code, 'No.', 403);
    const { err } = await hooks('aws deploy');
    expect(err).toContain(sentence);
    expect(cdkCalls).toEqual([]);
  });

  it('are tried again when AWS cannot answer', async () => {
    account.refusal = new QueryError('Throttling', 'Rate exceeded');
    const refused = expect.poll(() => account.sts.calls.length, { interval: 1 }).toBeGreaterThan(0);
    void refused.then(() => Object.assign(account, { refusal: null }));
    expect((await hooks('aws show')).err).toContain('There is no stack DeploymentWebhooks in account 000000000000');
  });
});

describe('hooks aws deploy', () => {
  it('prepares the account once, deploys, and adds the first user, whose secrets it shows this once', async () => {
    const { code, out, err } = await hooks(
      'aws deploy --no-sample --parameters AlarmEmail=a@example.com HoldMinutes=5',
    );
    expect([code, out]).toEqual([0, expect.stringContaining('Deployed: https://api.example.com/prod/\n')]);
    expect(err).toContain('Account 000000000000 in us-east-1, as arn:aws:iam::000000000000:user/ann.');
    expect(cdkCalls).toEqual([
      'bootstrap aws://000000000000/us-east-1',
      'deploy DeploymentWebhooks --require-approval never --parameters DeploymentWebhooks:AlarmEmail=a@example.com ' +
        '--parameters DeploymentWebhooks:HoldMinutes=5 --parameters DeploymentWebhooks:ReservedConcurrency=50',
    ]);
    expect(out).toMatch(/user +admin\n +password +password-of-admin\n +token, webhooks +dwt_admin_webhook\n/);
    const login = { url: 'https://api.example.com/prod', user: 'admin', secret: 'dwt_admin_command-line' };
    expect(storedLogin()).toEqual(login);
    expect(out).toContain('https://admin:<token>@api.example.com/prod/1/deploy?branch=main');
    expect(out).toContain('Payload URL');
    expect(out).not.toContain(login.secret);
  });

  it('updates the second time: without a preparation, a user or a sample', async () => {
    await hooks('aws deploy --no-sample');
    cdkCalls = [];
    const { code, out } = await hooks('aws deploy --no-sample --parameters HoldMinutes=7');
    expect([code, out]).toEqual([0, expect.stringContaining('Updated: https://api.example.com/prod/\n')]);
    expect(cdkCalls).toEqual([expect.stringMatching(/^deploy .*DeploymentWebhooks:HoldMinutes=7$/)]);
    expect(out).not.toContain('password');
    expect([...account.users.keys()]).toEqual(['admin']);
  });

  it('prepares again what an old CDK has prepared', async () => {
    account.cloudFormation.put({ name: 'CDKToolkit', outputs: { BootstrapVersion: '5' } });
    await hooks('aws deploy --no-sample');
    expect(cdkCalls[0]).toBe('bootstrap aws://000000000000/us-east-1');
  });

  it('limits the stages the first time in an account that may run few functions, unless told otherwise', async () => {
    account.concurrency = 10;
    await hooks('aws deploy --no-sample --parameters StageConcurrency=3');
    expect(cdkCalls.at(-1)).toMatch(/never --parameters DeploymentWebhooks:StageConcurrency=3$/);
    account.cloudFormation.remove('DeploymentWebhooks');
    await hooks('aws deploy --no-sample');
    expect(cdkCalls.at(-1)).toMatch(/never --parameters DeploymentWebhooks:StageConcurrency=2$/);
    await hooks('aws deploy --no-sample');
    expect(cdkCalls.at(-1)).toMatch(/never$/);
  });

  it('reserves runs the first time in an account that has many, unless told otherwise', async () => {
    account.concurrency = 1000;
    const parameters = async (given: string) => {
      await hooks(`aws deploy --no-sample ${given}`);
      account.cloudFormation.remove('DeploymentWebhooks');
      return cdkCalls.at(-1)?.replaceAll('DeploymentWebhooks:', '').split('never')[1];
    };
    expect(await parameters('')).toBe(' --parameters ReservedConcurrency=50');
    expect(await parameters('--parameters ReservedConcurrency=0')).toBe(' --parameters ReservedConcurrency=0');
    account.concurrency = 200;
    expect(await parameters('')).toBe(' --parameters ReservedConcurrency=12');
    account.concurrency = 160;
    expect(await parameters('')).toBe('');
    const limit = '--parameters StageConcurrency=2';
    expect(await parameters(limit)).toBe(` ${limit} --parameters ReservedConcurrency=20`);
  });

  it('is the first time again after a first time that failed', async () => {
    account.concurrency = 10;
    account.cloudFormation.put({ name: 'DeploymentWebhooks', status: 'ROLLBACK_COMPLETE' });
    const { out } = await hooks('aws deploy --no-sample');
    expect(out).toContain('Deployed: ');
    expect(cdkCalls.at(-1)).toMatch(/StageConcurrency=2$/);
  });

  it('says in one line that nothing was deployed when the CDK fails', async () => {
    fails = true;
    const { code, err } = await hooks('aws deploy');
    expect([code, account.users.size]).toEqual([1, 0]);
    expect(err.trimEnd().split('\n').at(-1)).toMatch(/could not be prepared; the lines above say why/);
    account.cloudFormation.put({ name: 'CDKToolkit', outputs: { BootstrapVersion: '30' } });
    expect((await hooks('aws deploy')).err).toContain('The stack was not deployed; the lines above say why.');
  });

  it('says what failed first, and not what was cancelled because of it', async () => {
    account.cloudFormation.put({ name: 'CDKToolkit', outputs: { BootstrapVersion: '30' } });
    const begun = { logicalId: 'DeploymentWebhooks', status: 'CREATE_IN_PROGRESS', reason: 'User Initiated' };
    const role = { logicalId: 'Role1', type: 'AWS::IAM::Role', status: 'CREATE_FAILED' };
    const build = { logicalId: 'Build1', type: 'AWS::CodeBuild::Project', status: 'CREATE_FAILED' };
    account.cloudFormation.put({
      name: 'DeploymentWebhooks',
      status: 'ROLLBACK_COMPLETE',
      events: [
        ...[begun, { ...build, reason: 'Of an earlier deploy' }, begun],
        { ...build, reason: 'Cannot specify timeoutInMinutes for lambda compute' },
        ...['creation', 'update'].map((what) => ({ ...role, reason: `Resource ${what} cancelled` })),
        { ...role, reason: 'Something else' },
        { logicalId: 'DeploymentWebhooks', status: 'ROLLBACK_IN_PROGRESS', reason: 'The following failed: [Build1]' },
      ],
    });
    fails = true;
    const { code, err } = await hooks('aws deploy');
    expect(code).toBe(1);
    expect(err.trimEnd().split('\n').slice(-2)).toEqual([
      'The first that failed: Build1 (AWS::CodeBuild::Project), Cannot specify timeoutInMinutes for lambda compute',
      expect.stringContaining('The stack was not deployed'),
    ]);
  });

  it('leaves the login of another service, and prints the token instead', async () => {
    const env = { XDG_CONFIG_HOME: join(home, '.config') };
    await hooks('aws deploy --no-sample', { env });
    account.users.clear();
    serviceAddress = 'https://other.example.com/prod/';
    const { out } = await hooks('aws deploy --no-sample --user ann', { env });
    expect(out).toMatch(/token, hooks +dwt_ann_command-line/);
    expect(storedLogin().url).toBe('https://api.example.com/prod');
  });

  it.each(['AlarmEmail', '=x', '1a=x'])('refuses the parameter "%s" before anything is done', async (parameter) => {
    const { code, err } = await hooks(['aws', 'deploy', '--parameters', parameter].join(' '));
    expect([code, account.sts.calls.length]).toEqual([2, 0]);
    expect(err).toContain('--parameters takes <Name>=<value>');
  });
});

describe('before anything is created, hooks aws deploy', () => {
  it.each([
    ['ap-east-2', 'ap-east-2 has no WebSocket APIs, which the service needs: set AWS_REGION to one of us-east-1,'],
    ['ca-west-1', 'ca-west-1 lacks what builds and runs applications: set AWS_REGION'],
    ['cn-north-1', 'cn-north-1 lacks what builds and runs applications: set AWS_REGION'],
  ])('refuses a region in which the deploy would fail: %s', async (region, sentence) => {
    vi.stubEnv('AWS_REGION', region);
    const { code, err } = await hooks('aws deploy --no-sample');
    expect([code, cdkCalls]).toEqual([1, []]);
    expect(err).toContain(`error: Nothing was deployed. ${region}`);
    expect(err).toContain(sentence);
  });

  it.each([
    [
      'eu-west-2',
      'CodeBuild has no Lambda compute in eu-west-2: builds run in containers, and applications on x86-64.',
    ],
    ['eu-west-9', 'It is not known whether eu-west-9 has all that is needed.'],
    [
      'eu-central-2',
      'AWS had no function URLs in eu-central-2, at which applications answer: if the first one does not',
    ],
    [
      'eu-north-1',
      'aws budgets create-budget --account-id 000000000000 --budget \'{"BudgetName":"deployment-webhooks"',
    ],
  ])('warns of what is otherwise in a region: %s', async (region, sentence) => {
    vi.stubEnv('AWS_REGION', region);
    const { code, err } = await hooks('aws deploy --no-sample --parameters MonthlyBudgetDollars=20 AlarmEmail=a@b.c');
    expect([code, err]).toEqual([0, expect.stringContaining(sentence)]);
  });

  it('says that CodeBuild may run no build, with the command that requests some, and deploys no sample then', async () => {
    account.quotas.set('L-72045165', 0);
    const { code, out, err } = await hooks('aws deploy --sample octo/hello');
    expect(code).toBe(0);
    expect(err).toContain(
      'CodeBuild may run no build in this account. To request more of “Concurrently running builds for ARM Lambda/4GB ' +
        'environment”: aws service-quotas request-service-quota-increase --service-code codebuild --quota-code ' +
        'L-72045165 --desired-value 10 --region us-east-1\n',
    );
    expect(out).toContain('No sample is deployed: CodeBuild may run no build yet');
  });

  it('says before the first deploy that CodeBuild may enforce less than Service Quotas shows, whatever that is', async () => {
    const said = 'CodeBuild may run fewer builds in a new account than Service Quotas shows, or none';
    expect((await hooks('aws deploy --dry-run')).err).toContain(said);
    account.quotas.set('L-72045165', 60);
    expect((await hooks('aws deploy --dry-run')).err).toContain(said);
    account.cloudFormation.put({ name: 'DeploymentWebhooks', parameters: {} });
    expect((await hooks('aws deploy --dry-run')).err).not.toContain(said);
  });

  it.each([
    ['us-east-1', 'Arm64', new ServiceError('ResourceNotFoundException', 'The resource you requested does not exist.')],
    [
      'eu-west-2',
      'X86',
      new Denied('You may not, because no resource-based policy allows the lambda:GetLayerVersion action'),
    ],
  ])('creates nothing where the layer is missing with which applications run: %s', async (region, name, refusal) => {
    vi.stubEnv('AWS_REGION', region);
    account.layerRefusal = refusal;
    const { code, err } = await hooks('aws deploy --no-sample');
    expect([code, cdkCalls]).toEqual([1, []]);
    expect(err).toContain(`There is no layer arn:aws:lambda:${region}:753240598075:layer:LambdaAdapterLayer${name}:`);
  });

  it('goes on when it may not ask for the layer, and says so', async () => {
    account.layerRefusal = new Denied('You may not.');
    const { code, err } = await hooks('aws deploy --no-sample');
    expect([code, account.layers.length]).toEqual([0, 1]);
    expect(err).toContain('Whether applications can start could not be asked (AccessDeniedException)');
  });

  it('asks for the quota of the compute that the region has, and says when it may not ask', async () => {
    vi.stubEnv('AWS_REGION', 'eu-west-2');
    account.quotas.set('L-9D07B6EF', 'AccessDeniedException');
    const { code, err } = await hooks('aws deploy --no-sample');
    expect(code).toBe(0);
    expect(err).toContain(
      'could not be asked (AccessDeniedException); in a new account that can be 0: https://console',
    );
    expect(err).toContain('/codebuild/quotas/L-9D07B6EF?region=eu-west-2');
  });

  it('refuses a stack whose applications have roles of their own, and says how they share one again', async () => {
    account.cloudFormation.put({ name: 'DeploymentWebhooks', parameters: { AppRoles: 'own' } });
    const { code, err } = await hooks('aws deploy --no-sample');
    expect([code, cdkCalls]).toEqual([1, []]);
    expect(err).toContain('The stack has AppRoles=own, and all applications share one role now.');
    expect(err).toContain('delete the roles "DeploymentWebhooks-app-us-east-1-…" in IAM');
  });

  it('says what a first deploy would choose now that a new account may run more functions', async () => {
    const said = 'A first deploy would choose now: --parameters StageConcurrency=0 ReservedConcurrency=50';
    account.cloudFormation.put({ name: 'DeploymentWebhooks', parameters: { StageConcurrency: '2' } });
    expect((await hooks('aws deploy --dry-run')).err).toContain(said);
    account.concurrency = 10;
    expect((await hooks('aws deploy --dry-run')).err).not.toContain(said);
    account.concurrency = 1000;
    account.cloudFormation.put({ name: 'DeploymentWebhooks', parameters: { StageConcurrency: '4' } });
    expect((await hooks('aws deploy --dry-run')).err).not.toContain(said);
  });

  it('says that few functions may run, and refuses to reserve more than there are', async () => {
    account.concurrency = 10;
    const { err } = await hooks('aws deploy --no-sample');
    expect(err).toContain(
      'The account may run 10 functions at a time. To request more of “Concurrent executions”: aws',
    );
    cdkCalls = [];
    const refused = await hooks('aws deploy --no-sample --parameters ReservedConcurrency=1');
    expect([refused.code, cdkCalls]).toEqual([1, []]);
    expect(refused.err).toContain('would leave -7 unreserved runs of functions, and Lambda keeps 10 at least');
    account.concurrency = 110;
    expect((await hooks('aws deploy --no-sample --parameters ChangesConcurrency=20')).err).toContain('keeps 100.');
  });

  it('counts for the stages what limits them, where that is not what the others have reserved', async () => {
    account.concurrency = 200;
    const err = async (limit: number) => {
      const given = `--parameters ReservedConcurrency=20 StageConcurrency=${limit}`;
      return (await hooks(`aws deploy --no-sample --dry-run ${given}`)).err;
    };
    expect(await err(2)).not.toContain('unreserved');
    expect(await err(28)).toContain('would leave 10 unreserved runs of functions, and Lambda documents that it keeps');
    expect(await err(40)).toContain('would leave -50 unreserved runs of functions, and Lambda keeps 10 at least');
    account.concurrency = 100;
    const { err: limited } = await hooks('aws deploy --no-sample --dry-run --parameters StageConcurrency=40');
    expect(limited).not.toContain('unreserved');
  });

  it('only says what it would do with --dry-run, and creates nothing', async () => {
    account.concurrency = 10;
    const { code, out, err } = await hooks('aws deploy --dry-run --parameters HoldMinutes=5');
    expect([code, out.split('\n')]).toEqual([
      0,
      [
        'It would prepare aws://000000000000/us-east-1 for the CDK first: npx cdk bootstrap aws://000000000000/us-east-1',
        'It would create the stack DeploymentWebhooks.',
        ...['  HoldMinutes=5', '  StageConcurrency=2', ''],
      ],
    ]);
    expect(err).toContain('The account may run 10 functions');
    expect(cdkCalls).toEqual(['diff DeploymentWebhooks --method template']);
    expect([account.cloudFormation.stacks, account.users.size]).toEqual([[], 0]);
    await hooks('aws deploy --no-sample');
    account.cloudFormation.put({ name: 'DeploymentWebhooks', parameters: { HoldMinutes: '60' } });
    const later = await hooks('aws deploy --dry-run --parameters HoldMinutes=5');
    expect(later.out).toBe('It would update the stack DeploymentWebhooks.\n  HoldMinutes=5 (now 60)\n');
  });
});

describe('--stack', () => {
  it('is a second service beside the first: deployed, shown, with users of its own, and deleted alone', async () => {
    await hooks('aws deploy --no-sample');
    cdkCalls = [];
    const { code } = await hooks('aws deploy --no-sample --stack trial --parameters HoldMinutes=5');
    expect(code).toBe(0);
    expect(cdkCalls).toEqual([
      'deploy trial --context stack=trial --require-approval never --parameters trial:HoldMinutes=5 --parameters trial:ReservedConcurrency=50',
    ]);
    expect((await hooks('aws show --stack trial')).out).toContain('trial in account 000000000000, us-east-1');
    expect((await hooks('aws users --stack trial')).code).toBe(0);
    expect((await hooks('aws users list --stack other')).err).toContain('There is no stack other in account');
    for (const name of ['DeploymentWebhooks-app-ann-shop-1', 'trial-app-ann-shop-1']) account.functions.add(name);
    const { out } = await hooks('aws destroy --stack trial', { answers: ['trial'] });
    expect(out).toContain('Deleted: the stack trial, 1 application, 0 log groups.');
    expect(cdkCalls.at(-1)).toBe('destroy trial --context stack=trial --force');
    expect([...account.functions]).toEqual(['DeploymentWebhooks-app-ann-shop-1']);
    expect((await hooks('aws show')).code).toBe(0);
  });

  it.each(['1st', 'a_b', 'CDKToolkit', 'trial-app', 'trial-app-x', 'x'.repeat(41)])(
    'refuses a name that CloudFormation does not take, or whose functions would be those of another stack: %s',
    async (name) => {
      for (const command of ['deploy', 'destroy', 'show', 'users']) {
        const { code, err } = await hooks(`aws ${command} --stack ${name}`);
        expect([code, err]).toEqual([2, expect.stringContaining('--stack takes up to 40 letters')]);
      }
      expect([cdkCalls, account.sts.calls]).toEqual([[], []]);
    },
  );
});

it('A parameter that the stack does not have is refused before anything is done, because the CDK would ignore it', async () => {
  const { code, err } = await hooks('aws deploy --parameters AlarmMail=a@example.com');
  expect([code, account.sts.calls.length]).toEqual([2, 0]);
  expect(err).toContain('The stack has no parameter AlarmMail. It has AlarmEmail, AllowedOrigins,');
});

describe('the sample', () => {
  /** A repository that git finds at an address of GitHub. */
  function repositoryAt(address: string): Record<string, string> {
    const folder = join(home, 'sample');
    const git = (...args: string[]) => execFileSync('git', args, { cwd: home });
    git('init', '--quiet', '--initial-branch=trunk', folder);
    const name = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
    git('-C', folder, ...name, 'commit', '--quiet', '--no-gpg-sign', '--allow-empty', '-m', 'One');
    return { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: `url.file://${folder}.insteadOf`, GIT_CONFIG_VALUE_0: address };
  }

  const live = entry(1, { status: 'ok', url: 'https://hello.example.com' });

  async function deployed(args: string, total = 0) {
    const page = { total, skip: 0, limit: 1, rows: [] };
    const api = await apiServer(
      ...(args.includes('--sample') ? [] : [{ status: 200, body: page }]),
      { status: 502, body: 'not yet' },
      { status: 202, body: { ...live, status: 'queued' } },
      { status: 200, body: live },
    );
    serviceAddress = `${api.url}/`;
    const env = repositoryAt('https://github.com/octo/hello.git');
    return { ...(await hooks(args, { env })), received: api.received };
  }

  it('is deployed by the call that GitHub would make, and followed to its address', async () => {
    const { code, out, received } = await deployed('aws deploy --sample octo/hello/packages/web');
    expect([code, out]).toEqual([0, expect.stringContaining('is live: https://hello.example.com')]);
    const [, push] = received as [Received, Received];
    expect(push.url).toBe('/1/deploy?branch=trunk&path=packages%2Fweb&ci=ignore');
    const basic = Buffer.from('admin:dwt_admin_command-line').toString('base64');
    expect(push.headers.authorization).toBe(`Basic ${basic}`);
    const sent = JSON.parse(push.body);
    expect(sent).toMatchObject({ ref: 'refs/heads/trunk', repository: { full_name: 'octo/hello', private: false } });
    expect(sent.after).toMatch(/^[0-9a-f]{40}$/);
  });

  it('is a push of GitHub to the service, each time another one', () => {
    const tip = { branch: 'trunk', sha: 'c0ffee12'.repeat(5) };
    const read = () => {
      const body = pushOf({ owner: 'octo', name: 'hello' }, tip);
      const call = { headers: {}, query: {}, body, raw: new TextEncoder().encode(JSON.stringify(body)) };
      return senderRegistry(senders).recognise(call).read(call)[0];
    };
    const first = read();
    const repository = { owner: 'octo', name: 'hello', private: false, hostname: 'github.com' };
    expect(first).toMatchObject({ kind: 'push', provider: 'github', hostKind: 'github', ...tip, repository });
    vi.setSystemTime(Date.now() + 1000);
    expect(read()?.id).not.toBe(first?.id);
    vi.useRealTimers();
  });

  it('that is not public on GitHub is an error when it was named', async () => {
    const { code, out } = await deployed('aws deploy --sample octo/other');
    expect([code, out]).toEqual([1, expect.stringContaining('octo/other is not public there')]);
  });

  it('is not deployed into a log that has entries', async () => {
    const { code, received } = await deployed('aws deploy', 3);
    expect([code, received.length]).toEqual([0, 1]);
  });

  it.each(['octo', 'octo/', '/hello', 'a b/c'])('is named by its owner and its name, not "%s"', async (name) => {
    serviceAddress = 'https://api.example.com';
    const groups = [{ title: 'All', commands: [awsCommand(cdk)] }];
    const { code, err } = await runInProcess(['aws', 'deploy', '--sample', name], { groups, env: { HOME: home } });
    expect([code, err]).toEqual([2, expect.stringContaining('--sample takes <owner>/<repository>')]);
    expect(cdkCalls).toEqual([]);
  });
});

describe('hooks aws destroy', () => {
  const table = {
    logicalId: 'StoresLog1',
    type: 'AWS::DynamoDB::GlobalTable',
    physicalId: 'log',
    status: 'CREATE_COMPLETE',
  };
  const queue = { logicalId: 'Queue1', type: 'AWS::SQS::Queue', physicalId: 'https://q', status: 'CREATE_COMPLETE' };
  const bucket = { logicalId: 'AppsBucket1', type: 'AWS::S3::Bucket', physicalId: 'apps', status: 'CREATE_COMPLETE' };

  beforeEach(async () => {
    await hooks('aws deploy --no-sample');
    account.cloudFormation.put({ name: 'DeploymentWebhooks', resources: [table, queue, bucket] });
    for (const name of ['DeploymentWebhooks-app-ann-shop-1', 'DeploymentWebhooks-app-ann-blog-2', 'other-app-1']) {
      account.functions.add(name);
      account.logGroups.add(`/aws/lambda/${name}`);
      account.projects.add(name);
    }
    cdkCalls = [];
  });

  it('asks, deletes the stack and all that applications left, and says what it keeps and how to delete that', async () => {
    const s3 = new S3Client({});
    await s3.send(new CreateBucketCommand({ Bucket: 'apps' }));
    for (const Key of ['caches/ann/shop.tgz', 'releases/ann/shop/1.zip']) {
      await s3.send(new PutObjectCommand({ Bucket: 'apps', Key, Body: 'x' }));
    }
    const { code, out, err } = await hooks('aws destroy', { answers: ['DeploymentWebhooks'] });
    expect([code, cdkCalls]).toEqual([0, ['destroy DeploymentWebhooks --force']]);
    expect(err).toContain('DeploymentWebhooks-app-ann-shop-1');
    expect(out).toContain('Deleted: the stack DeploymentWebhooks, 2 applications, 2 log groups.');
    expect([...account.functions, ...account.logGroups]).toEqual(['other-app-1', '/aws/lambda/other-app-1']);
    expect([...account.projects]).toEqual(['other-app-1']);
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: 'apps' }));
    expect(Contents.map(({ Key }) => Key)).toEqual(['releases/ann/shop/1.zip']);
    expect(out).toContain('table log: the users, the log of all deploys');
    expect(out).toContain(
      'aws dynamodb update-table --table-name log --no-deletion-protection-enabled --region us-east-1',
    );
    expect(out).toContain('aws s3 rb --force s3://apps --region us-east-1');
    expect(out).not.toContain('https://q');
    expect(() => storedLogin()).toThrow('ENOENT');
  });

  it('deletes the projects of applications that were built and never started, also when the stack is gone', async () => {
    const built = ['DeploymentWebhooks-app-ann-first-3', 'DeploymentWebhooks-app-ann-second-4'];
    for (const name of built) account.projects.add(name);
    expect((await hooks('aws destroy --yes')).out).toContain('2 applications, 2 build projects, 2 log groups.');
    expect([...account.projects]).toEqual(['other-app-1']);
    account.projects.add('DeploymentWebhooks-app-ann-third-5');
    expect((await hooks('aws destroy --yes')).out).toContain('Deleted: 0 applications, 1 build project, 0 log groups.');
    expect((await hooks('aws destroy --yes')).out).toContain('There is no stack DeploymentWebhooks here');
  });

  it('deletes the roles of single applications, of its own region, and before the stack with what bounds them', async () => {
    const [own, ofOtherRegion] = ['us-east-1', 'eu-west-1'].map(
      (region) => `DeploymentWebhooks-app-${region}-ann-shop-1`,
    );
    for (const name of [own, ofOtherRegion, 'other-app-us-east-1-x']) account.roles.set(String(name), new Set(['own']));
    let hadRole: boolean | undefined;
    atDestroy = () => {
      hadRole = account.roles.has(String(own));
    };
    expect((await hooks('aws destroy --yes')).code).toBe(0);
    expect([hadRole, [...account.roles.keys()]]).toEqual([false, [ofOtherRegion, 'other-app-us-east-1-x']]);
  });

  it('deletes nothing without the name of the stack, or without a terminal and --yes', async () => {
    expect(await hooks('aws destroy', { answers: ['yes'] })).toMatchObject({ code: 1 });
    const { code, err } = await hooks('aws destroy');
    expect([code, err]).toEqual([2, expect.stringContaining('--yes')]);
    expect([cdkCalls, account.functions.size]).toEqual([[], 3]);
  });

  it('goes on where an earlier run ended, and says when nothing is left', async () => {
    account.cloudFormation.put({ name: 'DeploymentWebhooks', resources: [table] });
    account.cloudFormation.remove('DeploymentWebhooks');
    expect(await hooks('aws destroy --yes')).toMatchObject({ code: 0, out: expect.stringContaining('2 applications') });
    const { code, out } = await hooks('aws destroy --yes');
    expect([code, out]).toEqual([0, expect.stringContaining('There is no stack DeploymentWebhooks here')]);
    expect(cdkCalls).toEqual([]);
  });

  it('leaves the applications when the stack could not be deleted', async () => {
    fails = true;
    const { code, err } = await hooks('aws destroy --yes');
    expect([code, err]).toEqual([1, expect.stringContaining('The stack was not deleted')]);
    expect(account.functions.size).toBe(3);
  });
});

describe('hooks aws users', () => {
  beforeEach(async () => {
    await hooks('aws deploy --no-sample');
  });

  it('adds, lists and removes users and tokens; a secret is alone on standard output', async () => {
    expect(await hooks('aws users add ann')).toMatchObject({ code: 0, out: 'password-of-ann\n' });
    expect(await hooks('aws users token ann hook')).toMatchObject({ code: 0, out: 'dwt_ann_hook\n' });
    expect((await hooks('aws users')).out).toBe('admin  webhook, command-line\nann    hook\n');
    const [, ann = ''] = (await hooks('aws users list --json')).out.split('\n');
    expect(JSON.parse(ann)).toEqual({ user: 'ann', tokens: [{ name: 'hook', createdAt: '2026-01-01T00:00:00.000Z' }] });
    expect(await hooks('aws users password ann')).toMatchObject({ code: 0, out: 'new-password-of-ann\n' });
    expect(await hooks('aws users revoke ann hook')).toMatchObject({ code: 0 });
    expect(await hooks('aws users remove ann', { answers: ['ann'] })).toMatchObject({ code: 0 });
    expect((await hooks('aws users')).out).toBe('admin  webhook, command-line\n');
  });

  it('takes a password from standard input, and prints none then', async () => {
    const { code, out } = await hooks('aws users add ann --password-stdin', { stdin: 'a long password\n' });
    expect([code, out]).toEqual([0, 'Done.\n']);
    expect(await hooks('aws users add bob --password-stdin', { stdin: '' })).toMatchObject({ code: 2 });
  });

  it.each([
    ['aws users add admin', 'There is a user admin already.'],
    ['aws users token nobody hook', 'There is no user nobody.'],
    ['aws users revoke admin nothing', 'admin has no token nothing.'],
    ['aws users remove nobody --yes', 'There is no user nobody.'],
  ])('says in one line why not: %s', async (args, sentence) => {
    expect(await hooks(args)).toMatchObject({ code: 1, err: `error: ${sentence}\n` });
  });

  it('removes nobody without a confirmation', async () => {
    expect(await hooks('aws users remove admin', { answers: ['no'] })).toMatchObject({ code: 1 });
    expect(await hooks('aws users remove admin')).toMatchObject({ code: 2 });
    expect(account.users.has('admin')).toBe(true);
  });

  it('and hooks aws say when nothing is deployed', async () => {
    account.cloudFormation.remove('DeploymentWebhooks');
    for (const args of ['aws users', 'aws']) {
      const { code, err } = await hooks(args);
      expect([code, err]).toEqual([1, expect.stringContaining('There is no stack DeploymentWebhooks')]);
    }
  });
});

it('hooks aws shows state, outputs and parameters', async () => {
  await hooks('aws deploy --no-sample');
  const { code, out } = await hooks('aws');
  expect([code, out]).toEqual([0, expect.stringContaining('account 000000000000, us-east-1: CREATE_COMPLETE')]);
  expect(out).toMatch(/ApiUrl +https:\/\/api\.example\.com\/prod\//);
  expect(JSON.parse((await hooks('aws show --json')).out)).toMatchObject({
    account: '000000000000',
    status: 'CREATE_COMPLETE',
  });
});
