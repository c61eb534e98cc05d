import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlatformEvent } from '../../../../lib/platform/settings.ts';
import { appOf, eventsOf, platform, temporaryFolder } from '../../../support/platform/harness.ts';
import { httpServer } from '../../../support/service/http-server.ts';

/** As version 1.0.0 has written them. */
const RECORD = {
  name: 'shop',
  manifest: { name: 'shop', version: '1.0.0' },
  port: null as number | null,
  active: '1.0.0-2',
  wanted: 'running',
  scale: {},
  domains: ['shop.example.com', 'www.example.com'],
  created_at: '2026-11-27T00:38:33.636Z',
  updated_at: '2026-11-27T00:38:45.621Z',
};
const SNAPSHOT = {
  id: '1.0.0-2',
  sha256: 'e9b82af08f294118e20412fe19abc18b78900dfacb9165255688207691a4406a',
  size: 507,
  uploaded_at: '2026-11-27T00:38:41.409Z',
  state: 'ready',
  reason: null,
  log: [],
  dependencies: 'none',
  path: '',
  node: process.version,
  tools: [],
  warnings: [],
  built_at: '2026-11-27T00:38:41.534Z',
  deploy: 1795739921098,
  note: null,
  released: false,
};
const CRASH = { user: 'ada', snapshot: '1.0.0-2', state: 'crashed', reason: 'It crashed.', log: [] };
const EVENTS = {
  last: 7,
  events: [
    { ...CRASH, app: 'halted', seq: 5, at: '2026-11-27T00:38:50.000Z' },
    { ...CRASH, app: 'removed', seq: 7, at: '2026-11-27T00:38:51.000Z' },
  ],
};
const SERVER = `const { NAME, PORT, HOST } = process.env;
require('node:http').createServer((_, response) => response.end('Hello ' + NAME)).listen(PORT, HOST);`;

