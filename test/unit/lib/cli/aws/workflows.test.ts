import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { canRunApps, LAMBDA_COMPUTE, lacks } from '../../../../../functions/adapters/aws/regions.ts';
import { apiServer } from '../../../../support/api-server.ts';
import { newFolder } from '../../../../support/new-folder.ts';

const project = fileURLToPath(new URL('../../../../..', import.meta.url));
const WORKFLOWS = join(project, '.github', 'workflows');

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly run?: string;
  readonly if?: string;
  readonly 'timeout-minutes'?: number;
}

const text = readFileSync(join(WORKFLOWS, 'sandbox.yml'), 'utf8');
const workflow = parse(text);
const job = workflow.jobs.deploy;
const steps: readonly Step[] = job.steps;
const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
const runs = steps.filter(({ run }) => run !== undefined);
const login = steps.findIndex(({ id }) => id === 'login');

describe('the nightly workflow', () => {
  it('may read the repository and ask for its own identity, and nothing else', () => {
    expect(workflow.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
    expect(job.permissions).toBeUndefined();
    expect(steps.find(({ uses }) => uses?.startsWith('actions/checkout@'))?.with).toEqual({
      'persist-credentials': false,
    });
    expect(text).not.toMatch(/secrets\./);
  });

  it('runs where the account is known, one run at a time, and ends none', () => {
    expect(job.if).toBe("vars.SANDBOX_ROLE != ''");
    expect(workflow.concurrency).toEqual({ group: 'sandbox', 'cancel-in-progress': false });
  });

  it('runs every night, on even days of a month in the region of containers', () => {
    const crons: string[] = workflow.on.schedule.map(({ cron }: { cron: string }) => cron);
    const days = crons.map((cron) => cron.split(' ')[2]);
    expect(days).toEqual(['1-31/2', '2-31/2']);
    expect(steps[login]?.with?.['aws-region']).toBe(
      `\${{ github.event.schedule == '${crons[1]}' && vars.SANDBOX_CONTAINER_REGION || vars.SANDBOX_REGION }}`,
    );
  });

  it('installs packages before it has credentials', () => {
    expect(steps.findIndex(({ run }) => run === 'npm ci')).toBeLessThan(login);
    expect(login).toBeGreaterThan(0);
  });

  it('empties the account whatever happened after the login, with time left for it', () => {
    const last = steps.at(-1);
    expect(last).toMatchObject({ run: '.ci/empty-sandbox', if: "always() && steps.login.outcome == 'success'" });
    const minutes = runs.map((step) => step['timeout-minutes'] ?? Number.POSITIVE_INFINITY);
    expect(minutes.reduce((sum, one) => sum + one)).toBeLessThan(job['timeout-minutes']);
    expect(job['timeout-minutes'] * 60).toBeLessThanOrEqual(Number(steps[login]?.with?.['role-duration-seconds']));
  });

  it('looks what is missing and what would change before it creates anything', () => {
    const commands = runs.map(({ run }) => run ?? '');
    const [diff, deploy] = ['npm run --silent diff', 'npm run --silent deploy'].map((start) =>
      commands.findIndex((one) => one.startsWith(start)),
    ) as [number, number];
    expect(diff).toBeGreaterThan(0);
    expect(diff).toBeLessThan(deploy);
    expect(scripts.diff).toMatch(/ aws deploy --dry-run$/);
  });

  it('keeps the secrets of the first user out of its log', () => {
    const deploy = steps.find(({ run }) => run?.startsWith('npm run --silent deploy'));
    expect(deploy?.run).toMatch(/ > "\$RUNNER_TEMP\/deployed\.txt"$/);
    expect(runs.filter((step) => step !== deploy && step.run?.includes('deployed.txt'))).toEqual([]);
  });
});

describe.each(readdirSync(WORKFLOWS))('the workflow %s', (file) => {
  const source = readFileSync(join(WORKFLOWS, file), 'utf8');
  const { jobs } = parse(source);
  const all: readonly Step[] = Object.values<{ steps: Step[] }>(jobs).flatMap((one) => one.steps);

  it('names each action by its commit, which nobody can move, and beside it the version', () => {
    const used = all.flatMap(({ uses }) => uses ?? []);
    const named = [...source.matchAll(/uses: ([\w-]+\/[\w-]+@[0-9a-f]{40}) # v\d+\.\d+\.\d+$/gm)];
    expect(named.map(([, action]) => action)).toEqual(used);
  });

  it('runs scripts that bash can read, into which nothing is inserted, and commands that are there', () => {
    for (const { run = '' } of all) {
      expect(run).not.toContain('${{');
      execFileSync('bash', ['-n', '-c', run]);
      for (const [, name = ''] of run.matchAll(/npm run (?:--silent )?([\w:]+)/g))
        expect(scripts[name], name).toBeDefined();
    }
  });
});

describe('the workflow of each push and pull request', () => {
  const { on, permissions, jobs } = parse(readFileSync(join(WORKFLOWS, 'test.yml'), 'utf8'));

  it('may read the repository, and nothing else', () => {
    expect([on, permissions]).toEqual([['push', 'pull_request'], { contents: 'read' }]);
  });

  it('runs npm test on each version of Node, and all other parts of test:all', () => {
    expect(jobs.test.strategy.matrix.node).toEqual([20, 22, 24, 26]);
    const parts: string[] = jobs.part.strategy.matrix.part;
    expect(parts).toEqual(expect.arrayContaining([...scripts['test:all'].matchAll(/test:\w+/g)].map(String)));
    for (const part of parts) expect(scripts[part], part).toBeDefined();
  });
});

it('.ci/run lints the template in every region with builds on Lambda, and in two others', () => {
  const [, regions = ''] = /--regions ([\s\S]*?) -- /.exec(readFileSync(join(project, '.ci/run'), 'utf8')) ?? [];
  const linted = regions.split(/[\s\\]+/);
  expect(linted).toEqual(expect.arrayContaining([...LAMBDA_COMPUTE]));
  const whole = linted.filter((region) => canRunApps(region) && !lacks(region, 'AWS::ApiGatewayV2::Api'));
  expect(whole).toHaveLength(LAMBDA_COMPUTE.length + 2);
});

it('.ci/deploy-sample deploys the sample of a repository with the stored login, and waits for it', async () => {
  const api = await apiServer({ status: 202, body: { id: 'the-entry' } });
  const folder = newFolder('sample');
  const login = { url: api.url, user: 'admin', secret: 'dwt_1' };
  mkdirSync(join(folder, 'deployment-webhooks'));
  writeFileSync(join(folder, 'deployment-webhooks', 'login.json'), JSON.stringify(login));
  writeFileSync(join(folder, 'npm'), '#!/bin/sh\necho "npm $*"\n', { mode: 0o755 });
  const env = { ...process.env, XDG_CONFIG_HOME: folder, PATH: `${folder}:${process.env.PATH}` };
  const { stdout } = await promisify(execFile)(join(project, '.ci/deploy-sample'), ['octo/hooks'], { env });
  expect(stdout).toBe('npm run --silent hooks -- watch --exit-status --entry the-entry\n');
  const [{ method, url, headers, body } = expect.unreachable()] = api.received;
  const authorization = `Basic ${Buffer.from('admin:dwt_1').toString('base64')}`;
  expect([method, url, headers.authorization]).toEqual(['POST', '/1/apps/admin', authorization]);
  const repository = { host: 'github', owner: 'octo', name: 'hooks', path: 'lib/local/sample/hello' };
  expect(JSON.parse(body)).toEqual({ repository });
});

describe('.ci/empty-sandbox', () => {
  let folder = '';
  beforeEach(() => {
    folder = newFolder('sandbox');
  });

  /** Runs it with an `npm` that prints this, and an `aws` that writes down its calls and fails at a bucket. */
  function empty(printed: string, env: NodeJS.ProcessEnv = {}) {
    const program = (name: string, lines: string) => {
      writeFileSync(join(folder, name), `#!/usr/bin/env bash\n${lines}\n`);
      chmodSync(join(folder, name), 0o755);
    };
    writeFileSync(join(folder, 'printed'), printed);
    program('npm', `echo "npm $*" >> ${folder}/calls; cat ${folder}/printed`);
    program('aws', `echo "aws $*" >> ${folder}/calls; [ "$1" != s3 ]`);
    const PATH = `${folder}:${process.env.PATH}`;
    const { status } = spawnSync(join(project, '.ci', 'empty-sandbox'), {
      env: { ...process.env, GITHUB_ACTIONS: 'true', ...env, PATH },
    });
    const calls = spawnSync('cat', [join(folder, 'calls')], { encoding: 'utf8' }).stdout;
    return { status, calls: calls.trim().split('\n') };
  }

  it('deletes each thing that "npm run destroy" lists, also after one that fails, and fails then', () => {
    const printed =
      '\nKept:\n  AWS::S3::Bucket             one\n  AWS::KMS::Key               k\n  AWS::DynamoDB::GlobalTable  t\n';
    expect(empty(printed)).toEqual({
      status: 1,
      calls: [
        'npm run --silent destroy -- --yes',
        'aws s3 rb --force s3://one',
        'aws kms schedule-key-deletion --key-id k --pending-window-in-days 7',
        'aws dynamodb update-table --table-name t --no-deletion-protection-enabled',
        'aws dynamodb wait table-exists --table-name t',
        'aws dynamodb delete-table --table-name t',
      ],
    });
  });

  it('fails at what it does not know', () => {
    expect(empty('  AWS::SQS::Queue  one\n').status).toBe(1);
  });

  it('ends well when nothing is kept', () => {
    expect(empty('There is no stack DeploymentWebhooks here.\n').status).toBe(0);
  });

  it('deletes nothing elsewhere', () => {
    expect(empty('', { GITHUB_ACTIONS: undefined })).toEqual({ status: 2, calls: [''] });
  });
});
