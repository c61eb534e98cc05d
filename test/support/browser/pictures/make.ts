// Makes the pictures of the README: node --import tsx test/support/browser/pictures/make.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from '../../service/place.ts';
import { startBrowser } from '../browser.ts';
import { cannedService } from '../canned/service.ts';
import { signIn } from '../page-driver.ts';
import { terminalPicture } from './terminal.ts';

const folder = join(project, '.github');
/** As high as some rows. */
const viewport = { width: 1120, height: 642 };

writeFileSync(join(folder, 'terminal.svg'), terminalPicture());
const service = await cannedService();
const browser = await startBrowser();
for (const colorScheme of ['light', 'dark'] as const) {
  const { page, context } = await signIn(browser, {
    base: service.base,
    login: 'ann:sesame',
    hash: '#/ann/deploys',
    options: { viewport, colorScheme },
  });
  await page.getByText('Current').first().waitFor();
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(folder, `page-${colorScheme}.png`) });
  await context.close();
}
await browser.close();
await service.close();
