import type { LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { limitRuns } from '../../functions/adapters/platform/aws-lambda/run/traffic.ts';
import { deployParameters } from '../../lib/cli/aws/deploy/parameters.ts';
import { PARAMETERS } from '../../lib/stack/parameter-table.ts';
import { functionName } from '../aws-local/invoke/settings.ts';
import { accountConcurrency } from '../aws-local/strict/concurrency.ts';
import { findResource } from '../aws-local/template/template.ts';
import { fakeClient } from '../fakes/aws-error.ts';
import { entryAddress, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import type { Started } from '../support/service/started.ts';
import type { EmulatedService } from './service/start.ts';
import { startStackForTest } from './service/started.ts';

const files = {
  'package.json': JSON.stringify({ name: 'slow', version: '1.0.0' }),
  'server.js': `require('node:http').createServer(({ url }, response) => {
    if (url !== '/slow') response.end('well');
  }).listen(process.env.PORT, process.env.HOST);\n`,
};

describe.each([
  // One that is larger than what must stay unreserved.
  { account: 'an account with 140 runs at a time', concurrency: 140, requests: 140, stages: '0', reserved: '2' },
  { account: 'a new account, which may run ten', concurrency: 10, requests: 10, stages: '2', reserved: '0' },
])('an application that does not answer, in $account', ({ concurrency, requests, stages, reserved }) => {
  let started: Started<EmulatedService>;
  let tree: GitFolder;
  let url: string;

  beforeAll(async () => {
    const limits = { StageConcurrency: stages, ReservedConcurrency: reserved, AppConcurrency: '10' };
    const parameters = { ...limits, AppTimeoutSeconds: '6' };
    started = await startStackForTest({ name: `neighbours-${concurrency}`, concurrency, parameters });
    await started.service.repoHost.createRepository('demo', 'slow');
    tree = gitFolder(started.service.repoHost.repositoryPath('demo', 'slow'));
    tree.commit(files);
    url = (await started.until(entryAddress(await tree.push()), 'ok')).url;
  });
  afterAll(async () => {
    await started?.close();
  });

  const statusOf = async (address: string) => (await fetch(address)).status;
  const slow = () => Promise.all(Array.from({ length: requests }, () => statusOf(`${url}/slow`)));
  const webhook = async () => (await started.hook({ zen: 'Keep it.' }, { 'x-github-event': 'ping' })).status;

  if (reserved !== '0') {
    it('has no message received for a stage whose reserved runs are all taken', async () => {
      const { url: host } = started.service.repoHost;
      // There is no such repository, so that each deploy ends at its first stage.
      const pushTo = (name: string) => ({
        ref: 'refs/heads/main',
        before: '0'.repeat(40),
        after: 'c'.repeat(40),
        repository: { name, full_name: `demo/${name}`, owner: { login: 'demo' }, html_url: `${host}/demo/${name}` },
        head_commit: { id: 'c'.repeat(40), message: 'One' },
      });
      // Webhooks have as few reserved runs: who is refused calls again.
      const insist = async (name: string): Promise<string> => {
        const { status, body } = await started.hook(pushTo(name), { 'x-github-event': 'push' });
        return status === 500 ? insist(name) : body.id;
      };
      const entries = await Promise.all(['one', 'two', 'three', 'four', 'five', 'six', 'seven'].map(insist));
      for (const entry of entries) await started.until(entry, 'error');
      expect(started.lines.filter((line) => line.includes('was throttled'))).toEqual([]);
    });
  }

  if (requests > 10) {
    it('has ten requests at a time, and every webhook is answered meanwhile', async () => {
      const answers = slow();
      let answered = 0;
      await vi.waitFor(
        async () => {
          const status = await statusOf(url);
          if (status !== 429) answered += 1;
          expect(status).toBe(429);
        },
        { timeout: 60_000 },
      );
      expect(await webhook()).toBe(200);
      const placed = (await answers).filter((status) => status !== 429).length;
      // What was answered had a place meanwhile, and a busy machine sends the last ones when the first have timed out.
      expect(placed).toBeGreaterThanOrEqual(10 - answered);
      expect(placed).toBeLessThanOrEqual(20);
    });
  } else {
    it('is ended by its timeout, after which webhooks are answered', async () => {
      // The end of the deploy may still have one of the ten places: who is refused asks again.
      const insist = async (): Promise<number> => {
        const status = await statusOf(`${url}/slow`);
        return status === 429 ? insist() : status;
      };
      const answers = Promise.all(Array.from({ length: requests }, insist));
      await vi.waitFor(async () => expect(await webhook()).toBe(500), { timeout: 60_000 });
      expect(new Set(await answers)).toEqual(new Set([502]));
      expect(await webhook()).toBe(200);
    });
  }
});

describe('an account with 1,000 runs at a time, and what a first deploy chooses in it', () => {
  let started: Started<EmulatedService>;
  let url: string;

  beforeAll(async () => {
    const chosen = deployParameters({ given: [], stack: null }, { concurrency: 1_000, unreserved: 1_000 });
    const parameters = Object.fromEntries(chosen.map((one) => one.split('=', 2) as [string, string]));
    started = await startStackForTest({ name: 'visitors', concurrency: 1_000, parameters });
    await started.service.repoHost.createRepository('demo', 'page');
    const tree = gitFolder(started.service.repoHost.repositoryPath('demo', 'page'));
    const slowly = files['server.js'].replace("response.end('well')", "setTimeout(() => response.end('well'), 500)");
    tree.commit({ ...files, 'server.js': slowly });
    url = (await started.until(entryAddress(await tree.push()), 'ok')).url;
  });
  afterAll(async () => {
    await started?.close();
  });

  it('answers two visitors who load a page of 30 files at the same moment', async () => {
    const visit = () => Promise.all(Array.from({ length: 30 }, async (_, at) => (await fetch(`${url}/${at}`)).status));
    const answers = await Promise.all([visit(), visit()]);
    expect(new Set(answers.flat())).toEqual(new Set([200]));
  });

  it('has room for 200 applications at once, beside which webhooks have runs of their own', async () => {
    const { template } = started.service.runtime;
    const account = accountConcurrency(template, 1_000);
    const lambda = fakeClient<LambdaClient>({
      PutFunctionConcurrencyCommand: (asked: { FunctionName: string; ReservedConcurrentExecutions: number }) =>
        void account.reserve(asked.FunctionName, asked.ReservedConcurrentExecutions),
      DeleteFunctionConcurrencyCommand: ({ FunctionName }: { FunctionName: string }) => account.release(FunctionName),
    });
    const appConcurrency = Number(PARAMETERS.AppConcurrency.default);
    const names = Array.from({ length: 200 }, (_, at) => `app-${at}`);
    for (const name of names) await limitRuns(name, { lambda, appConcurrency });
    for (const name of names) for (let request = 0; request < 3; request += 1) account.take(name);
    // One that is visited by more than there is room for.
    expect(() => names.concat(names).forEach(account.take)).toThrow('app-');
    const webhooks = functionName(findResource(template, 'AWS::Lambda::Function', 'Apiapideploy'));
    for (let request = 0; request < 10; request += 1) account.take(webhooks);
  });
});
