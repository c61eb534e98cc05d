import { expect, it } from 'vitest';
import { axeSource, startBrowser } from '../../../support/browser/browser.ts';
import { cannedService } from '../../../support/browser/canned/service.ts';
import { expectLook } from '../../../support/browser/look.ts';
import { expectAccessible, expectNoSideScroll, signIn } from '../../../support/browser/page-driver.ts';

/** The views, and a text of each that comes last. */
const VIEWS = [
  ['deploys', 'deploys', 'Tag pages, tested by Travis first'],
  ['failed', 'deploys/7c9e6679f0e4a31b5d28000000000008', 'tsc --project'],
  ['apps', 'apps', 'Read invoices from the database'],
  ['app', 'apps/billing-api', 'node worker.js'],
  ['variables', 'apps/billing-api?show=variables', 'MAIL_FROM'],
  ['app-settings', 'apps/billing-api?show=settings', 'Remove billing-api'],
  ['new', 'new', 'Waiting for the first push'],
  ['connect', 'connect', 'Payload URL'],
  ['settings', 'settings', 'No token is stored'],
] as const;
/** For all of them, on a machine that does other things too. */
const SLOW_MS = 120_000;

/** A telephone, a tablet, a wall. */
const WIDTHS = [390, 768, 3840];

it.each(['light', 'dark'] as const)(
  'every view looks as it should, is accessible and fits other widths, %s',
  async (colorScheme) => {
    const service = await cannedService(() => undefined);
    const browser = await startBrowser();
    try {
      const options = { colorScheme };
      const to = { base: service.base, login: 'ann:sesame', hash: '#/ann/deploys', options };
      const { page, faults, failedRequests } = await signIn(browser, to);
      const axe = await axeSource();
      for (const [name, hash, text] of VIEWS) {
        await page.evaluate(`location.hash = '#/ann/${hash}'`);
        await page.getByText(text).first().waitFor();
        await expectLook(page, `${name}-${colorScheme}`);
        await expectAccessible(page, axe);
      }
      for (const [, hash, text] of VIEWS) {
        await page.evaluate(`location.hash = '#/ann/${hash}'`);
        await page.getByText(text).first().waitFor();
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          await expectNoSideScroll(page);
        }
      }
      expect([...faults, ...failedRequests]).toEqual([]);
    } finally {
      await browser.close();
      await service.close();
    }
  },
  SLOW_MS,
);
