import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Connection } from '../../../../functions/adapters/stores/sqlite/connection.ts';
import { openEngine } from '../../../../lib/engine/engine.ts';
import { engineSettings } from '../../../support/engine/settings.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { httpServer } from '../../../support/service/http-server.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = newFolder('engine');
});

/** Has an application of a user be due to be compared with its branch. */
function tracked(user: string, owner: object): void {
  const connection = new Connection(join(dataDir, 'service.db'));
  connection.run(
    `INSERT INTO platform_apps (user, app, owner, branch, due_at) VALUES (?, 'hello', ?, 'main', 0)`,
    ...[user, JSON.stringify({ host: 'local', ...owner })],
  );
  connection.close();
}

describe('The engine', () => {
  it('can be closed while an application is compared with its branch', async () => {
    let asked = 0;
    let isClosed = false;
    const host = await httpServer(async (_, response) => {
      asked += 1;
      while (!isClosed) await setTimeout(10);
      response.writeHead(404).end();
    });
    const failed = vi.fn();
    process.once('unhandledRejection', failed);
    const settings = engineSettings(dataDir, Number(new URL(host.url).port));
    await settings.users.ensure({ user: 'demo', password: 'of demo' });
    const engine = openEngine(settings);
    tracked('demo', { owner: 'demo', name: 'hello' });
    await engine.resume();
    await expect.poll(() => asked).toBe(1);

    await engine.close();
    isClosed = true;
    // The comparison goes on until it has read the answers.
    await setTimeout(300);
    await host.close();
    process.off('unhandledRejection', failed);
    expect(failed).not.toHaveBeenCalled();
  });

  it('compares nothing of users who were removed, with a branch or a pull request', async () => {
    const asked: string[] = [];
    const host = await httpServer((request, response) => {
      asked.push(`${request.url}`);
      response.writeHead(404).end();
    });
    const settings = engineSettings(dataDir, Number(new URL(host.url).port));
    await settings.users.ensure({ user: 'demo', password: 'of demo' });
    const engine = openEngine(settings);
    tracked('ann', { owner: 'ann', name: 'shop' });
    tracked('ben', { owner: 'ben', name: 'blog', pullRequest: { number: 7, parent: 'blog' } });
    tracked('demo', { owner: 'demo', name: 'hello' });
    await engine.resume();
    await expect.poll(() => settings.stores.nextCompare()).toBeGreaterThan(Date.now());
    await engine.close();
    await host.close();
    expect(asked.filter((path) => !path.includes('demo/hello'))).toEqual([]);
    expect(asked).not.toEqual([]);
  });
});
