import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bodyOf } from '../../support/body-of.ts';
import { openTab, signIn } from '../../support/browser/page-driver.ts';
import { type VisitedService, visitedService } from '../../support/browser/visited-service.ts';
import { application, type GitFolder, gitFolder } from '../../support/service/git-folder.ts';
import { type HttpServer, httpServer } from '../../support/service/http-server.ts';

describe('the page, in several tabs, on other sites and beside a service that is away', () => {
  let at: VisitedService;
  /** Pages of other sites: one that may call the API, and one that may not. */
  let dashboard: HttpServer;
  let stranger: HttpServer;
  let blog: GitFolder;

  const remote = (name: string) => {
    const { host } = new URL(readFileSync(join(at.dataDir, 'repositories-url'), 'utf8'));
    return `http://${at.login}@${host}/demo/${name}.git`;
  };
  const tree = (name: string) => gitFolder(remote(name));
  const rowOf = (message: string) => at.tab.page.locator('li.row', { hasText: message });
  const shows = (message: string, status: string) => rowOf(message).getByText(status).waitFor();
  const go = async (hash: string) => at.tab.page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

  beforeAll(async () => {
    [dashboard, stranger] = await Promise.all([emptyPage(), emptyPage()]);
    at = await visitedService('page-tabs', { config: { allowedOrigins: [dashboard.url] } });
  });
  afterAll(async () => {
    await at?.close();
    for (const page of [dashboard, stranger]) await page.close();
  });
  afterEach(() => expect(at.tab.faults).toEqual([]));

  it('a hold is released by a click', async () => {
    blog = tree('blog');
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
    blog.git('remote', 'set-url', 'origin', remote('blog'));
    await at.tab.context.setOffline(true);
    await at.tab.page.getByText('Offline', { exact: true }).waitFor();
    blog.commit({ '.travis.yml': null, 'package.json': null }, 'Without a package.json');
    await blog.push();
    await at.tab.context.setOffline(false);
    await shows('Without a package.json', 'Failed');
    await at.tab.page.getByText('Live', { exact: true }).waitFor();
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
      const put = (name) => fetch('${at.base}/1/apps/demo/hello/env/' + name + '?restart=false', { method: 'PUT', headers: json, body });
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
