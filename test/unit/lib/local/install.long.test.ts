import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from '../../../support/new-folder.ts';

const program = fileURLToPath(new URL('../../../../bin/install.mjs', import.meta.url));

describe('What runs before the dependencies are installed', () => {
  let copy: string;
  const copyTo = (folder: string) => {
    mkdirSync(join(folder, 'bin'), { recursive: true });
    cpSync(program, join(folder, 'bin', 'install.mjs'));
  };
  beforeEach(() => {
    copy = newFolder('packed');
    copyTo(copy);
  });

  // Without npm on the path, an installation would fail with another sentence.
  const run = (options: readonly string[], folder = copy, env = {}) =>
    promisify(execFile)(process.execPath, [join(folder, 'bin', 'install.mjs'), ...options], {
      env: { PATH: '/nowhere', ...env },
    });

  async function refusal(options: readonly string[], folder?: string, env?: object): Promise<string> {
    const failure: { code?: number; stderr: string } = await run(options, folder, env).catch((error) => error);
    expect(failure.code).toBe(1);
    return failure.stderr;
  }

  it('a copy without a lockfile is told where to get a whole one', async () => {
    expect(await refusal([])).toBe('There is no package-lock.json: clone the repository with git.\n');
  });

  it.each([
    { options: [], version: '20.2.0', needed: '20.3' },
    { options: ['--dev'], version: '20.18.3', needed: '20.19' },
  ])('a Node that is too old is told which is needed: $needed', async ({ options, version, needed }) => {
    const old = join(copy, 'old.cjs');
    const value = JSON.stringify({ ...process.versions, node: version });
    writeFileSync(old, `Object.defineProperty(process, 'versions', { value: ${value} });`);
    expect(await refusal(options, copy, { NODE_OPTIONS: `--require ${old}` })).toBe(
      `Node ${needed} or newer is needed; this is Node ${version}.\n`,
    );
  });

  it('a package of npm, which has what it needs, installs nothing, and does not deploy to AWS', async () => {
    const installed = join(copy, 'node_modules/deployment-webhooks');
    copyTo(installed);
    expect(await run([], installed)).toEqual({ stdout: '', stderr: '' });
    expect(await refusal(['aws'], installed)).toBe(
      'What deploys to AWS is not in the package: clone the repository with git.\n',
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
      for (const options of runs) await installing(options);
      return readFileSync(log, 'utf8').trim().split('\n');
    }
    const installing = (options: readonly string[], env: Readonly<Record<string, string>> = {}) =>
      promisify(execFile)(process.execPath, [join(copy, 'bin', 'install.mjs'), ...options], {
        env: { PATH: copy, HOME: copy, ...env },
      });

    it('for a start, those that it needs, once', async () => {
      expect(await calls([], [])).toEqual(['ci --omit=dev']);
    });

    it('for the tests, the others as well', async () => {
      expect(await calls([], ['--dev'], ['--dev'])).toEqual(['ci --omit=dev', 'install --no-save']);
    });

    it('for AWS, the others as well, but none before a region is named', async () => {
      const refused: { code?: number; stderr?: string } = await installing(['aws']).catch((error) => error);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^No region of AWS is chosen: .*\n$/)]);
      expect(existsSync(log)).toBe(false);
      await installing(['aws'], { AWS_REGION: 'eu-central-1' });
      expect(await calls(['aws'])).toEqual(['ci']);
    });

    it('for AWS with a region in the configuration of its tools', async () => {
      mkdirSync(join(copy, '.aws'));
      writeFileSync(join(copy, '.aws/config'), '[default]\nregion = eu-central-1\n');
      expect(await calls(['aws'])).toEqual(['ci']);
    });

    it('for the help on AWS, those of a start', async () => {
      expect(await calls(['aws', 'deploy', '--help'])).toEqual(['ci --omit=dev']);
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
