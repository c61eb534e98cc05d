import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '../../support/service/place.ts';
import { type Child, startChild } from '../child.ts';
import type { Addressed } from '../pushes.ts';
import type { BenchRow } from '../row.ts';
import type { Service } from '../serving/by-push.ts';
import { acknowledged, USERS } from './acknowledged.ts';
import { served } from './served.ts';

/** Decides what happens by chance: `STRICT=<seed>`. */
const SEED = process.env.STRICT || '1';

type Whole = Service & Addressed;

/**
 * Measures functions that run as strictly as on AWS beside the usual ones, in turn, so that both find the machine
 * alike: from a push to the application that serves, and to the answer of the webhook.
 */
export async function run(): Promise<readonly BenchRow[]> {
  const folder = join(testFolder, 'bench-strict');
  rmSync(folder, { recursive: true, force: true });
  const services: Child<Whole>[] = [];
  const start = async (name: string, seed: string) => {
    const service = await startChild<Whole>('service.ts', [join(folder, name), String(USERS), '', seed]);
    services.push(service);
    return service.ready;
  };
  try {
    const both = { usual: await start('usual', ''), strict: await start('strict', SEED) };
    // First: what is acknowledged later keeps the pipelines of both busy.
    return [...(await served(both)), ...(await acknowledged(both))];
  } finally {
    for (const service of services) await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
