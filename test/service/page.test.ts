import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bodyOf } from '../support/body-of.ts';
import type { Browser } from '../support/browser/api.ts';
import { axeSource, startBrowser } from '../support/browser/browser.ts';
import { expectAccessible, expectNoSideScroll, openTab, signIn, type Tab } from '../support/browser/page-driver.ts';
import { application, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { runningIn, signalIfThere } from '../support/service/processes.ts';
import { dataFolder, loginOf, type ServiceProcess, startProcess } from '../support/service/service-process.ts';

const webhookAt = /Webhook +(\S+)\/1\/deploy/;
const HOSTILE = '<img src=x onerror=alert(1)> "quoted" {{x}} \u202eright-to-left';

describe('the page, in a browser', () => {
  let dataDir: string;
  let service: ServiceProcess;
  let browser: Browser;
  let axe: string;
  let base: string;
  let login: string;
  let tab: Tab;
  /** Pages of other sites: one that may call the API, and one that may not. */
  let dashboard: EmptyPage;
  let stranger: EmptyPage;
  const trees: GitFolder[] = [];

  async function tree(name: string): Promise<GitFolder> {
    const { host } = new URL(readFileSync(join(dataDir, 'repositories-url'), 'utf8'));
    const made = gitFolder(`http://${login}@${host}/demo/${name}.git`);
    trees.push(made);
    return made;
  }
  const rowOf = (message: string) => tab.page.locator('li.row', { hasText: message });
  const shows = (message: string, status: string) => rowOf(message).getByText(status).waitFor();
  const go = async (hash: string) => tab.page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

  beforeAll(async () => {
    dataDir = dataFolder('page');
    [dashboard, stranger] = await Promise.all([emptyPage(), emptyPage()]);
    writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ allowedOrigins: [dashboard.origin] }));
    service = startProcess({ dataDir });
    [browser, axe] = await Promise.all([startBrowser(), axeSource()]);
    base = (await service.printed(webhookAt))[1] ?? '';
    await service.printed(/Ctrl-C ends everything/);
    login = loginOf(dataDir);
    tab = await signIn(browser, { base, login });
  });
  afterAll(async () => {
    await browser?.close();
    service.kill();
    await service.ended;
    for (const page of [dashboard, stranger]) page.close();
    for (const { pid } of runningIn(dataDir)) signalIfThere(pid, 'SIGKILL');
    for (const one of trees) one.remove();
    rmSync(dataDir, { recursive: true, force: true });
  });
  afterEach(() => expect(tab.faults).toEqual([]));

  it('a wrong password is refused in the form, and the browser asks for no login itself', async () => {
    const other = await openTab(browser, { base, login });
    await other.page.getByLabel('User name').fill('demo');
    await other.page.getByLabel('Password or API token').fill('wrong');
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByText('User name and password do not match.').waitFor();
    await expectAccessible(other.page, axe);
    expect(other.faults).toEqual([]);
    await other.context.close();
  });

  it('a push is seen from its first row to the address of the application, without a reload', async () => {
    await shows('A first page', 'Deployed');
    await tab.page.getByText('Live', { exact: true }).waitFor();
    const shop = await tree('shop');
    const seen = join(dataDir, 'seen');
    const scripts = { start: 'node server.js', build: `until [ -e "${seen}" ]; do sleep 0.05; done` };
    const manifest = JSON.stringify({ name: 'shop', version: '1.0.0', scripts });
    shop.commit({ ...application('shop', 'one'), 'package.json': manifest }, 'Prices have a currency');
    const pushed = shop.push();
    await shows('Prices have a currency', 'Deploying');
    writeFileSync(seen, '');
    await pushed;
    await shows('Prices have a currency', 'Deployed');
    await rowOf('Prices have a currency').getByText('Current').waitFor();
    await rowOf('Prices have a currency')
      .getByRole('link', { name: /Prices/ })
      .click();
    const address = tab.page.getByRole('region', { name: 'Outcome' }).getByRole('link');
    expect(await (await fetch((await address.getAttribute('href')) ?? '')).text()).toBe('one');
    expect(await tab.page.locator('.step.done').count()).toBe(5);
    expect(tab.page.url()).toMatch(/#\/demo\/deploys\/[0-9a-f]{32}$/);
    await expectAccessible(tab.page, axe);
  });

  it('a failed one says why first, with the last lines that it printed; texts of others are texts', async () => {
    const shop = trees[0] as GitFolder;
    const broken = `console.error(${JSON.stringify(HOSTILE)}); throw new Error('no database');\n`;
    shop.commit({ 'server.js': broken }, HOSTILE);
    await go('#/demo/deploys');
    await shop.push();
    await shows('"quoted"', 'Failed');
    await rowOf('"quoted"').getByRole('link').first().click();
    const reason = tab.page.getByRole('region', { name: 'Reason' });
    await reason
      .getByText(/no database/)
      .first()
      .waitFor();
    await reason.getByText('deploy:platform:start_app').waitFor();
    await tab.page.getByRole('region', { name: 'The last lines that it printed' }).getByText('<img src=x').waitFor();
    expect(await tab.page.evaluate('document.querySelectorAll("main img").length')).toBe(0);
    await expectAccessible(tab.page, axe);
  });

  it('a rollback starts the deploy before, and both tabs see it', async () => {
    const shop = trees[0] as GitFolder;
    shop.commit(application('shop', 'two'), 'The second page');
    await go('#/demo/apps/shop');
    await shop.push();
    const other = await signIn(browser, { base, login, hash: '#/demo/deploys' });
    await rowOfIn(other, 'The second page').getByText('Deployed').waitFor();
    await tab.page.getByRole('button', { name: /Roll back to #/ }).click();
    await expectAccessible(tab.page, axe);
    await tab.page.getByRole('button', { name: 'Roll back', exact: true }).click();
    await other.page.locator('li.row').first().getByText('Rolled back').waitFor();
    const url = await tab.page.locator('.title a').getAttribute('href');
    expect(await (await fetch(url ?? '')).text()).toBe('one');
    expect(other.faults).toEqual([]);
    await other.context.close();
  });

  it('a variable is shown on a click, and the output of the application as it prints it', async () => {
    await tab.page.getByLabel('Name', { exact: true }).fill('GREETING');
    await tab.page.getByLabel('Value', { exact: true }).fill('good morning');
    await tab.page.getByRole('button', { name: 'Set' }).click();
    await tab.page.getByRole('button', { name: 'Show GREETING' }).waitFor();
    expect(await tab.page.getByText('good morning').count()).toBe(0);
    await tab.page.getByRole('button', { name: 'Show GREETING' }).click();
    await tab.page.getByText('good morning').waitFor();
    await tab.page.locator('.output p').first().waitFor();
    await expectAccessible(tab.page, axe);
  });

  it('a hold is released by a click', async () => {
    const blog = await tree('blog');
    const travis = 'notifications:\n  webhooks: https://ci.example.com/1/deploy\n';
    blog.commit({ ...application('blog', 'held'), '.travis.yml': travis }, 'Waits for Travis');
    await go('#/demo/deploys');
    await blog.push();
    await shows('Waits for Travis', 'Waiting for CI');
    await rowOf('Waits for Travis').getByRole('link').first().click();
    await tab.page.getByRole('button', { name: 'Deploy without waiting' }).click();
    await tab.page.getByRole('region', { name: 'Outcome' }).waitFor();
  });

  it('what happened while the service was down, or the network, is there afterwards without a reload', async () => {
    await go('#/demo/deploys');
    await tab.page.getByText('Live', { exact: true }).waitFor();
    const { port } = new URL(base);
    service.kill();
    await service.ended;
    await tab.page.getByText('Connecting', { exact: true }).waitFor();
    service = startProcess({ dataDir, port: Number(port) });
    await service.printed(/Ctrl-C ends everything/);
    const { host } = new URL(readFileSync(join(dataDir, 'repositories-url'), 'utf8'));
    const blog = trees[1] as GitFolder;
    blog.git('remote', 'set-url', 'origin', `http://${login}@${host}/demo/blog.git`);
    await tab.context.setOffline(true);
    await tab.page.getByText('Offline', { exact: true }).waitFor();
    blog.commit({ '.travis.yml': null, 'package.json': null }, 'Without a package.json');
    await blog.push();
    await tab.context.setOffline(false);
    await shows('Without a package.json', 'Failed');
    await tab.page.getByText('Live', { exact: true }).waitFor();
  });

  it('every view is accessible and fits every width, in light and dark', async () => {
    for (const [width, colorScheme] of [
      [320, 'dark'],
      [768, 'light'],
      [3840, 'dark'],
    ] as const) {
      const options = { viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' } as const;
      const other = await signIn(browser, { base, login, options });
      for (const [view, heading] of [
        ['deploys', 'Deploys'],
        ['apps', 'Applications'],
        ['connect', 'Connect a repository'],
        ['settings', 'Settings'],
      ] as const) {
        await other.page
          .getByRole('navigation', { name: 'Views' })
          .getByRole('link', { name: heading.split(' ')[0] ?? '' })
          .click();
        await other.page.getByRole('heading', { name: heading }).waitFor();
        await other.page.locator('[aria-busy]').waitFor({ state: 'hidden' });
        expect(other.page.url()).toContain(`#/demo/${view}`);
        await expectNoSideScroll(other.page);
        if (width === 320) await expectAccessible(other.page, axe);
      }
      expect(other.faults).toEqual([]);
      await other.context.close();
    }
  });

  it('a page of an allowed origin follows changes, changes something and reads errors; no other page does', async () => {
    const script = `(async () => {
      const headers = { authorization: 'Basic ' + btoa(${JSON.stringify(login)}) };
      const stop = new AbortController();
      const changes = '${base}/1/status/demo/changes?since=0';
      const stream = await fetch(changes, { headers, signal: stop.signal });
      const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      while (!text.includes('"seq":1')) text += (await reader.read()).value;
      stop.abort();
      const json = { ...headers, 'content-type': 'application/json' };
      const body = JSON.stringify({ value: 'hello' });
      const put = (name) => fetch('${base}/1/apps/demo/shop/env/' + name + '?restart=false', { method: 'PUT', headers: json, body });
      const set = await put('GREETING');
      const refused = await put('no-name');
      const wrong = await fetch(changes, { headers: { authorization: 'Basic ' + btoa('demo:wrong') } });
      return [stream.status, set.status, refused.status, wrong.status, wrong.headers.has('x-api-uuid'), (await wrong.json()).code];
    })()`;
    const { page } = await openTab(browser, { base: dashboard.origin, login });
    expect(await page.evaluate(script)).toEqual([200, 200, 400, 401, true, 'mw:auth:unauthorized']);
    await page.goto(stranger.origin);
    await expect(page.evaluate(script)).rejects.toThrow('Failed to fetch');
    await page.close();
  });

  it('a login that is revoked ends in every tab, and leads back to where one was', async () => {
    const made = await fetch(`${base}/1/auth/tokens`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(login)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'short-lived' }),
    });
    const { token } = await bodyOf(made, { token: v.string() });
    const other = await signIn(browser, { base, login: `demo:${token}`, hash: '#/demo/settings' });
    await other.page.getByRole('button', { name: 'Revoke short-lived' }).click();
    await other.page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await other.page.getByText('This login is no longer valid. Sign in again.').waitFor();
    expect(other.page.url()).toContain('#/demo/settings');
    expect(await other.page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
    await other.context.close();
  });
});

interface EmptyPage {
  readonly origin: string;
  close(): void;
}

async function emptyPage(): Promise<EmptyPage> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A page</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { origin: `http://127.0.0.1:${port}`, close: () => server.closeAllConnections() ?? server.close() };
}

function rowOfIn({ page }: Tab, message: string) {
  return page.locator('li.row', { hasText: message });
}
