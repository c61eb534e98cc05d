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

  it('asks for the name that the application has on the platform', async () => {
    const { run, calls } = world({ state: 'ready' });
    await run({ ...extracting, appName: '@ann/Shop' });
    expect(calls[0]).toBe('activate ann/ann-shop/1.0.0-1');
  });

  it('returns its message to the queue after less than a minute', async () => {
    const { run, clock } = world({ state: 'building' });
    expect(await run(extracting)).toEqual({ kind: 'again', afterSeconds: 1 });
    expect(clock.now() - AT).toBeLessThanOrEqual(55 * SECOND);
    expect(clock.now() - AT).toBeGreaterThan(50 * SECOND);
  });

  it('polls often at first and every two seconds later', async () => {
    const { run, calls } = world({ state: 'building' });
    await run(extracting);
    expect(calls.length).toBeGreaterThan(30);
    expect(calls.length).toBeLessThan(50);
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
