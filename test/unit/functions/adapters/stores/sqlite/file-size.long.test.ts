import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Connection } from '../../../../../../functions/adapters/stores/sqlite/connection.ts';
import { openStores } from '../../../../../../functions/adapters/stores/sqlite/open.ts';
import { systemIds } from '../../../../../../functions/adapters/system/ids.ts';
import { memoryClock } from '../../../../../fakes/clock.ts';
import { AT, append, MINUTE } from '../../../../../support/entries.ts';
import { newFolder } from '../../../../../support/new-folder.ts';

const DAY = 24 * 60 * MINUTE;
const newFile = () => join(newFolder('stores'), 'service.db');

function open(path: string, clock = memoryClock()) {
  const stores = openStores({ path, clock, ids: systemIds });
  onTestFinished(() => stores.close());
  return stores;
}

describe('the file of the stores', () => {
  it('has the few deliveries before a pause in itself, for whoever copies it without its file of transactions', async () => {
    const [path, copy] = [newFile(), newFile()];
    const entry = await append(open(path).log);
    const copied = async () => {
      copyFileSync(path, copy);
      const stores = openStores({ path: copy, clock: memoryClock(), ids: systemIds });
      const entry = await stores.log.read('ann', 1);
      await stores.close();
      return entry;
    };
    await expect.poll(copied, { timeout: 10_000, interval: 250 }).toEqual(entry);
  });

  it('keeps its file of transactions small while deliveries come without a pause', async () => {
    const path = newFile();
    const stores = open(path);
    let left = 3_000;
    const sender = async () => {
      while (left > 0) {
        left -= 1;
        await append(stores.log, { delivery: systemIds.uuid() }, { payload: Buffer.from(systemIds.hex(8_000)) });
      }
    };
    await Promise.all(Array.from({ length: 8 }, sender));
    expect(statSync(`${path}-wal`).size).toBeLessThan(40 * 1024 * 1024);
    // Else nothing is moved before they pause.
    await expect.poll(() => statSync(path).size, { timeout: 10_000 }).toBeGreaterThan(8 * 1024 * 1024);
  });

  it('takes at most 8 kB for a delivery of 12 kB that has three changes', async () => {
    const path = newFile();
    const stores = open(path);
    const body = (number: number) => {
      const files = Array.from({ length: 160 }, () => `src/${systemIds.hex(20)}.ts`);
      const text = 'A delivery compresses to a fourth or a fifth, because half of it is names and addresses. ';
      return Buffer.from(JSON.stringify({ number, files, text: text.repeat(80) }));
    };
    expect(body(1).length).toBeGreaterThan(11_500);
    const deliver = async (number: number) => {
      const payload = body(number);
      await append(stores.log, { delivery: systemIds.uuid() }, { payload, deliveryKey: `github#${systemIds.uuid()}` });
      await stores.log.move('ann', number, () => ({ changes: { status: 'running', updatedAt: AT + number } }));
      await stores.log.move('ann', number, () => ({ changes: { status: 'superseded', reason: 'A newer one came.' } }));
    };
    const before = statSync(path).size;
    for (let number = 1; number <= 400; number += 40) {
      await Promise.all(Array.from({ length: 40 }, (_, place) => deliver(number + place)));
    }
    await stores.close();
    expect((statSync(path).size - before) / 400).toBeLessThanOrEqual(8 * 1024);
  });
});

describe('what has expired', () => {
  it('is removed in small steps', async () => {
    const [path, clock] = [newFile(), memoryClock()];
    const stores = open(path, clock);
    await Promise.all(Array.from({ length: 608 }, () => append(stores.log)));
    clock.pass(91 * DAY);
    const tables = new Connection(path);
    const changes = () => tables.get<{ n: number }>('SELECT count(*) AS n FROM changes')?.n;
    for (let number = 0; number < 16; number += 1) await append(stores.log);
    expect(changes()).toBe(608 + 16 - 256);
  });
});
