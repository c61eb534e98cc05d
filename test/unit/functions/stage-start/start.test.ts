import { describe, expect, it } from 'vitest';
import { DeployError } from '../../../../functions/core/errors.ts';
import type { SnapshotRef } from '../../../../functions/core/ports/hosting-platform.ts';
import { start } from '../../../../functions/stage-start/start.ts';
import { memoryIds } from '../../../fakes/clock.ts';
import { MemoryLog } from '../../../fakes/deploy-log/deploy-log.ts';
import { memoryTarballs } from '../../../fakes/tarball-store.ts';
import { checked, entry } from '../../../support/entries.ts';

const tarball = { key: 'ann/1/a.tar.gz', bytes: 1, sha256: 'a' };
const starting = entry({ ...checked, stage: 'start', tarball });

async function world() {
  const tarballs = memoryTarballs();
  const facts = new MemoryLog(memoryIds());
  const started: SnapshotRef[] = [];
  async function* body() {
    yield new Uint8Array(1);
  }
  await tarballs.put(tarball.key, body());
  const platform = {
    start: async (snapshot: SnapshotRef) => {
      started.push(snapshot);
      return { url: 'https://shop.example.com' };
    },
  };
  return { tarballs, facts, started, platform, run: start({ platform, facts, tarballs }) };
}

describe('starting', () => {
  it('returns the address of the application and removes the staged tarball', async () => {
    const { run, started, tarballs } = await world();
    expect(await run(starting)).toMatchObject({
      kind: 'done',
      transition: { changes: { url: 'https://shop.example.com' } },
    });
    expect(started).toEqual([{ user: 'ann', app: 'shop', snapshot: '1.0.0-1' }]);
    expect(tarballs.keys()).toEqual([]);
  });

  it('can run again for the same deploy after a crash', async () => {
    const { run } = await world();
    await run(starting);
    expect(await run(starting)).toMatchObject({ kind: 'done' });
  });

  it('never replaces a deploy that was promoted later', async () => {
    const { run, started } = await world();
    await run({ ...starting, number: 2, order: 8 });
    const late = await run({ ...starting, order: 5 });
    expect(late).toMatchObject({ kind: 'ended', status: 'superseded' });
    expect(started).toHaveLength(1);
  });

  it('compares the order of promotion and not the number, because a deploy may have waited for CI', async () => {
    const { run, started } = await world();
    await run({ ...starting, number: 3, order: 6 });
    expect(await run({ ...starting, number: 2, order: 9 })).toMatchObject({ kind: 'done' });
    expect(started).toHaveLength(2);
  });

  it('keeps the tarball and throws the error when the platform fails', async () => {
    const { run, platform, tarballs } = await world();
    platform.start = async () => {
      throw new DeployError('deploy:platform:start_app', 'It exits with 1.', { logTail: ['boom'] });
    };
    await expect(run(starting)).rejects.toMatchObject({ code: 'deploy:platform:start_app', logTail: ['boom'] });
    expect(tarballs.keys()).toHaveLength(1);
  });

  it('is a success though the tarball cannot be removed', async () => {
    const { run, tarballs } = await world();
    tarballs.remove = async () => {
      throw new Error('The store is away.');
    };
    expect(await run(starting)).toMatchObject({ kind: 'done' });
  });
});
