// A platform in a process of its own, for the tests that kill it. Prints its address.
import { join } from 'node:path';
import { startPlatform } from '../../../lib/platform/platform.ts';
import { startRunner } from '../../../lib/runner/program/start.ts';

const dataDir = process.env.DATA_DIR ?? '';
const files = { folder: dataDir, ports: join(dataDir, 'ports.json'), reserve: join(dataDir, 'reserve') };
const runner = await startRunner({ ...files, own: process.env, warn: console.error });
const platform = await startPlatform({ dataDir, serviceToken: process.env.SERVICE_TOKEN ?? '', runner });
console.log(platform.url);
