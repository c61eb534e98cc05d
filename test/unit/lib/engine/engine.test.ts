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
    const engine = openEngine(engineSettings(dataDir, Number(new URL(host.url).port)));
    const connection = new Connection(join(dataDir, 'service.db'));
    const owner = JSON.stringify({ host: 'local', owner: 'demo', name: 'hello' });
    connection.run(
      `INSERT INTO platform_apps (user, app, owner, branch, due_at) VALUES ('demo', 'hello', ?, 'main', 0)`,
      owner,
    );
    connection.close();
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
});
