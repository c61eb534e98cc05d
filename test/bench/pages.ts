import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openStores, type SqliteStores } from '../../functions/adapters/stores/sqlite/open.ts';
import { systemClock } from '../../functions/adapters/system/clock.ts';
import { systemIds } from '../../functions/adapters/system/ids.ts';
import { append } from '../support/entries.ts';
import { type BenchRow, timeRow } from './row.ts';
import { emptyFolder } from './service.ts';
import { median, ratioOf, timed } from './statistics.ts';

const ENTRIES = 20_000;
const AT_ONCE = 200;
const ROUNDS = 200;
const USER = 'ann';

/** Measures a page of ten entries, the first and a late one, of a user with 20 000 entries. */
export async function run(): Promise<readonly BenchRow[]> {
  const folder = emptyFolder('pages');
  const stores = openStores({ path: join(folder, 'service.db'), clock: systemClock, ids: systemIds });
  try {
    for (let first = 0; first < ENTRIES; first += AT_ONCE) {
      const written = Array.from({ length: AT_ONCE }, () =>
        append(stores.log, { user: USER, status: 'skipped', uuid: randomUUID() }),
      );
      await Promise.all(written);
    }
    return [await compare(stores)];
  } finally {
    await stores.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare({ reader }: SqliteStores): Promise<BenchRow> {
  const times = { near: [] as number[], far: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.near.push(await timed(() => reader.page({ user: USER, app: null, skip: 0, limit: 10 })));
    times.far.push(await timed(() => reader.page({ user: USER, app: null, skip: 10_000, limit: 10 })));
  }
  const [near, far] = [median(times.near), median(times.far)];
  const limit = { target: '≤ 1.2 × the page at skip 0', reached: ratioOf(far, near) <= 1.2 };
  return timeRow('page of 10 at skip 10 000 of 20 000 entries', { own: far, base: near, ...limit });
}
