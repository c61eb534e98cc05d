import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { awsCommand } from '../../../lib/cli/aws/aws.ts';
import type { Cdk } from '../../../lib/cli/aws/cdk.ts';
import { Denied } from '../../aws-local/wire/answer.ts';
import { QueryError } from '../../aws-local/wire/query-server.ts';
import { ServiceError } from '../../aws-local/wire/service.ts';
import { type FakeAccount, MANAGE_USERS, startAccount } from '../../support/aws-account/account.ts';
import { newFolder } from '../../support/new-folder.ts';
import { type ProgramRun, runInProcess } from '../../support/run-program.ts';

let account: FakeAccount;
let home: string;
/** The calls of the CDK, which does what it would do; `fails` makes it end with 1. */
let cdkCalls: string[];
let fails: boolean;
let serviceAddress: string;

beforeAll(async () => {
  account = await startAccount();
});
afterAll(() => account.close());

beforeEach(() => {
  account.reset();
  home = newFolder('aws-home');
  cdkCalls = [];
  fails = false;
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
    [
      { AWS_ACCESS_KEY_ID: undefined },
      'Could not load credentials from any providers). For credentials set AWS_PROFILE',
    ],
    [{ AWS_REGION: 'eu central' }, '"eu central" is no region of AWS: set AWS_REGION'],
    [{ AWS_ENDPOINT_URL_STS: 'http://127.0.0.1:1' }, 'AWS cannot be called in us-east-1 (Error: connect ECONNREFUSED'],
  ])('are asked for in one line when %j', async (env, sentence) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const { code, err } = await hooks('aws deploy');
    expect(code).toBe(1);
    expect(err).toContain(sentence);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
    expect(cdkCalls).toEqual([]);
  });

  it('that AWS refuses end the command in its words, before anything is done', async () => {
    account.refusal = new QueryError('ExpiredToken', 'The token is expired.', 403);
    const { code, err } = await hooks('aws deploy');
    expect([code, cdkCalls]).toEqual([1, []]);
    expect(err).toContain(
      'AWS cannot be called in us-east-1 (ExpiredToken: The token is expired.). For credentials set',
    );
  });
});

