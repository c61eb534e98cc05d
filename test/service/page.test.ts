import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bodyOf } from '../support/body-of.ts';
import { expectAccessible, expectNoSideScroll, openTab, signIn, type Tab } from '../support/browser/page-driver.ts';
import { type VisitedService, visitedService } from '../support/browser/visited-service.ts';
import { application, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { type HttpServer, httpServer } from '../support/service/http-server.ts';
import { seenByBuilds } from '../support/service/place.ts';

const HOSTILE = '<img src=x onerror=alert(1)> "quoted" {{x}} \u202eright-to-left';

describe('the page, in a browser', () => {
  let at: VisitedService;
  /** Pages of other sites: one that may call the API, and one that may not. */
  let dashboard: HttpServer;
  let stranger: HttpServer;
  const trees: GitFolder[] = [];

  async function tree(name: string): Promise<GitFolder> {
    const { host } = new URL(readFileSync(join(at.dataDir, 'repositories-url'), 'utf8'));
    const made = gitFolder(`http://${at.login}@${host}/demo/${name}.git`);
    trees.push(made);
    return made;
  }
  const rowOf = (message: string) => at.tab.page.locator('li.row', { hasText: message });
  const shows = (message: string, status: string) => rowOf(message).getByText(status).waitFor();
  const go = async (hash: string) => at.tab.page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

  beforeAll(async () => {
    [dashboard, stranger] = await Promise.all([emptyPage(), emptyPage()]);
    at = await visitedService('page', { config: { allowedOrigins: [dashboard.url] } });
  });
  afterAll(async () => {
    await at?.close();
    for (const page of [dashboard, stranger]) await page.close();
  });
  afterEach(() => expect(at.tab.faults).toEqual([]));

  it('a wrong password is refused in the form, and the browser asks for no login itself', async () => {
    const other = await openTab(at.browser, at);
    await other.page.getByLabel('User name').fill('demo');
    await other.page.getByLabel('Password or API token').fill('wrong');
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByText('User name and password do not match.').waitFor();
    await expectAccessible(other.page, at.axe);
    expect(other.faults).toEqual([]);
    await other.context.close();
  });

  it('a push is seen from its first row to the address of the application, without a reload', async () => {
    await shows('A first page', 'Deployed');
    await at.tab.page.getByText('Live', { exact: true }).waitFor();
    const shop = await tree('shop');
    const seen = join(seenByBuilds(at.dataDir), 'seen');
    const scripts = { start: 'node server.js', build: `until [ -e "${seen}" ]; do sleep 0.05; done` };
    const manifest = JSON.stringify({ name: 'shop', version: '1.0.0', scripts });
    shop.commit({ ...application('shop', 'one'), 'package.json': manifest }, 'Prices have a currency');
    const pushed = shop.push();
    await shows('Prices have a currency', 'Deploying');
    await rowOf('Prices have a currency')
      .getByText(/^build\d/)
      .waitFor();
    writeFileSync(seen, '');
    await pushed;
    await shows('Prices have a currency', 'Deployed');
    await rowOf('Prices have a currency').getByText('Current').waitFor();
    await rowOf('Prices have a currency')
      .getByRole('link', { name: /Prices/ })
      .click();
    const address = at.tab.page.getByRole('region', { name: 'Outcome' }).getByRole('link');
    expect(await (await fetch((await address.getAttribute('href')) ?? '')).text()).toBe('one');
    expect(await at.tab.page.locator('.step.done').count()).toBe(5);
    expect(at.tab.page.url()).toMatch(/#\/demo\/deploys\/[0-9a-f]{32}$/);
    await expectAccessible(at.tab.page, at.axe);
  });

  it('a failed one says why first, with the last lines that it printed; texts of others are texts', async () => {
    const shop = trees[0] as GitFolder;
    const broken = `console.error(${JSON.stringify(HOSTILE)}); throw new Error('no database');\n`;
    shop.commit({ 'server.js': broken }, HOSTILE);
    await go('#/demo/deploys');
    await shop.push();
    await shows('"quoted"', 'Failed');
    await rowOf('"quoted"').getByRole('link').first().click();
    const reason = at.tab.page.getByRole('region', { name: 'Reason' });
    await reason
      .getByText(/no database/)
      .first()
      .waitFor();
    await reason.getByText('deploy:platform:start_app').waitFor();
    await at.tab.page.getByRole('region', { name: 'The last lines that it printed' }).getByText('<img src=x').waitFor();
    expect(await at.tab.page.evaluate('document.querySelectorAll("main img").length')).toBe(0);
    await expectAccessible(at.tab.page, at.axe);
  });

  it('a rollback starts the deploy before, and both tabs see it', async () => {
    const shop = trees[0] as GitFolder;
    shop.commit(application('shop', 'two'), 'The second page');
    await go('#/demo/apps/shop');
    await shop.push();
    const other = await signIn(at.browser, { ...at, hash: '#/demo/deploys' });
    await rowOfIn(other, 'The second page').getByText('Deployed').waitFor();
    await at.tab.page.getByRole('button', { name: /Roll back to #/ }).click();
    await expectAccessible(at.tab.page, at.axe);
    await at.tab.page.getByRole('button', { name: 'Roll back', exact: true }).click();
    await other.page.locator('li.row').first().getByText('Rolled back').waitFor();
    const url = await at.tab.page.locator('.title a').getAttribute('href');
    expect(await (await fetch(url ?? '')).text()).toBe('one');
    expect(other.faults).toEqual([]);
    await other.context.close();
  });

  it('a variable is shown on a click, and the output of the application as it prints it', async () => {
    await at.tab.page.locator('.output p').first().waitFor();
    await at.tab.page.getByRole('link', { name: 'Variables', exact: true }).click();
    await at.tab.page.getByLabel('Name', { exact: true }).fill('GREETING');
    await at.tab.page.getByLabel('Value', { exact: true }).fill('good morning');
    await at.tab.page.getByRole('button', { name: 'Set', exact: true }).click();
    await at.tab.page.getByRole('button', { name: 'Show GREETING' }).waitFor();
    expect(await at.tab.page.getByText('good morning').count()).toBe(0);
    await at.tab.page.getByRole('button', { name: 'Show GREETING' }).click();
    await at.tab.page.getByText('good morning').waitFor();
    await expectAccessible(at.tab.page, at.axe);
  });

  it('a hold is released by a click', async () => {
    const blog = await tree('blog');
    const travis = 'notifications:\n  webhooks: https://ci.example.com/1/deploy\n';
    blog.commit({ ...application('blog', 'held'), '.travis.yml': travis }, 'Waits for Travis');
    await go('#/demo/deploys');
    await blog.push();
    await shows('Waits for Travis', 'Waiting for CI');
    await rowOf('Waits for Travis').getByRole('link').first().click();
    await at.tab.page.getByRole('button', { name: 'Deploy without waiting' }).click();
    await at.tab.page.getByRole('region', { name: 'Outcome' }).waitFor();
  });

  it('what happened while the service was down, or the network, is there afterwards without a reload', async () => {
    await go('#/demo/deploys');
    await at.tab.page.getByText('Live', { exact: true }).waitFor();
    await at.stop();
    await at.tab.page.getByText('Connecting', { exact: true }).waitFor();
    await at.start();
    const { host } = new URL(readFileSync(join(at.dataDir, 'repositories-url'), 'utf8'));
    const blog = trees[1] as GitFolder;
    blog.git('remote', 'set-url', 'origin', `http://${at.login}@${host}/demo/blog.git`);
    await at.tab.context.setOffline(true);
    await at.tab.page.getByText('Offline', { exact: true }).waitFor();
    blog.commit({ '.travis.yml': null, 'package.json': null }, 'Without a package.json');
    await blog.push();
    await at.tab.context.setOffline(false);
    await shows('Without a package.json', 'Failed');
    await at.tab.page.getByText('Live', { exact: true }).waitFor();
  });

  it('every view is accessible and fits the width of a telephone', async () => {
    const options = { viewport: { width: 320, height: 900 }, colorScheme: 'dark' } as const;
    const other = await signIn(at.browser, { ...at, options });
    for (const [view, heading] of [
      ['deploys', 'Deploys'],
      ['apps', 'Applications'],
      ['connect', 'Connect a repository'],
      ['settings', 'Settings'],
    ] as const) {
      const views = other.page.getByRole('navigation', { name: 'Views' });
      await views.getByRole('link', { name: heading.split(' ')[0] ?? '' }).click();
      await other.page.getByRole('heading', { name: heading }).waitFor();
      await other.page.locator('[aria-busy]').waitFor({ state: 'hidden' });
      expect(other.page.url()).toContain(`#/demo/${view}`);
      await expectNoSideScroll(other.page);
      await expectAccessible(other.page, at.axe);
    }
    expect(other.faults).toEqual([]);
    await other.context.close();
  });

  it('a page of an allowed origin follows changes, changes something and reads errors; no other page does', async () => {
    const script = `(async () => {
      const headers = { authorization: 'Basic ' + btoa(${JSON.stringify(at.login)}) };
      const stop = new AbortController();
      const changes = '${at.base}/1/status/demo/changes?since=0';
      const stream = await fetch(changes, { headers, signal: stop.signal });
      const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      while (!text.includes('"seq":1')) text += (await reader.read()).value;
      stop.abort();
      const json = { ...headers, 'content-type': 'application/json' };
      const body = JSON.stringify({ value: 'hello' });
      const put = (name) => fetch('${at.base}/1/apps/demo/shop/env/' + name + '?restart=false', { method: 'PUT', headers: json, body });
      const set = await put('GREETING');
      const refused = await put('no-name');
      const wrong = await fetch(changes, { headers: { authorization: 'Basic ' + btoa('demo:wrong') } });
      return [stream.status, set.status, refused.status, wrong.status, wrong.headers.has('x-api-uuid'), (await wrong.json()).code];
    })()`;
    const { page } = await openTab(at.browser, { base: dashboard.url, login: at.login });
    expect(await page.evaluate(script)).toEqual([200, 200, 400, 401, true, 'mw:auth:unauthorized']);
    await page.goto(stranger.url);
    await expect(page.evaluate(script)).rejects.toThrow('Failed to fetch');
    await page.close();
  });

  it('a login that is revoked ends in every tab, and leads back to where one was', async () => {
    const made = await fetch(`${at.base}/1/auth/tokens`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(at.login)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'short-lived' }),
    });
    const { token } = await bodyOf(made, { token: v.string() });
    const other = await signIn(at.browser, { base: at.base, login: `demo:${token}`, hash: '#/demo/settings' });
    await other.page.getByRole('button', { name: 'Revoke short-lived' }).click();
    await other.page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await other.page.getByText('This login is no longer valid. Sign in again.').waitFor();
    expect(other.page.url()).toContain('#/demo/settings');
    expect(await other.page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
    await other.context.close();
  });
});

function emptyPage(): Promise<HttpServer> {
  return httpServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A page</title>');
  });
}

function rowOfIn({ page }: Tab, message: string) {
  return page.locator('li.row', { hasText: message });
}
