import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectNoSideScroll, signIn } from '../../support/browser/page-driver.ts';
import { type VisitedService, visitedService } from '../../support/browser/visited-service.ts';
import { application, type GitFolder, gitFolder } from '../../support/service/git-folder.ts';

const run = promisify(execFile);

const SAYS_GREETING = `const { GREETING = 'hello' } = process.env;
console.log('started with ' + GREETING);
const server = require('node:http').createServer((_, response) => {
  console.log('asked');
  response.end(GREETING);
});
server.listen(process.env.PORT, process.env.HOST);
`;

/** What people do with the page, each from its beginning to its end; on a telephone. */
describe('the page, in use', () => {
  let at: VisitedService;
  const folders: GitFolder[] = [];

  beforeAll(async () => {
    const options = { viewport: { width: 390, height: 800 }, reducedMotion: 'reduce' } as const;
    at = await visitedService('page-use', { options });
  });
  afterAll(async () => {
    await at?.close();
  });
  afterEach(async () => {
    expect(at.tab.faults).toEqual([]);
    await expectNoSideScroll(at.tab.page);
    await expectAccessible(at.tab.page, at.axe);
  });

  it('a new application: its lines, copied into a terminal, are the first push, which is shown until it is live', async () => {
    const { page } = at.tab;
    await page.getByRole('link', { name: 'New application' }).click();
    await page.getByLabel('Name of the repository').fill('first-shop');
    await page.getByText('Waiting for the first push').waitFor();
    const lines = (await page.getByRole('region', { name: 'Lines for a terminal' }).textContent()) ?? '';
    expect(lines).not.toContain(at.login.split(':')[1]);
    const shop = gitFolder('nowhere');
    folders.push(shop);
    shop.commit(application('shop', 'open'), 'Sell things');
    await pasted(shop, lines.split('\n').slice(1).join('\n'));
    await page.locator('li.row', { hasText: 'Sell things' }).getByText('Deployed').waitFor();
    const address = await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href');
    expect(await (await fetch(address ?? '')).text()).toBe('open');
    await expectAccessible(page, at.axe);
    await page.getByRole('link', { name: 'shop: logs, variables, settings' }).click();
    await page.getByRole('heading', { name: 'shop' }).waitFor();
  });

  it('a call of a webhook is waited for: one that is refused says why, and the first that is not ends the wait', async () => {
    const { page } = at.tab;
    await page.getByRole('link', { name: 'Connect', exact: true }).click();
    await page.getByText('Waiting for a call from GitHub').waitFor();
    const headers = { 'x-github-event': 'ping', 'content-type': 'application/json', 'user-agent': 'GitHub-Hookshot/7' };
    const call = (secret: string) =>
      fetch(`${at.base}/1/deploy`, {
        method: 'POST',
        headers: { ...headers, authorization: `Basic ${btoa(`demo:${secret}`)}` },
        body: '{"zen":"Keep it."}',
      });
    expect((await call('wrong')).status).toBe(401);
    await page.getByText(/from GitHub-Hookshot\/7, and was refused/).waitFor();
    await page.getByRole('link', { name: 'deploy:auth:bad_creds' }).waitFor();
    await expectAccessible(page, at.axe);
    expect((await call(at.login.split(':')[1] ?? '')).status).toBe(200);
    await page.getByText('It has come.').waitFor();
    await page.getByRole('alert').waitFor({ state: 'hidden' });
  });

  it('variables are pasted as a file, and set with one restart, which is an event and no deploy', async () => {
    const { page } = at.tab;
    const [shop] = folders;
    shop?.commit({ 'server.js': SAYS_GREETING }, 'Say the greeting');
    shop?.git('push', '--quiet', '--push-option', 'nowait', 'hooks', 'HEAD');
    await page.getByRole('link', { name: 'Applications', exact: true }).click();
    await page.getByRole('link', { name: 'shop', exact: true }).click();
    await page.locator('li.row', { hasText: 'Say the greeting' }).getByText('Current').waitFor();
    await page.getByRole('link', { name: 'Variables', exact: true }).click();
    await page.getByRole('button', { name: 'Paste .env' }).click();
    const field = page.getByLabel('Lines of a .env file');
    await field.fill('GREETING="good morning"\nnonsense');
    await page.getByText('Line 2 is not NAME=value.').waitFor();
    await field.fill('# two\nGREETING="good morning"\nLOG_LEVEL=debug\nPORT=3000\nHOST=0.0.0.0\n');
    await page.getByText('Left out, because the platform sets them: PORT, HOST.').waitFor();
    await expectAccessible(page, at.axe);
    await page.getByRole('button', { name: 'Set 2 variables' }).click();
    await page.getByRole('button', { name: 'Show LOG_LEVEL' }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.locator('li.row.event').getByText('Restarted').waitFor();
    expect(await page.locator('li.row.event').count()).toBe(1);
    await page.locator('li.row', { hasText: 'Say the greeting' }).getByText('Current').waitFor();
    const address = await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href');
    expect(await (await fetch(address ?? '')).text()).toBe('good morning');
  });

  it('an output is searched, paused and downloaded', async () => {
    const { page } = at.tab;
    await page.getByRole('log').getByText('started with good morning').waitFor();
    await page.getByLabel('Search in the output').fill('GOOD morning');
    await page.getByText('1 line', { exact: true }).waitFor();
    expect(await page.locator('.output p').count()).toBe(1);
    await page.getByLabel('Search in the output').fill('nothing like it');
    await page.getByText('No line has that.').waitFor();
    await page.getByText('in all that is stored, back to ').waitFor();
    await page.getByLabel('Search in the output').fill('');
    await page.getByRole('button', { name: 'Pause' }).click();
    const before = await page.locator('.output p').count();
    await fetch((await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href')) ?? '');
    await page.getByRole('button', { name: /Pause \(\d+ more\)/ }).waitFor();
    expect(await page.locator('.output p').count()).toBe(before);
    await page.getByRole('button', { name: 'Wrap' }).click();
    await page.getByRole('button', { name: /Pause/ }).click();
    await page.getByRole('log').getByText('asked').first().waitFor();
    await page.evaluate(
      `URL.createObjectURL = (blob) => { globalThis.saved = blob.text(); return '#/demo/apps/shop'; }`,
    );
    await page.getByRole('button', { name: 'Download' }).click();
    expect(await page.evaluate('globalThis.saved')).toMatch(/^\S+Z .*started with good morning$/m);
  });

  it('processes are seen with their memory, more of them are started, and cron says how it ended', async () => {
    const { page } = at.tab;
    const [shop] = folders;
    const worker = `worker: node -e "console.log('works'); setInterval(() => {}, 1000)"`;
    const manifest = application('shop', '')['package.json'] ?? '';
    const cron = [{ command: 'exit 4', schedule: '* * * * * *' }];
    const files = { Procfile: `web: node server.js\n${worker}\n`, 'app.json': JSON.stringify({ cron }) };
    shop?.commit({ 'package.json': manifest, ...files }, 'Work');
    shop?.git('push', '--quiet', '--push-option', 'nowait', 'hooks', 'HEAD');
    await page
      .locator('.process', { hasText: 'works' })
      .getByText(/^\d+ MB$/)
      .waitFor();
    await page.locator('.cron').getByText('exit code 4').waitFor();
    await page.getByRole('button', { name: 'One worker more' }).click();
    await page.locator('.process', { hasText: 'works' }).nth(1).getByText('Running').waitFor();
    await page.getByRole('log').getByText('worker.2').first().waitFor();
  });

  it('staging beside production is made, and the lines that deploy it are shown', async () => {
    const { page } = at.tab;
    await page.evaluate(`location.hash = '#/demo/apps/shop?show=settings'`);
    await page.getByLabel('Name of the environment').fill('no environment');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Name of the environment').fill('Staging');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText(/git push .*staging/).waitFor();
    await expectAccessible(page, at.axe);
  });

  it('no view asks for what is not there: the console is empty', async () => {
    const variable = await fetch(`${at.base}/1/apps/demo/later/env/GREETING`, {
      method: 'PUT',
      headers: { authorization: `Basic ${btoa(at.login)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ value: 'hello' }),
    });
    expect(variable.status).toBe(201);
    const { page, context, faults, failedRequests } = await signIn(at.browser, { ...at, hash: '#/demo/deploys' });
    const open = async (hash: string) => {
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      await page.locator('h1').waitFor();
      await page.locator('[aria-busy=true]').waitFor({ state: 'hidden' });
    };
    await page.locator('li.row').first().waitFor();
    const deploys = await page.evaluate<string[]>(
      `[...document.querySelectorAll('li.row .row-link')].map((link) => link.getAttribute('href'))`,
    );
    const apps = ['hello', 'shop', 'later'].map((name) => `#/demo/apps/${name}`);
    for (const app of [...apps]) apps.push(`${app}?show=variables`, `${app}?show=settings`);
    for (const hash of ['apps', 'new', 'connect', 'settings'].map((view) => `#/demo/${view}`)) await open(hash);
    await page
      .getByText(/^[\d.]+ [GM]B of [\d.]+ [GM]B free$/)
      .nth(1)
      .waitFor();
    for (const hash of [...apps, ...deploys, '#/demo/deploys?app=later']) await open(hash);
    await page.goto(`${at.base}/errors`);
    await page.getByRole('heading', { name: 'deploy:tar:extract_failed' }).waitFor();
    await expectAccessible(page, at.axe);
    await page.setViewportSize({ width: 390, height: 800 });
    await expectNoSideScroll(page);
    await page.getByRole('link', { name: 'Deployment Webhooks' }).click();
    await page.getByRole('heading', { name: 'Deploys' }).waitFor();
    expect([...faults, ...failedRequests]).toEqual([]);
    await context.close();
  });

  /** Runs lines of the page as a shell does, with the login of the user for git's question. */
  async function pasted({ folder }: GitFolder, lines: string): Promise<void> {
    const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
    const helper = `!f() { echo password=${at.login.split(':')[1]}; }; f`;
    await run('git', ['config', 'credential.helper', helper], { cwd: folder, env });
    await run('sh', ['-ec', lines], { cwd: folder, env });
  }
});
