import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { presign } from '../../functions/adapters/signals/presign.ts';
import { webSocketSignals } from '../../functions/adapters/signals/websocket.ts';
import { dynamoDbLog } from '../../functions/adapters/stores/dynamodb/log.ts';
import { dynamoDbReader } from '../../functions/adapters/stores/dynamodb/reader.ts';
import { systemClock } from '../../functions/adapters/system/clock.ts';
import { systemIds } from '../../functions/adapters/system/ids.ts';
import { Feeds } from '../../functions/core/feed/feeds.ts';
import { follow } from '../../functions/core/feed/follow.ts';
import type { OnSignal, Signals } from '../../functions/core/ports/signals.ts';
import type { Clock } from '../../functions/core/ports/system.ts';
import { CREDENTIALS, clientFor } from '../aws-local/clients.ts';
import { appendAmongOthers } from '../support/entries.ts';
import { LASTING_LOGIN } from '../support/requests.ts';
import type { Started } from '../support/service/started.ts';
import type { EmulatedService } from './service/start.ts';
import { startStackForTest } from './service/started.ts';

/** The readers' clock runs this many times as fast as the real one: their minute is one second. */
const SPEED = 60;
const WRITERS = 4;
const PATIENCE_MS = 100_000;

/** What becomes of a signal on its last way: milliseconds are ours. */
type Fate = 'comes' | 'lost' | 'twice' | { readonly late: number } | { readonly off: number };

/** One story: who writes when, what becomes of signals, and how two readers fare. */
interface Story {
  readonly bursts: readonly { readonly writes: number; readonly pause: number }[];
  readonly fates: readonly Fate[];
  /** Nothing is heard for a minute of the readers' time, from that moment on. */
  readonly deafFrom: number;
  /** After how long the first reader is cut, again and again, to go on with `since`. */
  readonly cuts: readonly number[];
  /** After how many batches the second reader takes nothing for a minute of its time. */
  readonly restsAfter: number;
}

const fate: fc.Arbitrary<Fate> = fc.oneof(
  fc.constantFrom('comes' as const, 'lost' as const, 'twice' as const),
  fc.record({ late: fc.integer({ min: 1, max: 300 }) }),
  fc.record({ off: fc.integer({ min: -3, max: 3 }) }),
);
const story: fc.Arbitrary<Story> = fc.record({
  bursts: fc.array(fc.record({ writes: fc.integer({ min: 1, max: 25 }), pause: fc.integer({ min: 0, max: 80 }) }), {
    minLength: 1,
    maxLength: 6,
  }),
  fates: fc.array(fate, { minLength: 1, maxLength: 12 }),
  deafFrom: fc.integer({ min: 0, max: 400 }),
  cuts: fc.array(fc.integer({ min: 5, max: 250 }), { maxLength: 6 }),
  restsAfter: fc.integer({ min: 0, max: 4 }),
});
const twoHundredAtOnce: Story = {
  bursts: [{ writes: 200, pause: 0 }],
  fates: ['lost', 'twice', { late: 100 }, 'comes', { off: 2 }],
  deafFrom: 50,
  cuts: [20, 40, 80, 160],
  restsAfter: 1,
};

