import { expect, it } from 'vitest';
import { axeSource, startBrowser } from '../../../support/browser/browser.ts';
import { cannedService } from '../../../support/browser/canned/service.ts';
import { expectLook } from '../../../support/browser/look.ts';
import { expectAccessible, signIn } from '../../../support/browser/page-driver.ts';

/** The views, and a text of each that comes last. */
const VIEWS = [
  ['deploys', 'deploys', 'Tag pages, tested by Travis first'],
  ['failed', 'deploys/7c9e6679f0e4a31b5d28000000000008', 'tsc --project'],
  ['apps', 'apps', 'Read invoices from the database'],
  ['app', 'apps/billing-api', 'MAIL_FROM'],
  ['connect', 'connect', 'Payload URL'],
  ['settings', 'settings', 'No token is stored'],
] as const;
/** For all of them, on a machine that does other things too. */
const SLOW_MS = 120_000;

it.each(['light', 'dark'] as const)(
  'every view looks as it should, and is accessible, %s',
  async (colorScheme) => {
    const service = await cannedService(() => undefined);
    const browser = await startBrowser();
    try {
      const options = { colorScheme, reducedMotion: 'reduce' } as const;
      const to = { base: service.base, login: 'ann:sesame', hash: '#/ann/deploys', options };
      const { page, faults } = await signIn(browser, to);
      const axe = await axeSource();
      for (const [name, hash, text] of VIEWS) {
        await page.evaluate(`location.hash = '#/ann/${hash}'`);
        await page.getByText(text).first().waitFor();
        await expectLook(page, `${name}-${colorScheme}`);
        await expectAccessible(page, axe);
      }
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
      await service.close();
    }
  },
  SLOW_MS,
);
