import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scalingoName } from '../../../../../../functions/adapters/platform/scalingo/ensure-app.ts';
import { scalingoPlatform } from '../../../../../../functions/adapters/platform/scalingo/hosting.ts';
import type { ScalingoParts } from '../../../../../../functions/adapters/platform/scalingo/parts.ts';
import { scalingoAppOperations } from '../../../../../../functions/adapters/platform/scalingo/run/operations.ts';
import type { Entry } from '../../../../../../functions/core/entry/entry.ts';
import { type Overruling, unlessOverruled } from '../../../../../../functions/core/pipeline/overruled.ts';
import type { StageWork } from '../../../../../../functions/core/pipeline/stage-work.ts';
import { extract } from '../../../../../../functions/stage-extract/extract.ts';
import { start } from '../../../../../../functions/stage-start/start.ts';
import { uploadOf } from '../../../../../contracts/hosting-platform.ts';
import { memoryIds } from '../../../../../fakes/clock.ts';
import { MemoryLog } from '../../../../../fakes/deploy-log/deploy-log.ts';
import { memoryQueue } from '../../../../../fakes/job-queue.ts';
import type { FakeScalingo } from '../../../../../fakes/scalingo/server.ts';
import { checked, entry } from '../../../../../support/entries.ts';
import { programTarball } from '../../../../../support/platform/heroku.ts';
import { jumpingClock, openScalingo } from '../../../../../support/platform/scalingo.ts';

let scalingo: FakeScalingo;
let parts: ScalingoParts;
let facts: MemoryLog;
let overruled: number;

beforeEach(async () => {
  ({ scalingo, parts } = await openScalingo());
  parts = { ...parts, clock: jumpingClock() };
  facts = new MemoryLog(memoryIds());
  overruled = 0;
});
afterEach(() => scalingo.close());

const snapshotOf = (number: number) => ({ user: 'ann', app: 'shop', snapshot: `1.0.0-${number}` });
const app = () => scalingo.api.apps.get(scalingoName('tests', snapshotOf(1))) ?? expect.unreachable();

/** A deploy that was uploaded: its number is also its order. */
async function uploaded(number: number): Promise<Entry> {
  const platform = scalingoPlatform(parts);
  const snapshot = snapshotOf(number);
  await platform.ensureApp(snapshot, { name: 'shop' });
  await platform.upload(snapshot, uploadOf(await programTarball('shop', snapshot.snapshot, 'runs')));
  return entry({ ...checked, number, order: number, snapshot: snapshot.snapshot });
}

/** The stages as the pipeline runs them. */
function stages(): Record<'extract' | 'start', StageWork> {
  const platform = scalingoPlatform(parts);
  const { clock } = parts;
  const known: Overruling = {
    overruledUntil: async () => overruled,
    claimedOrder: (user, name) => facts.claimedOrder(user, name),
  };
  const operations = scalingoAppOperations(parts);
  const ports = { platform, operations, facts, log: facts, queue: memoryQueue(), clock, trace: () => {} };
  return {
    extract: unlessOverruled(extract({ platform, clock }), known),
    start: unlessOverruled(start(ports), known),
  };
}

async function run(stage: 'extract' | 'start', one: Entry) {
  for (;;) {
    const outcome = await stages()[stage]({ ...one, stage });
    if (outcome.kind !== 'again') return outcome;
  }
}

describe('the stages on Scalingo', () => {
  it('end an older deploy that comes late as superseded, before anything of it is deployed', async () => {
    const [older, newer] = [await uploaded(1), await uploaded(2)];
    expect(await run('extract', newer)).toEqual({ kind: 'done' });
    expect(await run('start', newer)).toMatchObject({ kind: 'done' });
    expect(await run('extract', older)).toMatchObject({ kind: 'ended', status: 'superseded' });
    expect(app().deployments).toHaveLength(1);
  });

  it('end an older deploy as superseded that was deployed and replaced before its start', async () => {
    const [older, newer] = [await uploaded(1), await uploaded(2)];
    await run('extract', older);
    await run('extract', newer);
    await run('start', newer);
    expect(await run('start', older)).toMatchObject({ kind: 'ended', status: 'superseded' });
    expect(app()).toMatchObject({ program: { version: '1.0.0-2' }, deployments: { length: 2 } });
  });

  it('go back to an older deploy while a newer one is deployed, which is superseded', async () => {
    const old = await uploaded(1);
    await run('extract', old);
    await run('start', old);
    const newer = await uploaded(2);
    app().isHeld = true;
    expect(await stages().extract({ ...newer, stage: 'extract' })).toMatchObject({ kind: 'again' });
    const rollback: Entry = { ...old, number: 3, order: 3, operation: 'rollback' };
    overruled = 3;
    expect(await stages().extract({ ...rollback, stage: 'extract' })).toMatchObject({ kind: 'again' });
    app().isHeld = false;
    expect(await run('extract', newer)).toMatchObject({ kind: 'ended', status: 'superseded' });
    expect(await run('extract', rollback)).toEqual({ kind: 'done' });
    expect(await run('start', rollback)).toMatchObject({ kind: 'done', transition: { activates: true } });
    expect(app().program?.version).toBe('1.0.0-1');
  });
});
