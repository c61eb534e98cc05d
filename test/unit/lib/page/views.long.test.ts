import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SETTING_NAMES } from '../../../../functions/core/apps/settings.ts';
import { version } from '../../../../functions/core/version.ts';
import type { Browser } from '../../../support/browser/api.ts';
import { axeSource, startBrowser } from '../../../support/browser/browser.ts';
import { cannedLog } from '../../../support/browser/canned/entries.ts';
import { type Canned, type CannedService, cannedService, SET } from '../../../support/browser/canned/service.ts';
import { expectAccessible, expectNoSideScroll, signIn, type Tab } from '../../../support/browser/page-driver.ts';

const FAILED = 'deploys/7c9e6679f0e4a31b5d28000000000008';
const LOGIN = 'ann:sesame';

/** On a machine that does other things too. */
const SLOW_MS = 120_000;

/** Runs in the page, before its script: sums up how much what was drawn has moved. */
const COUNT_SHIFTS = `globalThis.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) globalThis.shifted += entry.value;
}).observe({ type: 'layout-shift', buffered: true });`;

const LACKING = 'Applications are not isolated: bubblewrap is not installed.';

describe('the page, in a browser', () => {
  let service: CannedService;
  let browser: Browser;
  let axe: string;
  let refuses = (_path: string, _query: URLSearchParams, _body: string): Canned | undefined => undefined;
  const tabs: Tab[] = [];

  const open = async (hash: string, options = {}): Promise<Tab> => {
    const tab = await signIn(browser, { base: service.base, login: LOGIN, hash: `#/ann/${hash}`, options });
    tabs.push(tab);
    return tab;
  };

  beforeAll(async () => {
    const starting = [cannedService((...asked) => refuses(...asked)), startBrowser(), axeSource()] as const;
    [service, browser, axe] = await Promise.all(starting);
  });
  afterEach(async () => {
    refuses = () => undefined;
    for (const { faults, context } of tabs.splice(0)) {
      await context.close();
      expect(faults).toEqual([]);
    }
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  it('the answer to "my push did nothing" is closed by a filter, and opens again', async () => {
    const { page } = await open('deploys');
    const question = page.getByRole('button', { name: 'My push did nothing' });
    const answer = page.getByRole('region', { name: 'My push did nothing' });
    await question.click();
    await answer.waitFor();
    await page.getByLabel('Status').selectOption('failed');
    await answer.waitFor({ state: 'hidden' });
    await question.click();
    await answer.getByText('Is there a row for it?').waitFor();
  });

  it('of many applications those that fail come first, and a field finds one by its name', async () => {
    const { apps } = cannedLog(service.base);
    const [one] = apps;
    const named = (name: string, state: string) => ({ ...one, name, state, active: null });
    const many = ['a', 'b', 'C', 'd', 'e'].map((name) => named(`shop-${name}`, 'running'));
    const used = { requests: 1204, memory: 71e6 };
    const all = [...many, named('worker', 'restarting'), { ...named('zeta', 'crashed'), used }];
    refuses = (path) => (path === '/1/apps/ann' ? { status: 200, body: { apps: all } } : undefined);
    const { page } = await open('apps');
    const field = page.getByRole('searchbox', { name: 'Find an application' });
    await field.waitFor();
    const cards = page.locator('.app-card h2');
    await expect.poll(() => cards.first().textContent()).toBe('zeta');
    const foot = await page.locator('.app-card').first().textContent();
    expect(foot).toContain('1204 requests/h, 68 MB');
    await field.click();
    for (const key of ['-', 'c', '/']) await page.keyboard.press(key);
    await page.getByText('No application has “-c/” in its name.').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('Backspace');
    await expect.poll(() => cards.count()).toBe(1);
    expect(await cards.first().textContent()).toBe('shop-C');
    await expectAccessible(page, axe);
  });

  it('/ finds applications, deploys and commands from each view, by keys alone', async () => {
    const { rows, apps } = cannedLog(service.base);
    refuses = (path) => (path === '/1/apps/ann' ? { status: 200, body: { apps } } : undefined);
    const { page } = await open('settings');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    const field = page.getByRole('searchbox', { name: 'Find applications, deploys and commands' });
    const found = page.getByRole('dialog').getByRole('link');
    const { name } = apps[0] as { readonly name: string };
    const commits = rows.map(({ commit }) => String(commit).split('/').at(-1) ?? '');
    const sha = commits.find((one) => one.length === 40) ?? '';

    await page.keyboard.press('/');
    await field.waitFor();
    await expectAccessible(page, axe);
    await field.fill(name.toUpperCase());
    await expect.poll(() => found.first().textContent()).toContain(`${name}Application`);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name }).first().waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);

    await page.keyboard.press('/');
    await field.fill(sha.slice(0, 10));
    await expect.poll(() => found.first().textContent()).toMatch(/Deploy$/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate<string>('location.hash')).toMatch(/^#\/ann\/deploys\/[0-9a-f]{32}$/);

    await page.keyboard.press('/');
    await field.fill('new appl');
    await expect.poll(() => found.count()).toBe(1);
    await field.fill('nothing/of the kind');
    await expect.poll(() => found.count()).toBe(0);
    await page.keyboard.press('Enter');
    // The first one empties the field.
    for (const key of ['Escape', 'Escape']) await page.keyboard.press(key);
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await page.evaluate<string>('location.hash')).toMatch(/^#\/ann\/deploys\//);
  });

  it('previews are listed under their application, and not between the applications', async () => {
    const { rows, apps } = cannedLog(service.base);
    const own = { pull_request: 7, preview_of: 'shop', app_name: 'shop-pr-7' };
    const [first, second] = rows;
    const said = { message: 'Blue, '.repeat(40), author: 'octocat', branch: 'a/'.repeat(60) };
    const active = { ...second, ...own, status: 'ok', doc: { ...(second?.doc as object), ...said } };
    const fork = { ...own, pull_request: 11, app_name: 'shop-pr-11', status: 'held' };
    const repository = { host: 'github', owner: 'ann', name: 'shop', url: 'https://github.com/ann/shop' };
    const held = { ...first, ...fork, doc: { ...(first?.doc as object), message: 'From a fork', repository } };
    const preview = { ...own, name: 'shop-pr-7', state: 'asleep', url: 'https://shop-pr-7.example.com', active };
    const forkId = String(first?.id).split('/').at(-1) ?? '';
    const log = { total: 9, skip: 0, limit: 50, rows: [held, ...rows.slice(1)] };
    refuses = (path) => {
      if (path === '/1/apps/ann') return { status: 200, body: { apps: [...apps, preview] } };
      if (path.endsWith(forkId)) return { status: 200, body: held };
      return path.endsWith('/webhooks') ? { status: 200, body: log } : undefined;
    };
    const { page } = await open('apps');
    await page.getByText('2 previews').waitFor();
    expect(await page.getByRole('heading', { name: 'shop', exact: true }).count()).toBe(1);
    expect(await page.getByRole('heading', { name: 'shop-pr-7' }).count()).toBe(0);
    await page.evaluate(`location.hash = '#/ann/apps/shop'`);
    const list = page.getByRole('region', { name: 'Previews' });
    await list.getByText('Asleep').waitFor();
    for (const text of ['Blue,', 'octocat', 'a/a/', '#7', 'From a fork', 'Waiting for CI', '#11']) {
      await list.getByText(text).waitFor();
    }
    const links = `[...document.querySelectorAll('[aria-labelledby=previews] a')].map((one) => one.getAttribute('href'))`;
    expect(await page.evaluate(links)).toEqual([
      '#/ann/apps/shop-pr-7',
      'https://shop-pr-7.example.com/',
      expect.stringMatching(/^#\/ann\/deploys\/[0-9a-f]{20}0{10}09$/),
    ]);
    await expectAccessible(page, axe);
    for (const hash of ['apps/shop', 'apps']) {
      await page.evaluate(`location.hash = '#/ann/${hash}'`);
      await page.getByText(hash === 'apps' ? '2 previews' : 'From a fork').waitFor();
      await page.setViewportSize({ width: 390, height: 900 });
      await expectNoSideScroll(page);
    }
    await page.evaluate(`location.hash = '#/ann/deploys/${forkId}'`);
    expect(await page.getByRole('link', { name: '#11' }).getAttribute('href')).toBe(`${repository.url}/pull/11`);
    await page.evaluate(`location.hash = '#/ann/apps/blog'`);
    await page.getByRole('heading', { name: 'Deploys' }).waitFor();
    expect(await list.count()).toBe(0);
  });

  it('nothing moves while a view is read', async () => {
    const { page } = await open('settings');
    await page.addInitScript({ content: COUNT_SHIFTS });
    for (const [hash, text] of [
      ['deploys', 'First post'],
      ['apps', 'Read invoices'],
    ] as const) {
      await page.evaluate(`location.hash = '#/ann/${hash}'`);
      await page.reload();
      await page.getByText(text).waitFor();
      await page.getByText('Live', { exact: true }).waitFor();
      expect(await page.evaluate<number>('globalThis.shifted'), hash).toBeLessThan(0.01);
    }
  });

  it('everything is reached by keyboard: past the bar, into a row, and back', async () => {
    const { page } = await open('deploys');
    await page.getByText('First post').waitFor();
    const focused = () => page.evaluate<string>('document.activeElement.textContent.trim()');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    const passed: string[] = [];
    while (!(await focused()).startsWith('shop')) {
      await page.keyboard.press('Tab');
      passed.push(await focused());
    }
    expect(passed.length).toBe(6);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'shop #9' }).waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Deploys');
  });

  it('every control of every view is reached by Tab', async () => {
    const { page } = await open('deploys');
    await page.evaluate(`addEventListener('focusin', ({ target }) => globalThis.reached?.add(target))`);
    for (const [hash, text] of [
      ['deploys', 'First post'],
      [FAILED, 'tsc --project'],
      ['apps', 'Read invoices'],
      ['apps/billing-api', 'node worker.js'],
      ['apps/billing-api?show=variables', 'MAIL_FROM'],
      ['apps/billing-api?show=settings', 'Remove billing-api'],
      ['new', 'Waiting for the first push'],
      ['connect', 'Payload URL'],
      ['settings', 'No token is stored'],
    ] as const) {
      await page.evaluate(`location.hash = '#/ann/${hash}'`);
      await page.getByText(text).first().waitFor();
      // More may be drawn meanwhile: then all are counted again.
      await expect
        .poll(
          async () => {
            // A group of tabs is one stop: the arrows lead from tab to tab.
            const controls = await page.evaluate<number>(
              `[...document.querySelectorAll('a[href], button:enabled, input, select, textarea, summary, [tabindex="0"]')]
                .filter((one) => one.checkVisibility() && !one.matches('[role=tab][aria-selected=false]')).length`,
            );
            await page.evaluate('globalThis.reached = new Set(); document.activeElement.blur()');
            for (let pressed = 0; pressed <= controls; pressed += 1) await page.keyboard.press('Tab');
            return controls - (await page.evaluate<number>('reached.size'));
          },
          { message: hash },
        )
        .toBe(0);
    }
  });

  it('a question is asked, answered and left by keys alone', async () => {
    const { page } = await open('apps/billing-api');
    const focused = () => page.evaluate<string>('document.activeElement.textContent.trim()');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await page.evaluate(`[...document.querySelectorAll('button')].find((one) => one.textContent === 'Stop').focus()`);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    expect(await focused()).toBe('Cancel');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Stop');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await focused()).toBe('Stop');
  });

  it('a domain is listed with where it redirects to, and one is added, to be served or to redirect', async () => {
    const asked: string[] = [];
    refuses = (path, query) => {
      if (!path.includes('/domains/')) return undefined;
      asked.push(`${path.split('/').at(-1)} ${query.get('redirect')}`);
      return { status: 201, body: {} };
    };
    const { page } = await open('apps/billing-api?show=settings');
    await page.locator('.line', { hasText: /www.*redirects to billing\.example\.com/ }).waitFor();
    const section = page.getByRole('region', { name: 'Domains' });
    const add = async () => {
      await section.getByRole('textbox', { name: 'Domain' }).fill('new.example.com');
      await section.getByRole('button', { name: 'Add', exact: true }).click();
    };
    await add();
    await expect.poll(() => asked).toEqual(['new.example.com null']);
    // The form is emptied when it is done.
    await expect.poll(() => page.evaluate<string>(`document.querySelector('[name=domain]').value`)).toBe('');
    const choices = section.locator('select option');
    const texts = ['is served', 'redirects to billing.example.com', 'redirects to invoices.example.com'];
    expect([
      await choices.count(),
      ...(await Promise.all(texts.map((_, at) => choices.nth(at).textContent()))),
    ]).toEqual([3, ...texts]);
    await page.evaluate(`document.querySelector('select[name=redirect]').value = 'billing.example.com'`);
    await add();
    await expect.poll(() => asked.at(-1)).toBe('new.example.com billing.example.com');
    await expectAccessible(page, axe);
  });

  it('each setting has a row with who has said it, and is changed there', async () => {
    const sent: string[] = [];
    refuses = (path, _query, body) => {
      if (!path.endsWith('/settings') || body === '') return undefined;
      sent.push(body);
      const detail = 'The setting output must be a folder of the application.';
      const refusal = { code: 'request:bad_parameter', status: 400, title: 'A parameter is wrong.', detail };
      if (body.includes('../x')) return { status: 400, body: refusal };
      return { status: 200, body: { ...SET, ...JSON.parse(body), next: 'The next deploy uses it.' } };
    };
    const { page } = await open('apps/billing-api?show=settings');
    const section = page.getByRole('region', { name: 'Build and start' });
    const field = (name: string) => section.locator(`input[aria-label="${name}"]`);
    const row = (name: string) => page.locator('form.choice', { hasText: new RegExp(`^${name}`) });
    await row('build').getByRole('button', { name: 'Unset build' }).waitFor();
    expect(await section.locator('input').count()).toBe(SETTING_NAMES.length);
    expect(await field('password').getAttribute('type')).toBe('password');
    expect(await field('build').getAttribute('value')).toBe('npm run site');
    for (const said of ['build set', 'output by package.json', 'install found', 'start not set']) {
      expect(await row(said.split(' ')[0] ?? '').textContent()).toContain(said);
    }

    expect(await field('install').getAttribute('placeholder')).toBe('npm ci');
    expect(await page.getByText('main', { exact: true }).count()).toBe(0);

    await field('output').fill('../x');
    await row('output').getByRole('button', { name: 'Set output' }).click();
    await row('output').getByText('must be a folder of the application').waitFor();
    await field('output').fill('site');
    await row('output').getByRole('button', { name: 'Set output' }).click();
    await section.getByText('The next deploy uses it.').waitFor();
    await row('build').getByRole('button', { name: 'Unset build' }).click();
    await expect.poll(() => row('build').textContent()).toContain('build found');
    expect(await field('build').getAttribute('value')).toBe('');
    expect(sent).toEqual(['{"output":"../x"}', '{"output":"site"}', '{"build":null}']);

    await field('password').fill('correct horse');
    await row('password').getByRole('button', { name: 'Set password', exact: true }).click();
    await row('password').getByRole('button', { name: 'Unset password' }).click();
    await expect.poll(() => sent.slice(-2)).toEqual([expect.stringContaining('horse'), '{"password":null}']);
  });

  it('says why a value of a variable cannot be shown', async () => {
    const detail = 'The platform does not answer.';
    refuses = (path, query) =>
      path.endsWith('/env') && query.get('values') === 'true'
        ? { status: 502, body: { code: 'request:failed', status: 502, title: 'Bad gateway.', detail } }
        : undefined;
    const { page } = await open('apps/billing-api?show=variables');
    await page.getByRole('button', { name: 'Show' }).first().click();
    await page.getByRole('alert').getByText(detail).waitFor();
  });

  it('says of an answer that it cannot read that it is unknown, and not that there is none', async () => {
    refuses = (path) => (path === '/1/apps/ann' ? { status: 200, body: {} } : undefined);
    const { page } = await open('apps');
    await page.getByRole('alert').getByText('something unknown').waitFor();
  });

  it('while too many streams are open it asks every few seconds, and shows what a build has printed so far', async () => {
    const body = { code: 'request:throttled', status: 429, title: 'Too many requests.', detail: 'Try again in 60 s.' };
    refuses = (path, query) => {
      const isStream = (path.endsWith('/changes') && query.get('feed') === null) || query.get('follow') === 'true';
      return isStream ? { status: 429, body, headers: { 'retry-after': '60' } } : undefined;
    };
    const { page } = await open(FAILED);
    await page.getByText('tsc --project').waitFor();
    expect(await page.getByText('tsc --project').count()).toBe(1);
    await page.getByText('Every 10 s').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it(
    'what could not be read while the service was away is read when it is back, and claims nothing before',
    async () => {
      const { page } = await open('deploys');
      await page.getByText('Live', { exact: true }).waitFor();
      const body = { code: 'request:failed', status: 502, title: 'Bad gateway.', detail: 'It starts again.' };
      refuses = () => ({ status: 502, body });
      service.cutStreams();
      await page.getByText('Connecting', { exact: true }).waitFor();
      await page.evaluate(`location.hash = '#/ann/settings'`);
      await page.getByText('It starts again.').nth(1).waitFor();
      expect(await page.getByText(/No API token yet|No token is stored/).count()).toBe(0);
      refuses = () => undefined;
      await page.getByText('No token is stored.').waitFor();
      await page.getByText('github', { exact: true }).first().waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
    },
    SLOW_MS,
  );

  it('a deploy that is unfinished is cancelled after a question, and the reason of a refusal is shown', async () => {
    const { doc: _, ...row } = cannedLog(service.base).rows[0] ?? { seq: 0 };
    const cancelled = { ...row, status: 'cancelled', reason: 'Cancelled by ann.', seq: row.seq + 1 };
    const detail = '#9 is running, and its application is being started.';
    const conflict = {
      status: 409,
      body: { code: 'request:conflict', status: 409, title: 'It does not fit.', detail },
    };
    refuses = (path) => (path.endsWith('/cancel') ? conflict : undefined);
    const { page } = await open('deploys');
    await page.getByText('Show the discount').first().click();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await expectAccessible(page, axe);
    await page.getByRole('button', { name: 'Cancel the deploy' }).click();
    await page.getByText(detail).waitFor();
    await page.getByRole('button', { name: 'Keep it' }).click();
    refuses = (path) => (path.endsWith('/cancel') ? { status: 202, body: cancelled } : undefined);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel the deploy' }).click();
    await page.getByText('Cancelled by ann.').waitFor();
    expect(await page.getByRole('button', { name: 'Cancel', exact: true }).count()).toBe(0);
  });

  it('the last lines of a failed deploy are shown from their end, where the reason is', async () => {
    const failed = cannedLog(service.base).rows.find(({ id }) => String(id).endsWith(FAILED.slice(8)));
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at + 1}`);
    const row = { ...failed, doc: { ...(failed?.doc as object), log_tail: lines } };
    refuses = (path) =>
      path.endsWith('/webhooks') ? { status: 200, body: { total: 1, skip: 0, limit: 50, rows: [row] } } : undefined;
    const { page } = await open('deploys');
    await page
      .getByRole('link', { name: /Read invoices/ })
      .first()
      .click();
    const tail = page.getByRole('region', { name: 'The last lines that it printed' });
    await tail.waitFor();
    const below = `(() => { const { scrollHeight, scrollTop, clientHeight } = document.querySelector('.tail');
      return [scrollTop > 0, Math.round(scrollHeight - scrollTop - clientHeight)]; })()`;
    expect(await page.evaluate(below)).toEqual([true, 0]);
  });

  it('a crash has an icon of its own in every list, without the frame of a box', async () => {
    const { rows, apps } = cannedLog(service.base);
    const crash = (row: object) => ({ ...row, status: 'crashed', reason: 'It has ended 5 times.' });
    const isShop = ({ app_name }: Record<string, unknown>) => app_name === 'shop';
    refuses = (path) => {
      if (path === '/1/apps/ann') {
        return { status: 200, body: { apps: apps.map((app) => ({ ...app, state: 'crashed' })) } };
      }
      const shown = rows.map((row) => (isShop(row) ? crash(row) : row));
      return path.endsWith('/webhooks')
        ? { status: 200, body: { total: 9, skip: 0, limit: 50, rows: shown } }
        : undefined;
    };
    const { page } = await open('deploys');
    const icons = `[...document.querySelectorAll('[data-shape=alert]')].map((icon) => {
      const { padding, backgroundColor, borderTopWidth } = getComputedStyle(icon);
      const { width, height } = icon.getBoundingClientRect();
      return [padding, backgroundColor, borderTopWidth, width, height].join(' ');
    })`;
    for (const hash of ['deploys', 'apps', 'apps/shop']) {
      await page.evaluate(`location.hash = '#/ann/${hash}'`);
      await page.getByText('Crashed').first().waitFor();
      const found = await page.evaluate<readonly string[]>(icons);
      expect(found.length).toBeGreaterThan(0);
      for (const icon of found) expect(icon).toMatch(/^0px rgba\(0, 0, 0, 0\) 0px (14|16) \1$/);
    }
  });

  it('a card has the last deploy also when that is older than what was read of the log', async () => {
    const { rows } = cannedLog(service.base);
    const others = rows.filter(({ app_name }) => app_name !== 'billing-api');
    refuses = (path) =>
      path.endsWith('/webhooks')
        ? { status: 200, body: { total: 900, skip: 0, limit: 50, rows: others.slice(0, 4) } }
        : undefined;
    const { page } = await open('apps');
    await page.getByText('no database: set DATABASE_URL').waitFor();
  });

  it('a repository that is connected is deployed at once, and its branch is that of the address', async () => {
    const bodies: string[] = [];
    const hidden = {
      code: 'deploy:repohost:no_pkg_json',
      status: 502,
      title: '',
      detail: 'It is private: pair a token.',
    };
    let reply: Canned = { status: 502, body: hidden };
    refuses = (path, _query, body) => {
      if (path !== '/1/apps/ann' || body === '') return undefined;
      bodies.push(body);
      return reply;
    };
    const { page } = await open('connect');
    const byDefault = () => page.getByLabel('Branch to deploy').getAttribute('placeholder');
    await expect.poll(byDefault).toBe('the service’s default: master');
    expect(await page.getByRole('button', { name: /^Deploy/ }).count()).toBe(0);
    await page.getByLabel('Repository').fill('team/web/store');
    const button = page.getByRole('button', { name: 'Deploy its default branch now' });
    await button.click();
    await page.getByText('It is private: pair a token.').waitFor();
    const { doc: _, ...row } = cannedLog(service.base).rows[0] ?? { seq: 0 };
    reply = { status: 202, body: row };
    await button.click();
    await page.getByRole('button', { name: 'Deploy main now' }).waitFor();
    expect(JSON.parse(bodies[1] ?? '')).toEqual({ repository: { host: 'github', owner: 'team/web', name: 'store' } });
    await page.getByText('?branch=main').first().waitFor();
    await expectAccessible(page, axe);
  });

  it('the last hour of an application is drawn where the service counts it, and is absent elsewhere', async () => {
    const { page } = await open('apps/billing-api');
    const hour = page.getByRole('region', { name: 'Last hour' });
    await hour.getByText(/^\d+, at most 3\d a minute$/).waitFor();
    await hour.getByText('5xx 6').waitFor();
    await hour.getByText(/^\d\d MB, at most 83 MB$/).waitFor();
    expect(await page.locator('.graph rect').count()).toBeGreaterThan(60);
    expect(await page.locator('.graph polyline').count()).toBe(1);
    await expectAccessible(page, axe);
    const body = { code: 'request:not_supported', status: 501, title: 'Not supported.', detail: '' };
    refuses = (path) => (path.endsWith('/processes') ? { status: 501, body } : undefined);
    await page.evaluate(`location.hash = '#/ann/apps/shop'`);
    await page.getByRole('heading', { name: 'Output' }).waitFor();
    expect(await hour.count()).toBe(0);
  });

  it('the last seven days of an application are shown by a button, and the last hour again by the other', async () => {
    const { page } = await open('apps/billing-api', { colorScheme: 'dark', viewport: { width: 390, height: 844 } });
    const week = page.getByRole('region', { name: 'Last 7 days' });
    expect(await week.count()).toBe(0);
    await page.locator('[aria-pressed="false"]', { hasText: '7 d' }).click();
    await week.getByText(/^\d{5}, at most 620 an hour$/).waitFor();
    await week.getByText('5xx 84').waitFor();
    await week.getByText('p50 10 ms').waitFor();
    await week.getByText('p99 at most 299 ms').waitFor();
    expect(await week.getByText('2xx').count()).toBe(0);
    expect(await page.locator('.graph polyline').count()).toBe(3);
    await page.locator('[aria-pressed="true"]', { hasText: '7 d' }).waitFor();
    await expectAccessible(page, axe);
    await expectNoSideScroll(page);
    await page.locator('[aria-pressed="false"]', { hasText: '1 h' }).click();
    await page
      .getByRole('region', { name: 'Last hour' })
      .getByText(/a minute$/)
      .waitFor();
  });

  it('an application has one state when it falls asleep, is scaled and is looked at again; at rest nobody asks', async () => {
    const { apps } = cannedLog(service.base);
    let [state, web] = ['running', 'running'];
    const lists = () => service.asked.filter((one) => one.startsWith('GET /1/apps/ann?')).length;
    const polls = () => service.asked.filter((one) => one.startsWith('GET') && one.endsWith('/processes')).length;
    refuses = (path) => {
      if (path === '/1/apps/ann') return { status: 200, body: { apps: apps.map((app) => ({ ...app, state })) } };
      if (!path.endsWith('/processes')) return undefined;
      return { status: 200, body: { processes: [{ name: 'web.1', type: 'web', state: web }], scale: { web: 2 } } };
    };
    const { page } = await open('apps/billing-api');
    const shown = page.locator('header .status');
    await shown.getByText('Running').waitFor();
    const asked = polls();
    await expect.poll(polls, { timeout: SLOW_MS }).toBe(asked + 1);
    [state, web] = ['asleep', 'asleep'];
    await shown.getByText('Asleep').waitFor();
    state = 'starting';
    await page.getByRole('button', { name: 'One web more' }).click();
    await shown.getByText('Starting').waitFor();
    const before = [lists(), polls()] as const;
    await expect.poll(polls, { timeout: SLOW_MS }).toBe(before[1] + 3);
    expect(lists()).toBe(before[0]);
    state = 'crashed';
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await shown.getByText('Crashed').waitFor();
  });

  it('everything is read anew when the service has gone back to a backup', async () => {
    const { page } = await open('deploys');
    await page.getByText('Live', { exact: true }).waitFor();
    const rows = cannedLog(service.base).rows.slice(-1);
    refuses = (path, query) => {
      if (path.endsWith('/webhooks')) return { status: 200, body: { total: 1, skip: 0, limit: 50, rows } };
      return query.get('feed') === 'normal' ? { status: 200, body: { results: [], last_seq: 1 } } : undefined;
    };
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await expect.poll(() => page.locator('li.row').count()).toBe(1);
  });

  it('the settings say what the service is: its version and addresses, and what its machine has free', async () => {
    const { page } = await open('settings');
    const rows = page.getByRole('region', { name: 'This service' }).locator('dl .line');
    await rows.nth(5).waitFor();
    const shown = `[...document.querySelectorAll('dl .line')].map((row) =>
      [row.querySelector('dt').textContent, row.querySelector('code').textContent])`;
    await expect
      .poll(() => page.evaluate(shown))
      .toEqual([
        ['Version', version],
        ['Address', service.base],
        ['Repositories', 'http://127.0.0.1:7000'],
        ['Memory', '2.9 GB of 7.5 GB free'],
        ['Disk', '48.4 GB of 74.5 GB free'],
        ['Backup, on the machine', 'hooks backup hooks.tgz'],
      ]);
    await expectAccessible(page, axe);
    const apps = { status: 200, body: { total: 0, skip: 0, limit: 1, apps: [] } };
    refuses = (path) => (path === '/1/apps/ann' ? apps : undefined);
    await page.reload();
    await rows.nth(2).waitFor();
    await expect.poll(() => page.evaluate<readonly unknown[]>(shown)).toHaveLength(3);
  });

  it('a roll back names the deploy that it starts again, on the page of the application and of a deploy', async () => {
    const { rows } = cannedLog(service.base);
    const [current, first] = rows.filter(({ app_name, status }) => app_name === 'shop' && status === 'ok');
    const [to, live] = [first, current].map((row) => String(row?.id).split('/').at(-1) ?? '');
    refuses = (path) => (path.endsWith('/rollback') ? { status: 202, body: first } : undefined);
    for (const hash of ['apps/shop', `deploys/${live}`]) {
      const { page } = await open(hash);
      await page.getByRole('button', { name: 'Roll back to #1' }).click();
      await page.getByRole('dialog').getByText('the snapshot of #1 (Sell things)').waitFor();
      await page.getByRole('button', { name: 'Roll back', exact: true }).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      expect(service.asked.filter((one) => one.includes('rollback')).at(-1)).toContain(`shop/rollback?to=${to}`);
    }
    expect(service.asked.filter((one) => one.includes('rollback')).length).toBe(2);
  });

  it('the page of a deploy leads back to it by the name that its application has now', async () => {
    const { rows, apps } = cannedLog(service.base);
    const first = rows.findLast(({ app_name, status }) => app_name === 'shop' && status === 'ok');
    const renamed = apps.map((app) =>
      'name' in app && app.name === 'shop' ? { ...app, name: 'store', app: 'store' } : app,
    );
    refuses = (path) => {
      if (path.endsWith('/rollback')) return { status: 202, body: first };
      return path === '/1/apps/ann' ? { status: 200, body: { apps: renamed } } : undefined;
    };
    const { page } = await open(`deploys/${String(first?.id).split('/').at(-1)}`);
    await page.getByRole('button', { name: 'Roll back to this deploy' }).click();
    await page.getByRole('button', { name: 'Roll back', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(service.asked.at(-1)).toContain('store/rollback?to=');
  });

  it('pull requests and CI are switches, which change the address; who cannot send them has none', async () => {
    const { page } = await open('connect');
    const address = page.locator('dl code').first();
    const previews = page.getByLabel('Deploy pull requests too');
    const ci = page.getByLabel('Wait for CI');
    await previews.click();
    await ci.click();
    await expect.poll(() => address.textContent()).toMatch(/\?ci=wait&previews=ci$/);
    await page.getByText('Pull requests', { exact: true }).waitFor();
    await expectAccessible(page, axe);
    await page.getByLabel('Environment').fill('staging');
    await previews.waitFor({ state: 'hidden' });
    await page.getByLabel('Who calls').selectOption('travis');
    await ci.waitFor({ state: 'hidden' });
  });

  it('a new application begins with the address of a repository too, which is connected then', async () => {
    const { page } = await open('new');
    const field = page.getByLabel('Address of the repository');
    const connect = page.getByRole('button', { name: 'Connect', exact: true });
    await field.fill('nothing of the kind');
    expect(await connect.isDisabled()).toBe(true);
    await field.fill('git@gitlab.com:team/web/store.git');
    await connect.click();
    await page.getByRole('heading', { name: 'GitLab', exact: true }).waitFor();
    await page.getByText('https://gitlab.com/team/web/store/-/hooks').first().waitFor();
    await page.getByRole('button', { name: 'Deploy its default branch now' }).waitFor();
    await page.evaluate(`location.hash = '#/ann/new'`);
    await field.fill('https://git.example.com/octo/hello');
    await connect.click();
    await page.getByText('Waiting for a call from the sender').waitFor();
    expect(await page.getByRole('button', { name: /^Deploy/ }).count()).toBe(0);
    await page.getByLabel('Who calls').selectOption('gitea');
    await page.getByRole('button', { name: 'Deploy its default branch now' }).waitFor();
  });

  it.each([
    ['by a push to the service', 'http://127.0.0.1:7000', 'git push hooks HEAD', 'Waiting for the first push'],
    ['by a host that calls it', '', 'Paste its address at GitHub', 'Waiting for the first call'],
  ])('before the first deploy, both lists say how to begin: %s', async (_how, repositoriesUrl, text, waiting) => {
    const empty = (path: string, query: URLSearchParams): Canned | undefined => {
      const isFeed = query.get('feed') === 'normal';
      if (path.endsWith('/webhooks'))
        return { status: 200, body: { total: 0, skip: 0, limit: 50, notice: LACKING, rows: [] } };
      if (path === '/1/apps/ann') return { status: 200, body: { apps: [] } };
      if (path.endsWith('/refused')) return { status: 200, body: { refused: null } };
      return isFeed ? { status: 200, body: { results: [], last_seq: 0 } } : undefined;
    };
    const other = await cannedService(empty, repositoriesUrl);
    const { page, faults, failedRequests } = await signIn(browser, { base: other.base, login: LOGIN });
    for (const view of ['deploys', 'apps', 'new']) {
      await page.evaluate(`location.hash = '#/ann/${view}'`);
      await page.getByText(text).waitFor();
      await page.getByText(waiting).waitFor();
      await page.getByText(LACKING).waitFor();
      await expectAccessible(page, axe);
    }
    expect([...faults, ...failedRequests]).toEqual([]);
    await other.close();
  });

  it('the login is kept for the tab; asked to stay, a token of its own is kept in its place', async () => {
    refuses = (path) => (path === '/1/auth/tokens' ? { status: 201, body: { token: 'made-for-the-page' } } : undefined);
    const { page } = await open('deploys');
    expect(await page.evaluate('[sessionStorage.length, localStorage.length]')).toEqual([1, 0]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(await page.evaluate('[sessionStorage.length, localStorage.length]')).toEqual([0, 0]);
    await page.getByLabel('User name').fill('ann');
    await page.getByLabel('Password or API token').fill('sesame');
    await page.getByLabel('Stay signed in').click();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    const kept = await page.evaluate<string>('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])');
    expect(kept).toContain('made-for-the-page');
    expect(kept).not.toContain('sesame');
    expect(page.url()).not.toMatch(/sesame|made-for/);
  });
});