/** Writes a data folder with an application that runs, with two workers, and one that is stopped. */
async function earlier() {
  const dataDir = await temporaryFolder();
  const write = async (name: string, content: object | string) => {
    const path = join(dataDir, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  };
  const free = await httpServer(() => {});
  await free.close();
  const port = Number(new URL(free.url).port);
  const writeApp = async (name: string, fields: Partial<typeof RECORD>) => {
    const app = `apps/ada/${name}`;
    await write(`${app}/app.json`, { ...RECORD, name, manifest: { name }, ...fields });
    await write(`${app}/variables.json`, { NAME: 'Ann' });
    await write(`${app}/snapshots/1.0.0-2.json`, SNAPSHOT);
    await write(`${app}/snapshots/1.0.0-2.tgz`, 'its tarball');
    await write(`${app}/releases/1.0.0-2/package.json`, { name });
    await write(`${app}/releases/1.0.0-2/server.js`, SERVER);
    await write(`${app}/releases/1.0.0-2/Procfile`, 'web: node server.js\nworker: sleep 600\n');
  };
  await writeApp('shop', { port, scale: { worker: 2 } });
  await writeApp('halted', { wanted: 'stopped', domains: [] });
  await write('events.json', EVENTS);
  return { dataDir, write, url: `http://127.0.0.1:${port}` };
}

const text = (url: string) =>
  fetch(url).then(
    (answer) => answer.text(),
    () => null,
  );
const FILES = [
  'apps/ada/shop/app.json',
  'apps/ada/shop/variables.json',
  'apps/ada/shop/snapshots/1.0.0-2.json',
  'events.json',
];
const there = (dataDir: string) => FILES.filter((name) => existsSync(join(dataDir, name)));
const damaged = (events: readonly PlatformEvent[]) =>
  events.flatMap(({ type, detail }) => (type === 'platform.damaged' ? [detail] : []));

describe('a data folder of version 1.0.0', () => {
  it('is taken over by the first start, and its records stay beside until the second', async () => {
    const { dataDir, url } = await earlier();
    const first = await platform({ dataDir });
    await expect.poll(() => text(url)).toBe('Hello Ann');
    const shop = appOf('shop');
    expect(await first.applications.find(shop)).toMatchObject({ name: 'shop', url, snapshot: RECORD.active });
    expect(await first.variables.read(shop)).toEqual({ NAME: 'Ann' });
    expect(await first.domains.list(shop)).toMatchObject(RECORD.domains.map((name) => ({ name })));
    expect(await first.snapshots.list(shop)).toMatchObject([{ id: SNAPSHOT.id, size: 507, state: 'ready' }]);
    expect(await first.processes.list(shop)).toMatchObject({ scale: { web: 1, worker: 2 } });
    expect((await first.applications.find(appOf('halted')))?.state).toBe('stopped');
    expect(await eventsOf(first)).toMatchObject([{ seq: 5, app: 'halted', at: EVENTS.events[0]?.at }]);
    expect(await first.events.after(0)).toMatchObject({ last: 7 });
    expect(there(dataDir)).toEqual(FILES);
    await first.close();

    const second = await platform({ dataDir });
    expect(there(dataDir)).toEqual([]);
    await expect.poll(() => text(url)).toBe('Hello Ann');
    expect((await second.applications.find(appOf('halted')))?.state).toBe('stopped');
  });

  it('is taken over whole by the start after one that was cut off', async () => {
    const { dataDir, url } = await earlier();
    const cut = platform({
      dataDir,
      tables: (tables) => ({
        ...tables,
        write: (work) =>
          tables.write(() => {
            work();
            throw new Error('It is killed.');
          }),
      }),
    });
    await expect(cut).rejects.toThrow('It is killed.');
    const at = await platform({ dataDir });
    await expect.poll(() => text(url)).toBe('Hello Ann');
    expect(await at.applications.list('ada')).toHaveLength(2);
    expect(there(dataDir)).toEqual(FILES);
  });

  it('does not bring back what the first start has changed', async () => {
    const { dataDir } = await earlier();
    const first = await platform({ dataDir });
    await first.operations.rename(appOf('halted'), 'kept');
    await first.variables.set(appOf('shop'), { NAME: null });
    await first.domains.remove(appOf('shop'), 'www.example.com');
    await first.close();
    const second = await platform({ dataDir });
    expect(await second.variables.read(appOf('shop'))).toEqual({});
    expect(await second.domains.list(appOf('shop'))).toMatchObject([{ name: 'shop.example.com' }]);
    await second.operations.remove(appOf('shop'));
    await second.close();
    const third = await platform({ dataDir });
    expect((await third.applications.list('ada')).map(({ name }) => name)).toEqual(['kept']);
  });

  it('has its rename finished that was cut off', async () => {
    const { dataDir, write, url } = await earlier();
    const record = JSON.parse(await readFile(join(dataDir, 'apps/ada/shop/app.json'), 'utf8'));
    await write('apps/ada/shop/app.json', { ...record, name: '@ada/store', manifest: { name: '@ada/store' } });
    const at = await platform({ dataDir });
    await expect.poll(() => text(url)).toBe('Hello Ann');
    expect((await at.applications.find(appOf('ada-store')))?.name).toBe('@ada/store');
    expect(existsSync(join(dataDir, 'apps/ada/shop'))).toBe(false);
  });

  it.each([
    ['apps/ada/halted/app.json', '', ['shop']],
    ['apps/ada/halted/app.json', '{"name":"halted"}', ['shop']],
    ['apps/ada/halted/variables.json', '{"NAME":1}', ['shop']],
    ['apps/ada/halted/snapshots/1.0.0-1.json', '[]', ['halted', 'shop']],
    ['events.json', '{', ['halted', 'shop']],
  ])('has %s (%j) reported and left as it is, and nothing else fails', async (name, content, taken) => {
    const { dataDir, write, url } = await earlier();
    await write(name, content);
    const events: PlatformEvent[] = [];
    const at = await platform({ dataDir, log: (event) => void events.push(event) });
    expect(damaged(events)).toEqual([
      `The file ${join(dataDir, name)} is damaged: restore it, or remove it to begin without its content.`,
    ]);
    expect(await readFile(join(dataDir, name), 'utf8')).toBe(content);
    expect((await at.applications.list('ada')).map((app) => app.name)).toEqual(taken);
    await expect.poll(() => text(url)).toBe('Hello Ann');
  });
});
