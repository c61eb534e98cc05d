import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { testFolder } from '../service/place.ts';
import type { Page } from './api.ts';

const references = fileURLToPath(new URL('looks', import.meta.url));

/**
 * A view is compared as a grid of so many mean colours: fonts and texts differ between machines, the layout does not.
 */
const COLUMNS = 64;
const ROWS = 45;
/** Of 255, for a channel of a cell. */
const MAX_MEAN_DIFFERENCE = 10;
const LARGE_DIFFERENCE = 48;
const MAX_LARGE_SHARE = 0.06;

/** Runs in the page: returns the screenshot and the reference as grids of RGB values. */
const COMPARE = `async ([urls, columns, rows]) => Promise.all(urls.map(async (url) => {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [columns, rows];
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, columns, rows);
  const { data } = context.getImageData(0, 0, columns, rows);
  return { png: canvas.toDataURL('image/png'), values: [...data].filter((_, index) => index % 4 !== 3) };
}))`;

interface Grid {
  readonly png: string;
  readonly values: readonly number[];
}

/**
 * Expects that the view looks as in its reference, `looks/<name>.png`, within a tolerance. With UPDATE_LOOKS the
 * reference is written instead. The screenshot of a view that does not is kept in `.local/test/looks`.
 */
export async function expectLook(page: Page, name: string): Promise<void> {
  const reference = join(references, `${name}.png`);
  await page.evaluate('window.scrollTo(0, 0)');
  // Rejects for one that is broken.
  await page.evaluate('Promise.all([...document.images].map((image) => image.decode()))');
  const screenshot = await page.screenshot();
  const known = existsSync(reference) ? readFileSync(reference) : screenshot;
  const urls = [screenshot, known].map((bytes) => `data:image/png;base64,${bytes.toString('base64')}`);
  const [seen, wanted] = await page.evaluate<readonly Grid[]>(`(${COMPARE})(${JSON.stringify([urls, COLUMNS, ROWS])})`);
  if (!seen || !wanted) throw new Error('The page has compared nothing.');
  if (process.env.UPDATE_LOOKS) return write(reference, Buffer.from(seen.png.split(',')[1] ?? '', 'base64'));
  if (!existsSync(reference)) throw new Error(`There is no ${reference}: run once with UPDATE_LOOKS=1.`);
  const differences = seen.values.map((value, index) => Math.abs(value - (wanted.values[index] ?? 0)));
  const mean = differences.reduce((sum, one) => sum + one, 0) / differences.length;
  const large = differences.filter((one) => one > LARGE_DIFFERENCE).length / differences.length;
  const kept = join(testFolder, 'looks', `${name}.png`);
  if (mean > MAX_MEAN_DIFFERENCE || large > MAX_LARGE_SHARE) write(kept, screenshot);
  expect(mean, `The view ${name} looks different: see ${kept}.`).toBeLessThanOrEqual(MAX_MEAN_DIFFERENCE);
  expect(large, `Parts of the view ${name} look different: see ${kept}.`).toBeLessThanOrEqual(MAX_LARGE_SHARE);
}

function write(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}
