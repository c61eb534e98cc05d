import { describe, expect, it } from 'vitest';
import type { Activation, HostingPlatform } from '../../../../functions/core/ports/hosting-platform.ts';
import { extract } from '../../../../functions/stage-extract/extract.ts';
import { memoryClock } from '../../../fakes/clock.ts';
import { AT, checked, entry, MINUTE, SECOND } from '../../../support/entries.ts';

const running = { name: 'extract', status: 'running', finishedAt: null, attempts: 1, detail: null } as const;
const extracting = entry({ ...checked, stage: 'extract', stages: [{ ...running, startedAt: AT }] });

/** A platform whose polls give these answers, the last one for ever. */
function world(...answers: readonly Activation[]) {
  const clock = memoryClock(AT);
  const calls: string[] = [];
  const platform: Pick<HostingPlatform, 'activate' | 'poll'> = {
    activate: async ({ user, app, snapshot }, path = '') =>
      void calls.push(`activate ${user}/${app}/${snapshot} ${path}`.trim()),
    poll: async () => {
      calls.push('poll');
      return answers[Math.min(calls.length - 2, answers.length - 1)] ?? { state: 'building' };
    },
  };
  return { clock, calls, run: extract({ platform, clock }) };
}

describe('extracting', () => {
  it('asks the platform to install the snapshot and waits until it is ready', async () => {
    const { run, calls } = world({ state: 'building' }, { state: 'building' }, { state: 'ready' });
    expect(await run(extracting)).toEqual({ kind: 'done' });
    expect(calls).toEqual(['activate ann/shop/1.0.0-1', 'poll', 'poll', 'poll']);
  });

  it('asks for the folder of the application', async () => {
    const { run, calls } = world({ state: 'ready' });
    await run({ ...extracting, path: 'packages/web' });
    expect(calls[0]).toBe('activate ann/shop/1.0.0-1 packages/web');
  });

  it('says which deploy asks', async () => {
    const asked: unknown[] = [];
    const platform: Pick<HostingPlatform, 'activate' | 'poll'> = {
      activate: async (_snapshot, _path, deploy) => void asked.push(deploy),
      poll: async () => ({ state: 'ready' }),
    };
    await extract({ platform, clock: memoryClock(AT) })({ ...extracting, number: 4 });
    expect(asked).toEqual([4]);
  });

  it('says that a build was cut off and began again', async () => {
    const { run } = world({ state: 'ready', note: 'It began again.' });
    expect(await run(extracting)).toEqual({ kind: 'done', detail: 'It began again.' });
  });

  it('asks for the name that the application has on the platform', async () => {
    const { run, calls } = world({ state: 'ready' });
    await run({ ...extracting, appName: '@ann/Shop' });
    expect(calls[0]).toBe('activate ann/ann-shop/1.0.0-1');
  });

  it('returns its message to the queue within five seconds', async () => {
    const { run, clock } = world({ state: 'building' });
    expect(await run(extracting)).toEqual({ kind: 'again', afterSeconds: 1 });
    expect(clock.now() - AT).toBeLessThanOrEqual(5 * SECOND);
    expect(clock.now() - AT).toBeGreaterThan(2 * SECOND);
  });

  it('stays away for longer the longer a build takes, at most half a minute', async () => {
    const { run, clock } = world({ state: 'building' });
    const pauses: number[] = [];
    while (clock.now() - AT < 10 * MINUTE) {
      const outcome = await run(extracting);
      if (outcome.kind !== 'again') return expect.unreachable();
      pauses.push(outcome.afterSeconds);
      clock.pass(outcome.afterSeconds * SECOND);
    }
    expect(pauses).toEqual([...pauses].sort((one, other) => one - other));
    expect(pauses[0]).toBe(1);
    expect(pauses.at(-1)).toBe(30);
    expect(pauses.length).toBeLessThan(40);
  });

  it('does not wait for a build whose end the platform announces', async () => {
    const { run, clock, calls } = world({ state: 'building', announced: true });
    expect(await run(extracting)).toEqual({ kind: 'waits', atMostSeconds: 120 });
    expect(clock.now()).toBe(AT);
    expect(calls).toEqual(['activate ann/shop/1.0.0-1', 'poll']);
  });

  it('fails when an announced end has not come after 20 minutes', async () => {
    const { run, clock } = world({ state: 'building', announced: true });
    clock.pass(20 * MINUTE);
    expect(await run(extracting)).toMatchObject({ kind: 'failed', error: { code: 'deploy:tar:extract_failed' } });
  });

  it('polls often at first', async () => {
    const { run, calls } = world({ state: 'building' });
    await run(extracting);
    expect(calls.length).toBeGreaterThan(10);
    expect(calls.length).toBeLessThan(20);
  });

  it('fails with the platform’s reason and the last lines of its log', async () => {
    const { run } = world({ state: 'failed', reason: 'npm ci exits with 1.', log: ['npm ERR! 404'] });
    expect(await run(extracting)).toMatchObject({
      kind: 'failed',
      error: {
        code: 'deploy:tar:extract_failed',
        retry: false,
        detail: 'npm ci exits with 1.',
        logTail: ['npm ERR! 404'],
      },
    });
  });

  it('fails when the platform has not finished after 20 minutes in all', async () => {
    const { run, clock } = world({ state: 'building' });
    clock.pass(18 * MINUTE);
    expect(await run(extracting)).toMatchObject({ kind: 'again' });
    clock.pass(2 * MINUTE);
    const outcome = await run(extracting);
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'deploy:tar:extract_failed', retry: false } });
  });
});
