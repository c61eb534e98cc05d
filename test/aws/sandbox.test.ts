import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lambdaPlatform } from '../../functions/adapters/platform/aws-lambda/hosting.ts';
import { functionName } from '../../functions/adapters/platform/aws-lambda/names.ts';
import { findResource } from '../aws-local/template/template.ts';
import { buildDelay, machines, signedAddress, variables } from '../sandbox/checklist/builds.ts';
import { socketAuthorizer, stageVariables } from '../sandbox/checklist/gateway.ts';
import type { Deployed, Item } from '../sandbox/checklist/item.ts';
import { commands, ownLog, wordsOfAnEnd } from '../sandbox/checklist/lambda.ts';
import { partsWith } from '../support/aws-local/apps/emulated-apps.ts';
import { entryAddress, gitFolder } from '../support/service/git-folder.ts';
import type { Started } from '../support/service/started.ts';
import type { EmulatedService } from './service/start.ts';
import { startStackForTest } from './service/started.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const sample = (file: string) => readFileSync(new URL(`../../lib/local/sample/hello/${file}`, import.meta.url), 'utf8');

/** Returns the answer of an item, or its error. */
const outcome = ({ answer }: Item, deployed: Deployed) =>
  answer(deployed).catch(({ name, message }: Error) => `${name}: ${message}`);

describe('The checklist of a real account, with the stack on the emulators', () => {
  let started: Started<EmulatedService>;
  let deployed: Deployed;
  let close = () => {};

  beforeAll(async () => {
    started = await startStackForTest({ name: 'sandbox' });
    const { url, login, runtime, repoHost } = started.service;
    await repoHost.createRepository('demo', 'hello');
    const tree = gitFolder(repoHost.repositoryPath('demo', 'hello'));
    tree.commit({ 'package.json': sample('package.json'), 'server.js': sample('server.js') });
    await started.until(entryAddress(await tree.push()), 'ok');
    const start = findResource(runtime.template, 'AWS::Lambda::Function', 'Pipelinestagestart').properties;
    const { Variables } = start.Environment as { Variables: Record<string, string> };
    const { PLATFORM_PARTS = '', PLATFORM_TABLE = '', PLATFORM_WATCHER } = Variables;
    const given = JSON.parse(PLATFORM_PARTS);
    const numbers = { appTimeoutSeconds: Number(given.appTimeoutSeconds), appConcurrency: 0 };
    const { parts, ...opened } = partsWith(runtime, PLATFORM_TABLE, {
      ...given,
      ...numbers,
      watcher: PLATFORM_WATCHER,
    });
    close = opened.close;
    deployed = {
      ...{ url, user: login.user, secret: login.password, sample: { user: 'demo', app: 'hello' } },
      ...{ signals: runtime.template.outputs.SignalsUrl ?? '', platform: lambdaPlatform(parts) },
      ...{ logs: parts.logs, codeBuild: parts.codeBuild, project: parts.project },
      functionOf: (app) => functionName(parts.functionPrefix, app),
      now: Date.now,
    };
  });
  afterAll(async () => {
    close();
    await started?.close();
  });

  it.each([
    [socketAuthorizer, /^a login is let in, and a wrong one gets 403$/],
    [ownLog, /^its line is in the stream \d{4}\/\d\d\/\d\d\/\[1\]/],
    [stageVariables, /\/errors#mw:auth:unauthorized$/],
    [wordsOfAnEnd, /no database here/],
    [commands, /^\d{4}\/\d\d\/\d\d\/\[\$LATEST\]/],
    // The emulator has one machine for the builds of all projects.
    [machines, /two applications share a machine/],
    [variables, /^its command has seen one$/],
    [buildDelay, /^after \d+\.\d seconds$/],
  ])('$title', async (item, answer) => {
    expect(await outcome(item, deployed)).toMatch(answer);
  });

  it('a signed address is asked from half an hour after its signature until it ends, and answers', async () => {
    const after = (ms: number) => outcome(signedAddress, { ...deployed, now: () => Date.now() + ms });
    expect(await after(0)).toMatch(/^NotNow: Run this again from \d\d:\d\d to \d\d:\d\d UTC\.$/);
    expect(await after(35 * MINUTE_MS)).toMatch(/^it is still valid after 3[5-9] minutes$/);
    expect(await after(HOUR_MS)).toMatch(/^NotNow: The last address has ended: deploy hello/);
    const codeBuild = { send: async () => ({ ids: ['a:b'], builds: [build(`${started.service.url}/nothing`)] }) };
    const refused = { ...deployed, codeBuild: codeBuild as unknown as Deployed['codeBuild'] };
    expect(await outcome(signedAddress, { ...refused, now: () => Date.parse('2026-11-26T18:35:00Z') })).toMatch(
      /^AssertionError/,
    );
  });

  /** A build with the address of its job, signed at 18:00. */
  function build(address: string): object {
    const value = `${address}?X-Amz-Date=20261126T180000Z&X-Amz-Expires=2700`;
    return { environment: { environmentVariables: [{ name: 'JOB_URL', value }] } };
  }
});