describe('hooks aws deploy', () => {
  it('prepares the account once, deploys, and adds the first user, whose secrets it shows this once', async () => {
    const { code, out, err } = await hooks('aws deploy --parameters AlarmEmail=a@example.com HoldMinutes=5');
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
    expect(out).toContain('Next: "hooks hook github <owner>/<repository>" prints the settings of a webhook');
    expect(err).toContain('Parameters: AlarmEmail=a@example.com HoldMinutes=5 ReservedConcurrency=50');
    expect(out).not.toContain(login.secret);
  });

  it('updates the second time: without a preparation, and without a user', async () => {
    await hooks('aws deploy');
    cdkCalls = [];
    const { code, out } = await hooks('aws deploy --parameters HoldMinutes=7');
    expect([code, out]).toEqual([0, expect.stringContaining('Updated: https://api.example.com/prod/\n')]);
    expect(cdkCalls).toEqual([expect.stringMatching(/^deploy .*DeploymentWebhooks:HoldMinutes=7$/)]);
    expect(out).not.toContain('password');
    expect([...account.users.keys()]).toEqual(['admin']);
  });

  it('prepares again what an old CDK has prepared', async () => {
    account.cloudFormation.put({ name: 'CDKToolkit', outputs: { BootstrapVersion: '5' } });
    await hooks('aws deploy');
    expect(cdkCalls[0]).toBe('bootstrap aws://000000000000/us-east-1');
  });

  it('limits the stages the first time in an account that may run few functions, unless told otherwise', async () => {
    account.concurrency = 10;
    await hooks('aws deploy --parameters StageConcurrency=3');
    expect(cdkCalls.at(-1)).toMatch(/never --parameters DeploymentWebhooks:StageConcurrency=3$/);
    account.cloudFormation.remove('DeploymentWebhooks');
    await hooks('aws deploy');
    expect(cdkCalls.at(-1)).toMatch(/never --parameters DeploymentWebhooks:StageConcurrency=2$/);
    await hooks('aws deploy');
    expect(cdkCalls.at(-1)).toMatch(/never$/);
  });

  it('reserves runs the first time in an account that has many, unless told otherwise', async () => {
    account.concurrency = 1000;
    const parameters = async (given: string) => {
      await hooks(`aws deploy ${given}`);
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
    const { out } = await hooks('aws deploy');
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

  it('leaves the login of another service, and prints the token instead', async () => {
    const env = { XDG_CONFIG_HOME: join(home, '.config') };
    await hooks('aws deploy', { env });
    account.users.clear();
    serviceAddress = 'https://other.example.com/prod/';
    const { out } = await hooks('aws deploy --user ann', { env });
    expect(out).toMatch(/token, hooks +dwt_ann_command-line/);
    expect(storedLogin().url).toBe('https://api.example.com/prod');
  });

  it.each([
    ['AlarmEmail', '--parameters takes <Name>=<value>'],
    ['=x', '--parameters takes <Name>=<value>'],
    // The CDK would ignore it.
    ['AlarmMail=a@example.com', 'The stack has no parameter AlarmMail. It has AlarmEmail, AllowedOrigins,'],
  ])('refuses the parameter "%s" before anything is done', async (parameter, sentence) => {
    const { code, err } = await hooks(`aws deploy --parameters ${parameter}`);
    expect([code, account.sts.calls.length]).toEqual([2, 0]);
    expect(err).toContain(sentence);
  });
});

describe('before anything is created, hooks aws deploy', () => {
  it.each([
    ['ap-east-2', 'ap-east-2 has no WebSocket APIs, which the service needs: set AWS_REGION to one of us-east-1,'],
    ['ca-west-1', 'ca-west-1 lacks what builds and runs applications: set AWS_REGION'],
    ['cn-north-1', 'cn-north-1 lacks what builds and runs applications: set AWS_REGION'],
  ])('refuses a region in which the deploy would fail: %s', async (region, sentence) => {
    vi.stubEnv('AWS_REGION', region);
    const { code, err } = await hooks('aws deploy');
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
    ['eu-north-1', 'CloudFormation makes no budgets in eu-north-1: MonthlyBudgetDollars has no effect'],
  ])('warns of what is otherwise in a region: %s', async (region, sentence) => {
    vi.stubEnv('AWS_REGION', region);
    const { code, err } = await hooks('aws deploy --parameters MonthlyBudgetDollars=20 AlarmEmail=a@b.c');
    expect([code, err]).toEqual([0, expect.stringContaining(sentence)]);
  });

  it.each([
    ['us-east-1', 'L-72045165'],
    ['eu-west-2', 'L-9D07B6EF'],
  ])(
    'says before the first deploy how to request builds of CodeBuild, which may run fewer than is shown: %s',
    async (region, quota) => {
      vi.stubEnv('AWS_REGION', region);
      const { err } = await hooks('aws deploy --dry-run');
      expect(err).toContain('CodeBuild may run fewer builds in a new account than Service Quotas shows, or none');
      expect(err).toContain(`--service-code codebuild --quota-code ${quota} --desired-value 10 --region ${region}\n`);
      account.cloudFormation.put({ name: 'DeploymentWebhooks', parameters: {} });
      expect((await hooks('aws deploy --dry-run')).err).not.toContain('CodeBuild may run');
    },
  );

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
    const { code, err } = await hooks('aws deploy');
    expect([code, cdkCalls]).toEqual([1, []]);
    expect(err).toContain(`There is no layer arn:aws:lambda:${region}:753240598075:layer:LambdaAdapterLayer${name}:`);
  });

  it('goes on when it may not ask for the layer', async () => {
    account.layerRefusal = new Denied('You may not.');
    expect([(await hooks('aws deploy')).code, account.layers.length]).toEqual([0, 1]);
  });

  it.each(['deploy', 'destroy --yes'])(
    'refuses a stack whose applications have roles of their own, and says how they share one again: %s',
    async (command) => {
      account.cloudFormation.put({ name: 'DeploymentWebhooks', parameters: { AppRoles: 'own' } });
      const { code, err } = await hooks(`aws ${command}`);
      expect([code, cdkCalls]).toEqual([1, []]);
      expect(err).toContain('The stack has AppRoles=own, and all applications share one role now.');
      expect(err).toContain('delete the roles "DeploymentWebhooks-app-<region>-…" in IAM');
    },
  );

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

  it('only shows the difference with --dry-run, and creates nothing', async () => {
    account.concurrency = 10;
    const { code, out, err } = await hooks('aws deploy --dry-run --parameters HoldMinutes=5');
    expect([code, out]).toEqual([0, '']);
    expect(err).toContain(
      'The account may run 10 functions at a time. To request more of “Concurrent executions”: aws service-quotas',
    );
    expect(err).toContain('Parameters: HoldMinutes=5 StageConcurrency=2\n');
    expect(cdkCalls).toEqual(['diff DeploymentWebhooks --method template']);
    expect([account.cloudFormation.stacks, account.users.size]).toEqual([[], 0]);
  });
});

describe('--stack', () => {
  it('is a second service beside the first: deployed, shown, with users of its own, and deleted alone', async () => {
    await hooks('aws deploy');
    cdkCalls = [];
    const { code } = await hooks('aws deploy --stack trial --parameters HoldMinutes=5');
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
    await hooks('aws deploy');
    account.cloudFormation.put({ name: 'DeploymentWebhooks', resources: [table, queue, bucket] });
    for (const name of ['DeploymentWebhooks-app-ann-shop-1', 'DeploymentWebhooks-app-ann-blog-2', 'other-app-1']) {
      account.functions.add(name);
      account.logGroups.add(`/aws/lambda/${name}`);
      account.projects.add(name);
    }
    cdkCalls = [];
  });

  it('asks, deletes the stack and all that applications left, and lists what it keeps', async () => {
    const { code, out, err } = await hooks('aws destroy', { answers: ['DeploymentWebhooks'] });
    expect([code, cdkCalls]).toEqual([0, ['destroy DeploymentWebhooks --force']]);
    expect(err).toContain('DeploymentWebhooks-app-ann-shop-1');
    expect(out).toContain('Deleted: the stack DeploymentWebhooks, 2 applications, 2 log groups.');
    expect([...account.functions, ...account.logGroups]).toEqual(['other-app-1', '/aws/lambda/other-app-1']);
    expect([...account.projects]).toEqual(['other-app-1']);
    expect(out).toContain('lib/stack/removal.md');
    expect(out).toMatch(/^ {2}AWS::DynamoDB::GlobalTable +log\n {2}AWS::S3::Bucket +apps$/m);
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
    await hooks('aws deploy');
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
  await hooks('aws deploy');
  const { code, out } = await hooks('aws');
  expect([code, out]).toEqual([0, expect.stringContaining('account 000000000000, us-east-1: CREATE_COMPLETE')]);
  expect(out).toMatch(/ApiUrl +https:\/\/api\.example\.com\/prod\//);
  expect(JSON.parse((await hooks('aws show --json')).out)).toMatchObject({
    account: '000000000000',
    status: 'CREATE_COMPLETE',
  });
});
