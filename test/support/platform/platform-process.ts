// A platform in a process of its own, for the tests that kill it. Prints its address.
import { join } from 'node:path';
import { openPlatform } from '../../../lib/platform/platform.ts';
import { storedIn } from '../../../lib/platform/store/stored.ts';
import { startRunner } from '../../../lib/runner/program/start.ts';
import { serve } from './served.ts';
import { openedTables } from './tables.ts';

const dataDir = process.env.DATA_DIR ?? '';
const files = { folder: dataDir, ports: join(dataDir, 'ports.json'), reserve: join(dataDir, 'reserve') };
const runner = await startRunner({ ...files, own: process.env, warn: console.error });
const { tables } = openedTables(dataDir);
const platform = await openPlatform({ dataDir, tables, runner });
const { url } = await serve({ platform, door: runner.door, snapshots: storedIn(dataDir, tables).snapshots });
console.log(url);
