// A platform in a process of its own, for the tests that kill it. Says when it is open, and does what it is asked to.
import { join } from 'node:path';
import { openPlatform } from '../../../lib/platform/platform.ts';
import { storedIn } from '../../../lib/platform/store/stored.ts';
import { startRunner } from '../../../lib/runner/program/start.ts';
import type { Asked } from './separate-platform.ts';
import { openedTables } from './tables.ts';

const dataDir = process.env.DATA_DIR ?? '';
const files = { folder: dataDir, ports: join(dataDir, 'ports.json'), reserve: join(dataDir, 'reserve') };
const runner = await startRunner({ ...files, own: process.env, warn: console.error });
const { tables } = openedTables(dataDir);
const ports = { ...(await openPlatform({ dataDir, tables, runner })), ...storedIn(dataDir, tables) };
process.on('message', ({ id, port, method, args }: Asked) => {
  // biome-ignore lint/suspicious/noExplicitAny: any method of any port.
  const work: Promise<unknown> = (ports as any)[port][method](...args);
  work.then(
    (result) => process.send?.({ id, result }),
    (error) => process.send?.({ id, error: String(error) }),
  );
});
process.send?.({ id: 0 });
