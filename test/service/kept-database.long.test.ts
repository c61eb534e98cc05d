import { createRequire } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { githubPullRequest } from '../support/senders/pull-requests.ts';
import { entryAddress, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { type Started, startEngineForTest } from '../support/service/started.ts';

/** Inserts the row with that number at `/add/7`, and answers once SQLite has it; answers with all of them elsewhere. */
const rows = (version: string): Record<string, string> => ({
  'package.json': JSON.stringify({ name: 'rows', version }),
  'server.js': `const Database = require(${JSON.stringify(createRequire(import.meta.url).resolve('libsql'))});
const db = new Database('rows.db');
db.exec('PRAGMA busy_timeout = 10000');
db.exec('PRAGMA journal_mode = WAL');
db.exec('CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY)');
const add = db.prepare('INSERT INTO rows VALUES (?)');
const all = db.prepare('SELECT id FROM rows');
require('node:http').createServer((q, s) => {
  const [, id] = q.url.split('/add/');
  if (id) return s.end(String(add.run(Number(id)).changes));
  s.end(JSON.stringify({ version: '${version}', ids: all.all().map(({ id }) => id) }));
}).listen(process.env.PORT, process.env.HOST);\n`,
});
/** `libsql` lies outside of what an isolated application sees. */
const config = { isolation: 'off' };
const settings = { keep: ['rows.db'] };

let last = 0;
/** Adds a row with a number that no other one has; returns it when that was acknowledged. */
async function add(url: string): Promise<number | undefined> {
  last += 1;
  const id = last;
  const answer = await fetch(`${url}/add/${id}`).catch(() => undefined);
  return answer?.ok ? id : undefined;
}

/** Adds rows one after another until its end, which returns the numbers of those that were acknowledged. */
function adding(url: string) {
  const ids: number[] = [];
  let isOn = true;
  const done = (async () => {
    while (isOn) {
      const id = await add(url);
      if (id !== undefined) ids.push(id);
      await setTimeout(5);
    }
  })();
  return {
    ids,
    end: async () => {
      isOn = false;
      await done;
      return ids;
    },
  };
}

async function read(url: string): Promise<{ readonly version: string; readonly ids: readonly number[] }> {
  return JSON.parse(await (await fetch(url)).text());
}

describe('a database in WAL mode that is kept', () => {
  let started: Started;
  let tree: GitFolder;
  let url: string;
  const app = '/1/apps/demo/rows';

  beforeAll(async () => {
    started = await startEngineForTest('kept-database', {}, config);
    const { login, repoHost } = started.service;
    tree = gitFolder(repoHost.cloneUrl('demo', 'rows').replace('//', `//demo:${login.password}@`));
  });
  afterAll(async () => {
    await started?.close();
  });

  const deploy = async (version: string) => {
    tree.commit(rows(version));
    const entry = await started.until(entryAddress(await tree.push()), 'ok', 'error');
    expect([entry.status, entry.warning]).toEqual(['ok', undefined]);
    expect((await read(entry.url)).version).toBe(version);
    return entry;
  };

  it('loses no row that was acknowledged, over two deploys and a rollback in which rows are added', async () => {
    ({ url } = await deploy('1.0.0'));
    const writer = adding(url);
    await expect.poll(() => writer.ids.length).toBeGreaterThan(10);
    expect((await started.call(`${app}/settings`, { method: 'PATCH', body: JSON.stringify(settings) })).status).toBe(
      200,
    );
    await deploy('1.0.1');
    await deploy('1.0.2');
    const { body } = await started.call(`${app}/rollback`, { method: 'POST' });
    expect(await started.until(body.id, 'ok', 'error')).toMatchObject({ status: 'ok' });
    const before = writer.ids.length;
    await expect.poll(() => writer.ids.length).toBeGreaterThan(before + 10);

    const acknowledged = await writer.end();

    const { version, ids } = await read(url);
    expect(version).toBe('1.0.1');
    expect(acknowledged.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('is another one for a preview, whose releases keep it too', async () => {
    await tree.push('main:changes');
    const hear = async (action: string) => {
      const commit = { host: 'local', owner: 'demo', name: 'rows', sha: tree.commit(rows(`2.0.0-${action}`)) };
      await tree.push('main:changes');
      const { body, headers } = githubPullRequest({ action, number: 7, commit });
      const page = `${started.service.repoHost.url}/demo/rows`;
      const told = JSON.stringify(body).replaceAll('https://memory.example.com/demo/rows', page);
      const { body: heard } = await started.hook(JSON.parse(told), headers, '?previews=true');
      return started.until(heard.id, 'ok', 'error', 'skipped', 'held');
    };
    const opened = await hear('opened');
    expect(opened).toMatchObject({ status: 'ok', app_name: 'rows-pr-7' });
    expect((await read(opened.url)).ids).toEqual([]);
    const id = await add(opened.url);

    const { status, url: address, warning } = await hear('synchronize');
    expect([status, address, warning]).toEqual(['ok', opened.url, undefined]);

    expect(await read(opened.url)).toEqual({ version: '2.0.0-synchronize', ids: [id] });
    expect((await read(url)).ids).not.toContain(id);
  });
});