describe('changes with unreliable signals and readers', () => {
  let started: Started<EmulatedService>;
  let clients: DynamoDBClient[] = [];
  let users = 0;

  beforeAll(async () => {
    started = await startStackForTest({ name: 'exactness' });
    const { endpoints } = started.service.runtime;
    clients = Array.from({ length: WRITERS + 1 }, () => new DynamoDBClient(clientFor(endpoints.dynamodb)));
  });
  afterAll(async () => {
    for (const client of clients) client.destroy();
    await started.close();
  });

  const table = (place: number) => ({
    client: clients[place] ?? new DynamoDBClient({}),
    table: started.service.runtime.template.outputs.LogTable ?? '',
    payloads: started.service.runtime.template.outputs.PayloadTable ?? '',
    clock: systemClock,
    ids: systemIds,
  });

  /** The service's own signals, by its own socket, until the very end of their way. */
  function signals(): Signals {
    const [, url = ''] =
      Object.entries(started.service.runtime.sockets).find(([id]) => id.startsWith('ChangesInside')) ?? [];
    const signer = new DynamoDBClient({ credentials: CREDENTIALS, region: 'us-east-1' }).config;
    return webSocketSignals({ trace: () => {}, address: (user) => presign(`${url}/`, { user }, signer) });
  }

  it('each reader receives every change once and in order', async () => {
    const property = fc.asyncProperty(story, async (told) => {
      users += 1;
      const user = `reader-${users}`;
      const clock = fastClock();
      const log = dynamoDbReader(table(0));
      const feeds = new Feeds({ log, signals: unreliable(signals(), told), clock });
      const total = told.bursts.reduce((sum, { writes }) => sum + writes, 0);
      const world = { user, feeds, clock, total, last: () => log.last(user) };
      const cut = readInPieces(world, told.cuts);
      const slow = readWithARest(world, told.restsAfter);
      await write(user, told.bursts);
      const all = Array.from({ length: total }, (_, place) => place + 1);
      expect(await cut).toEqual(all);
      expect(await slow).toEqual(all);
    });
    await fc.assert(property, { numRuns: 3, examples: [[twoHundredAtOnce]], interruptAfterTimeLimit: 120_000 });
  });

  async function write(user: string, bursts: Story['bursts']): Promise<void> {
    const logs = Array.from({ length: WRITERS }, (_, place) => dynamoDbLog(table(place + 1)));
    for (const { writes, pause } of bursts) {
      const writing = Array.from({ length: writes }, (_, place) => {
        const log = logs[place % WRITERS];
        return log && appendAmongOthers(log, { user, status: 'skipped', uuid: systemIds.uuid() });
      });
      await Promise.all(writing);
      await sleep(pause);
    }
  }
});

interface World {
  readonly user: string;
  readonly feeds: Feeds;
  readonly clock: Clock;
  readonly total: number;
  readonly last: () => Promise<number>;
}

/** Returns the rows of a reader that is cut after each of these times and resumes from its last row, until the end. */
async function readInPieces(world: World, cuts: readonly number[]): Promise<number[]> {
  const seen: number[] = [];
  for (const cut of cuts) await read(world, seen, Date.now() + cut);
  await read(world, seen, Date.now() + PATIENCE_MS);
  return seen;
}

/** What a reader sees who stops reading for a minute of its time. */
async function readWithARest(world: World, after: number): Promise<number[]> {
  const seen: number[] = [];
  await read(world, seen, Date.now() + PATIENCE_MS, async (batch) => {
    if (batch === after) await sleep(60_000 / SPEED);
  });
  return seen;
}

/** Reads on from the last row that was seen, until that moment or until all is there. */
async function read(
  { user, feeds, clock, total, last }: World,
  seen: number[],
  until: number,
  between: (batch: number) => Promise<void> = async () => {},
): Promise<void> {
  const feed = feeds.acquire(user, await last());
  const endsAt = clock.now() + (until - Date.now()) * SPEED;
  const reading = { since: seen.at(-1) ?? 0, mode: 'continuous', limit: total * 2, app: null } as const;
  const ports = { clock, login: LASTING_LOGIN };
  let batch = 0;
  try {
    for await (const event of follow(feed, { ...reading, heartbeatMs: 15_000, endsAt }, ports)) {
      if (event.kind === 'changes') seen.push(...event.changes.map(({ seq }) => seq));
      if (seen.length >= total) break;
      await between(batch);
      batch += 1;
    }
  } finally {
    feeds.release(user, feed);
  }
}

function fastClock(): Clock {
  const start = Date.now();
  return {
    now: () => start + (Date.now() - start) * SPEED,
    sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / SPEED, signal),
  };
}

/** Signals that are lost, doubled, late (and so out of order), wrong, or not heard at all for a while. */
function unreliable(signals: Signals, { fates, deafFrom }: Story): Signals {
  const start = Date.now();
  const isDeaf = () => Date.now() > start + deafFrom && Date.now() < start + deafFrom + 60_000 / SPEED;
  let count = 0;
  return {
    subscribe: (user, onSignal) => {
      const tell: OnSignal = (last, changes) => void (isDeaf() || onSignal(last, changes));
      return signals.subscribe(user, (last, changes) => {
        const next = fates[count % fates.length] ?? 'comes';
        count += 1;
        if (next === 'lost') return;
        if (typeof next === 'object' && 'late' in next) {
          setTimeout(() => tell(last, changes), next.late);
          return;
        }
        const off = typeof next === 'object' ? next.off : 0;
        tell(last === null ? null : Math.max(0, last + off), changes);
        if (next === 'twice') tell(last, changes);
      });
    },
  };
}
