import { describe, expect, it } from 'vitest';
import { memoryLeases } from '../../../../functions/adapters/stores/memory/stream-leases.ts';
import { accepted, awaited } from '../../../../functions/api/entry-answer.ts';
import { applied, type EntryChanges } from '../../../../functions/core/entry/transition.ts';
import { memoryClock } from '../../../fakes/clock.ts';
import { memoryLog } from '../../../fakes/deploy-log.ts';
import { AT, append, entry, SECOND } from '../../../support/entries.ts';

describe('the answer to a hook', () => {
  it('is 202 with the entry, its address and that of its page while the deploy is under way', () => {
    const queued = entry();
    const address = `https://hooks.example.com/1/status/ann/changes/${queued.id}`;
    const answer = accepted(queued);
    expect(answer).toMatchObject({
      status: 202,
      headers: {
        location: address,
        link: `<https://hooks.example.com/#/ann/deploys/${queued.id}>; rel="alternate"; type="text/html"`,
      },
      body: { id: address, status: 'queued' },
    });
    expect(accepted(entry({ status: 'held' })).status).toBe(202);
  });

  it.each(['skipped', 'duplicate'] as const)('is 200 when there is nothing to deploy: %s', (status) => {
    expect(accepted(entry({ status }))).toMatchObject({ status: 200, body: { status } });
  });
});

/** A hook that waits; after that many milliseconds its entry becomes what is given. */
async function waiting(seconds: number, after: number, patch: EntryChanges) {
  const clock = memoryClock(AT);
  const leases = memoryLeases(clock, { user: 5, service: 8 });
  const log = memoryLog();
  const queued = await append(log);
  const read = log.read.bind(log);
  log.read = async (user, number) => {
    const current = await read(user, number);
    return current && clock.now() - AT >= after ? applied(current, { changes: patch }, current.seq) : current;
  };
  const ports = { log, clock, leases, trace: () => {} };
  return { log, clock, leases, run: () => awaited(queued, seconds, ports) };
}

describe('the answer to a hook that waits', () => {
  it('is 200 with the final entry once the deploy is ok', async () => {
    const { run, clock } = await waiting(25, 5 * SECOND, { status: 'ok' });
    expect(await run()).toMatchObject({
      status: 200,
      headers: { 'preference-applied': 'wait=25' },
      body: { status: 'ok' },
    });
    expect(clock.now() - AT).toBeLessThan(6 * SECOND);
  });

  it('is the documented status and code when the deploy failed, with the entry’s address', async () => {
    const error = { code: 'deploy:platform:start_app', status: 500, detail: 'It exits with 1.' } as const;
    const { run } = await waiting(25, SECOND, { status: 'error', error });
    expect(await run()).toMatchObject({
      status: 500,
      headers: { 'content-type': 'application/problem+json', location: expect.stringContaining('/changes/') },
      body: { code: 'deploy:platform:start_app', status: 500, detail: 'It exits with 1.' },
    });
  });

  it('is 202 when the time was not enough, and says that it waited', async () => {
    const { run, clock } = await waiting(3, 60 * SECOND, { status: 'ok' });
    expect(await run()).toMatchObject({ status: 202, headers: { 'preference-applied': 'wait=3' } });
    expect(clock.now() - AT).toBeLessThanOrEqual(3 * SECOND);
  });

  it('counts from the arrival of the hook: storing it has taken part of the time', async () => {
    const { run, clock } = await waiting(3, 60 * SECOND, { status: 'ok' });
    clock.pass(2 * SECOND);
    await run();
    expect(clock.now() - AT).toBeLessThanOrEqual(3 * SECOND);
  });

  it('is 202 at once beyond the five streams that a user may have, as though the time had not been enough', async () => {
    const { run, leases, clock } = await waiting(25, 60 * SECOND, { status: 'ok' });
    const answers = Array.from({ length: 5 }, run);
    await expect.poll(() => leases.open()).toBe(5);
    const before = clock.now();
    expect(await run()).toMatchObject({ status: 202, headers: { 'preference-applied': 'wait=25' } });
    expect(clock.now() - before).toBeLessThan(SECOND);
    await Promise.all(answers);
    expect(leases.open()).toBe(0);
  });

  it('has its slot back when the wait has ended, also of a user who waits again and again', async () => {
    const { run, leases } = await waiting(25, 0, { status: 'ok' });
    for (let times = 0; times < 7; times += 1) expect((await run()).status).toBe(200);
    expect(leases.open()).toBe(0);
  });

  it('is 202 when the slots cannot be counted, because the hook is stored', async () => {
    const { run, leases } = await waiting(25, 0, { status: 'ok' });
    leases.acquire = async () => {
      throw new Error('The database is away.');
    };
    expect(await run()).toMatchObject({ status: 202, body: { status: 'queued' } });
  });

  it('does not wait for CI', async () => {
    const { run, clock } = await waiting(25, SECOND, { status: 'held' });
    expect(await run()).toMatchObject({ status: 202, body: { status: 'held' } });
    expect(clock.now() - AT).toBeLessThan(2 * SECOND);
  });

  it('is 202 when the database fails during the wait, because the hook is stored', async () => {
    const { run, log } = await waiting(2, 0, {});
    log.read = async () => {
      throw new Error('The database is away.');
    };
    expect(await run()).toMatchObject({ status: 202, body: { status: 'queued' } });
  });

  it('is immediate for zero seconds', async () => {
    const { run, clock } = await waiting(0, 60 * SECOND, {});
    expect(await run()).toMatchObject({ status: 202, headers: { 'preference-applied': 'wait=0' } });
    expect(clock.now()).toBe(AT);
  });
});
