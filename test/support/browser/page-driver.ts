import { expect } from 'vitest';
import type { Browser, Context, ContextOptions, Page } from './api.ts';

/** For what a page shows at the end of a deploy, and clicks, on a busy machine. */
const WAIT_LIMIT_MS = 120_000;

/** A tab in which a user has signed in, in a browser profile of its own. */
export interface Tab {
  readonly page: Page;
  readonly context: Context;
  /** What went wrong in the page: its errors, what its policy refused, dialogs. Network errors are not among them. */
  readonly faults: readonly string[];
  /** The requests that failed or were refused, as the console names them. */
  readonly failedRequests: readonly string[];
}

/** The address of the service, and a login. */
export interface Visit {
  readonly base: string;
  readonly login: string;
  readonly hash?: string;
  readonly options?: ContextOptions;
}

/** Opens a tab of its own profile and signs in by the form. */
export async function signIn(browser: Browser, { base, login, hash = '', options = {} }: Visit): Promise<Tab> {
  const tab = await openTab(browser, { base, login, hash, options });
  const { page } = tab;
  const [user = '', secret = ''] = login.split(':');
  await page.getByLabel('User name').fill(user);
  await page.getByLabel('Password or API token').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  return tab;
}

/** Opens a tab of its own profile. Times are those of New York, so that a wrong zone is seen. */
export async function openTab(browser: Browser, { base, hash = '', options = {} }: Visit): Promise<Tab> {
  const viewport = { width: 1280, height: 900 };
  // Drawing what moves takes half of a core.
  const usual = { viewport, locale: 'en-US', timezoneId: 'America/New_York', reducedMotion: 'reduce' } as const;
  const context = await browser.newContext({ ...usual, ...options });
  context.setDefaultTimeout(WAIT_LIMIT_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  const failedRequests: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('dialog', (dialog) => {
    faults.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    const isOfNetwork = /Failed to load resource|net::ERR_|WebSocket connection/.test(message.text());
    if (isOfNetwork) failedRequests.push(`${message.text()} ${message.location().url}`);
    else faults.push(message.text());
  });
  await page.goto(`${base}/${hash}`);
  return { page, context, faults, failedRequests };
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Expects that axe-core finds nothing in the page as it is now. */
export async function expectAccessible(page: Page, source: string): Promise<void> {
  // Not a script of the page, which its policy would refuse. It stays until the page is loaded again.
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(source);
  const run = 'axe.run(document, { resultTypes: ["violations"] }).then((found) => found.violations)';
  const violations = await page.evaluate<readonly Violation[]>(run);
  expect(violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])).toEqual([]);
}

/** Expects that nothing is wider than the window. */
export async function expectNoSideScroll(page: Page): Promise<void> {
  const wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await page.evaluate<number>(wider)).toBeLessThanOrEqual(0);
}
