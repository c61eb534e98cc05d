import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openTables } from '../../functions/adapters/stores/sqlite/tables.ts';
import { type LocalService, startLocal } from '../../lib/local/start.ts';
import { entryAddress, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { project, testPage } from '../support/service/place.ts';
import { clientOf, dataFolderFor } from '../support/service/started.ts';

const application = {
  'package.json': JSON.stringify({ name: 'kept', version: '1.0.0' }),
  'server.js': `require('node:http').createServer((q, s) => s.end('Hello ' + process.env.NAME)).listen(process.env.PORT);`,
};

/** Writes the records of the platform as files. */
async function writeEarlierRecords(dataDir: string): Promise<void> {
  const { all, close } = openTables(join(dataDir, 'service.db'));
  const apps = join(dataDir, 'platform', 'apps');
  for (const { user, app, doc, variables } of all<Row>('SELECT user, app, doc, variables FROM applications')) {
    writeFileSync(join(apps, user, app, 'app.json'), doc);
    writeFileSync(join(apps, user, app, 'variables.json'), variables);
  }
  for (const { user, app, id, doc } of all<Row & { readonly id: string }>('SELECT user, app, id, doc FROM snapshots')) {
    writeFileSync(join(apps, user, app, 'snapshots', `${id}.json`), doc);
  }
  await close();
}

interface Row {
  readonly user: string;
  readonly app: string;
  readonly doc: string;
  readonly variables: string;
}

describe('A data folder of version 1.0.0 that has lost its log', () => {
  const dataDir = dataFolderFor('earlier-version', { users: ['ann'] });
  let service: LocalService | undefined;
  let tree: GitFolder | undefined;

  const start = async () => {
    await service?.close();
    service = await startLocal({ project, dataDir, page: testPage, port: 0 });
    return { ...clientOf(service), service };
  };

  afterAll(async () => {
    await service?.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('has its applications, variables, users and repositories after an upgrade, and a new log', async () => {
    const before = await start();
    const { repoHost } = before.service;
    await repoHost.createRepository('demo', 'kept');
    tree = gitFolder(repoHost.repositoryPath('demo', 'kept'));
    tree.commit(application);
    await before.call('/1/apps/demo/kept/env/NAME', { method: 'PUT', body: '{"value":"Ann"}' });
    await before.until(entryAddress(await tree.push()), 'ok', 'error');
    tree.commit({});
    const { doc } = await before.until(entryAddress(await tree.push()), 'ok', 'error');
    const password = readFileSync(join(dataDir, 'passwords', 'ann'), 'utf8').trim();
    await service?.close();
    // What that version wrote in place of the files of this one.
    await writeEarlierRecords(dataDir);
    for (const name of readdirSync(dataDir)) {
      if (/^(?:service\.db|token\.key|tarballs)/.test(name)) rmSync(join(dataDir, name), { recursive: true });
    }

    const { call } = await start();
    expect((await call('/1/status/demo/webhooks')).body.total).toBe(0);
    const { body } = await call('/1/apps/demo/kept');
    expect(body.url).toBe(doc.url);
    // The service is ready before the applications that it starts again.
    await expect.poll(async () => (await fetch(body.url)).text()).toBe('Hello Ann');
    expect((await call('/1/apps/demo/kept')).body.state).toBe('running');
    expect((await call('/1/status/ann/webhooks', { login: `ann:${password}` })).status).toBe(200);
  });

  it('deploys the next pushes, though the platform has snapshots of their numbers and serves a higher one', async () => {
    const { until } = await start();
    for (const word of ['Goodbye', 'Farewell']) {
      tree?.commit({ 'server.js': application['server.js'].replace('Hello', word) });
      const { status, doc } = await until(entryAddress((await tree?.push()) ?? ''), 'ok', 'error');
      expect([status, await (await fetch(doc.url)).text()]).toEqual(['ok', `${word} Ann`]);
    }
  });
});
