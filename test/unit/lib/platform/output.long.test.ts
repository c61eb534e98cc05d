import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appFiles, build, deploy, serverFile, until } from '../../../support/platform/harness.ts';
import { type SeparatePlatform, separatePlatform } from '../../../support/platform/separate-platform.ts';

const MiB = 1024 * 1024;
/** README.md promises no more than this for an application that prints without end; about 130 MB were measured. */
const MOST_MEMORY_MB = 200;
/** With that, more than a platform may have that holds what is printed until its line ends. */
const FLOOD_MB = 100;
const LOG_LIMIT = 5 * MiB;

/** Statements that print `megabytes` of a text, as fast as the pipe takes them. */
const prints = (text: string, megabytes: number) => `
  const text = Buffer.from(${JSON.stringify(text)}.repeat(Math.ceil(2 ** 20 / ${text.length})));
  for (let i = 0; i < ${megabytes}; i++) for (let at = 0; at < text.length; ) {
    try { at += require('node:fs').writeSync(1, text, at); } catch (error) { if (error.code !== 'EAGAIN') throw error; }
  }
`;
const line = `${'0123456789'.repeat(8).slice(0, 79)}\n`;
/** What the log file of an application has; there is none for a moment when a full one is put aside. */
const printed = ({ dataDir }: SeparatePlatform, app: string) =>
  readFile(join(dataDir, 'apps/ada', app, 'app.log'), 'utf8').catch(() => '');

async function expectBounded(at: SeparatePlatform, app: string): Promise<void> {
  expect(at.isRunning()).toBe(true);
  expect(await at.peakMemory()).toBeLessThan(MOST_MEMORY_MB);
  for (const name of ['app.log', 'app.log.1']) {
    const size = await stat(join(at.dataDir, 'apps', 'ada', app, name)).then(
      (file) => file.size,
      () => 0,
    );
    expect(size, name).toBeLessThanOrEqual(LOG_LIMIT);
  }
}

describe('an application that prints without end', () => {
  let at: SeparatePlatform;
  beforeAll(async () => {
    at = await separatePlatform();
  });
  afterAll(() => at?.close());

  it.each([
    ['a flood without a line end', 'flood', prints('x', FLOOD_MB)],
    ['ordinary lines faster than they are written', 'lines', prints(line, 20)],
  ])('an application may print %s', async (_what, name, text) => {
    const floods = `${serverFile('up')} setTimeout(() => { ${text} console.log('\\nafter the flood'); }, 50);`;

    const app = await deploy(at, name, '1', appFiles(name, floods));
    await until('it is read to its end', async () => (await printed(at, name)).includes('after the flood'), 200_000);

    expect(await (await fetch(app.url)).text()).toBe('up');
    const isCut = (await printed(at, name)).includes('(the rest of this line is left out: a line has at most 64 KiB)');
    expect(isCut).toBe(name === 'flood');
    await expectBounded(at, name);
  });

  it('an install script may print a flood without a line end', async () => {
    const built = await build(at, 'installs', '1', {
      ...appFiles('installs', serverFile('up'), { scripts: { postinstall: 'node flood.js' } }),
      'flood.js': prints('x', FLOOD_MB),
      '.npmrc': 'foreground-scripts=true\n',
    });

    expect(built).toMatchObject({ state: 'ready' });
    await expectBounded(at, 'installs');
  });
});
