import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectNoSideScroll, openTab, signIn } from '../support/browser/page-driver.ts';
import { type VisitedService, visitedService } from '../support/browser/visited-service.ts';
import { application, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { seenByBuilds } from '../support/service/place.ts';

const HOSTILE = '<img src=x onerror=alert(1)> "quoted" {{x}} \u202eright-to-left';

describe('the page, in a browser', () => {
  let at: VisitedService;
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
    at = await visitedService('page');
  });
  afterAll(() => at?.close());
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

  it('a variable is shown on a click, and the output of the application as it prints it', async () => {
    await go('#/demo/apps/shop');
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
});
