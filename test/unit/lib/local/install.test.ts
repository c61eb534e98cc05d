import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../../../../bin/install.mjs', import.meta.url));

describe('What runs before the dependencies are installed', () => {
  let copy: string;
  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'packed-'));
    mkdirSync(join(copy, 'bin'));
    cpSync(program, join(copy, 'bin', 'install.mjs'));
  });
  afterEach(() => rmSync(copy, { recursive: true }));

  async function start(env: Record<string, string> = {}): Promise<string> {
    const args = [join(copy, 'bin', 'install.mjs')];
    // Without npm on the path, an installation would fail with another sentence.
    const run = promisify(execFile)(process.execPath, args, { env: { PATH: '/nowhere', ...env } });
    const failure: { code?: number; stderr: string } = await run.catch((error) => error);
    expect(failure.code).toBe(1);
    return failure.stderr;
  }

  it('a copy without a lockfile, as npm packs it, is told where to get a whole one', async () => {
    expect(await start()).toBe(
      'There is no package-lock.json: npm leaves it out of packages. Clone the repository with git instead.\n',
    );
  });

  describe('which packages it installs', () => {
    let log: string;
    beforeEach(() => {
      log = join(copy, 'npm.log');
      writeFileSync(join(copy, 'package-lock.json'), '{}');
      writeFileSync(join(copy, 'package.json'), '{}');
      // An npm that notes how it was called, and installs what npm would note.
      const npm = `#!${process.execPath}
        const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
        const args = process.argv.slice(2);
        appendFileSync(${JSON.stringify(log)}, args.slice(0, -3).join(' ') + String.fromCharCode(10));
        const test = args.includes('--omit=dev') ? {} : { 'node_modules/vitest': { dev: true } };
        mkdirSync('node_modules', { recursive: true });
        writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: { 'node_modules/tsx': {}, ...test } }));`;
      writeFileSync(join(copy, 'npm'), npm, { mode: 0o755 });
    });

    /** Runs it once for each list of options, and returns the calls of npm. */
    async function calls(...runs: readonly string[][]): Promise<string[]> {
      for (const options of runs) {
        const args = [join(copy, 'bin', 'install.mjs'), ...options];
        await promisify(execFile)(process.execPath, args, { env: { PATH: copy } });
      }
      return readFileSync(log, 'utf8').trim().split('\n');
    }

    it('for a start, those that it needs, once', async () => {
      expect(await calls([], [])).toEqual(['ci --omit=dev']);
    });

    it('for the tests, the others as well', async () => {
      expect(await calls([], ['--dev'], ['--dev'])).toEqual(['ci --omit=dev', 'install --no-save']);
    });

    it('a start removes nothing that the tests need', async () => {
      expect(await calls(['--dev'], [])).toEqual(['ci']);
      writeFileSync(join(copy, 'package-lock.json'), '{"changed":true}');
      expect(await calls([])).toEqual(['ci', 'install --no-save']);
    });

    it('packages that npm was asked for by hand stay', async () => {
      mkdirSync(join(copy, 'node_modules'));
      writeFileSync(join(copy, 'node_modules/.package-lock.json'), '{"packages":{"node_modules/vitest":{"dev":true}}}');
      expect(await calls([])).toEqual(['install --no-save']);
    });
  });
});
