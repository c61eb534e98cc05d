import fs, { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlatformEvent } from '../../../../lib/platform/settings.ts';
import { appFiles, appOf, deploy, platform, refusalOf, visit } from '../../../support/platform/harness.ts';
import { openedTables } from '../../../support/platform/tables.ts';

/** Answers with the text in its `DATA_DIR` and its variable `COLOUR`. */
const server = `
const { DATA_DIR, COLOUR, PORT, HOST } = process.env;
const said = () => require('fs').readFileSync(DATA_DIR + '/said', { encoding: 'utf8', flag: 'a+' }) + COLOUR;
require('http').createServer((_, response) => response.end(said())).listen(PORT, HOST);
`;

const publicService = { protocol: 'https:', port: '', names: ['deploy.example.com'] } as const;

async function renamable() {
  const at = await platform({ publicService, lookup: async () => [] });
  await at.hosting.ensureApp(appOf('shop'), { name: 'shop' });
  await at.variables.set(appOf('shop'), { COLOUR: 'red' });
  await deploy(at, 'shop', '1', appFiles('shop', server));
  const folder = join(at.dataDir, 'apps/ada/shop');
  await writeFile(join(folder, 'data/said'), 'kept ');
  await at.domains.add(appOf('shop'), 'shop.example.com');
  return { ...at, folder };
}

/** Leaves what a kill does between the records and the files of a rename to `store`. */
async function cutOff(dataDir: string) {
  const { tables, close } = openedTables(dataDir);
  const doc = "json_set(doc, '$.name', 'store', '$.manifest.name', 'store')";
  await tables.write(() => tables.run(`UPDATE applications SET app = 'store', folder = 'shop', doc = ${doc}`));
  await close();
}

describe('an application that gets another name', () => {
  it('runs at the address of that, with its files, variables and domains, and is gone at the old one', async () => {
    const at = await renamable();
    await at.operations.rename(appOf('shop'), '@ann/store');
    const renamed = { name: '@ann/store', state: 'running', snapshot: '1' };
    expect(await at.applications.find(appOf('ann-store'))).toMatchObject(renamed);
    for (const host of ['ann-store.ada.localhost', 'shop.example.com'])
      expect((await visit(at, host)).body).toBe('kept red');
    expect((await visit(at, 'shop.ada.localhost')).body).not.toContain('kept');
    expect(await at.domains.list(appOf('ann-store'))).toMatchObject([{ name: 'shop.example.com' }]);
    expect(await at.applications.find(appOf('shop'))).toBeNull();
    await at.operations.rename(appOf('shop'), '@ann/store');
  });

  it('keeps its name when its folder cannot be moved, and runs on', async () => {
    const at = await renamable();
    const { rename } = fs.promises;
    fs.promises.rename = async (from, to) => {
      if (from === at.folder) throw Object.assign(new Error('EACCES: permission denied, rename'), { code: 'EACCES' });
      return rename(from, to);
    };
    syncBuiltinESMExports();
    const { status } = await refusalOf(at.operations.rename(appOf('shop'), 'store'));
    fs.promises.rename = rename;
    syncBuiltinESMExports();
    expect(status).toBe(500);
    expect(await at.applications.find(appOf('store'))).toBeNull();
    expect(await at.applications.find(appOf('shop'))).toMatchObject({ name: 'shop', snapshot: '1' });
    expect((await visit(at, 'shop.ada.localhost')).body).toBe('kept red');
    expect(await at.variables.read(appOf('shop'))).toEqual({ COLOUR: 'red' });
  });

  it('has the new name after a start, when the platform was killed in the middle', async () => {
    const at = await renamable();
    await at.close();
    await cutOff(at.dataDir);
    const again = await platform({ dataDir: at.dataDir });
    expect(existsSync(at.folder)).toBe(false);
    const shown = () => again.applications.find(appOf('store'));
    await expect.poll(shown, { timeout: 30_000 }).toMatchObject({ name: 'store', state: 'running' });
    expect((await visit(again, 'store.ada.localhost')).body).toBe('kept red');
  });

  it('runs by its old name after such a kill when a folder with the new name has files', async () => {
    const at = await renamable();
    await at.close();
    await mkdir(join(at.dataDir, 'apps/ada/store/data'), { recursive: true });
    await cutOff(at.dataDir);
    const events: PlatformEvent[] = [];
    const again = await platform({ dataDir: at.dataDir, log: (event) => void events.push(event) });
    expect(events.filter(({ type }) => type === 'platform.damaged')).toMatchObject([
      { user: 'ada', app: 'shop', detail: expect.stringContaining('ada/shop could not be moved to store') },
    ]);
    const shown = () => again.applications.find(appOf('shop'));
    await expect.poll(shown, { timeout: 30_000 }).toMatchObject({ name: 'shop', state: 'running' });
    expect((await visit(again, 'shop.ada.localhost')).body).toBe('kept red');
    expect(await again.applications.find(appOf('store'))).toBeNull();
    expect(await refusalOf(again.operations.rename(appOf('shop'), 'store'))).toMatchObject({ status: 409 });
  });
});
