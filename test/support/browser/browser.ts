import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, Playwright } from './api.ts';
import { installed, madeOnce } from './packages.ts';

const run = promisify(execFile);

/** Where distributions and the image of the tests put it. */
const USUAL_PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Nothing but the pages of the tests is asked for. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--font-render-hinting=none',
];

/** A program to start, with what it needs in its environment. */
interface Chromium {
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Starts a headless Chromium: that of the variable CHROMIUM (`registry` for the one there), the machine's own, or else
 * one from the registry. Installs what drives it on demand, below `.local/test`. Rejects with what is missing: a
 * browser test is never skipped.
 */
export async function startBrowser(): Promise<Browser> {
  const driver = await installed('driver');
  const { program, env } = await findChromium();
  const entry = join(driver, 'node_modules', 'playwright-core', 'index.mjs');
  const { chromium }: Playwright = await import(pathToFileURL(entry).href);
  return chromium.launch({ executablePath: program, args: FLAGS, env: { ...process.env, ...env } });
}

/** Returns the source of axe-core, which is run inside a page. */
export async function axeSource(): Promise<string> {
  const driver = await installed('driver');
  return readFileSync(join(driver, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');
}

async function findChromium(): Promise<Chromium> {
  const { CHROMIUM } = process.env;
  if (CHROMIUM === 'registry') return fromRegistry();
  if (CHROMIUM && !existsSync(CHROMIUM)) throw new Error(`CHROMIUM is ${CHROMIUM}, which does not exist.`);
  const program = CHROMIUM ?? USUAL_PLACES.find((place) => existsSync(place));
  return program === undefined ? fromRegistry() : { program, env: {} };
}

/** The package is made for Lambda: with this variable it unpacks the libraries too that a bare machine has not. */
async function fromRegistry(): Promise<Chromium> {
  const packages = await installed('chromium').catch((cause) => {
    throw new Error(
      'This machine has no Chromium, and none can be installed from the registry. Install one, or set CHROMIUM to its path.',
      { cause },
    );
  });
  const target = `${packages}-unpacked`;
  await madeOnce(target, (building) => unpack(packages, building, target));
  return JSON.parse(readFileSync(join(target, 'unpacked.json'), 'utf8'));
}

/** What is unpacked names the folder in which it is: that will be `target`. */
async function unpack(packages: string, building: string, target: string): Promise<void> {
  const script = `const { default: chromium } = await import('@sparticuz/chromium');
    const program = await chromium.executablePath();
    const { LD_LIBRARY_PATH, FONTCONFIG_FILE } = process.env;
    console.log(JSON.stringify({ program, env: { LD_LIBRARY_PATH, FONTCONFIG_FILE } }));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: packages,
    env: {
      ...process.env,
      TMPDIR: building,
      AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x',
      FONTCONFIG_FILE: join(building, 'fonts.conf'),
    },
  });
  writeFileSync(join(building, 'unpacked.json'), stdout.replaceAll(building, target));
  writeFileSync(join(building, 'fonts.conf'), fontsOf(target));
}

/** The package's own file names fonts in /tmp, and without any font each page crashes. */
function fontsOf(folder: string): string {
  const folders = [join(folder, 'fonts'), '/usr/share/fonts'].map((one) => `<dir>${one}</dir>`);
  const cache = `<cachedir>${join(folder, 'fonts-cache')}</cachedir>`;
  return `<?xml version="1.0"?><fontconfig>${folders.join('')}${cache}</fontconfig>`;
}
