import { describe, expect, it } from 'vitest';
import { workLimitMs } from '../../../../functions/core/pipeline/pipeline.ts';
import type { Activation } from '../../../../functions/core/ports/platform.ts';
import { type ExtractPorts, extract } from '../../../../functions/stage-extract/extract.ts';
import { memoryClock } from '../../../fakes/clock.ts';
import { AT, checked, entry, MINUTE, SECOND } from '../../../support/entries.ts';

const running = { name: 'extract', status: 'running', finishedAt: null, attempts: 1, detail: null } as const;
const extracting = entry({ ...checked, stage: 'extract', stages: [{ ...running, startedAt: AT }] });

/** A platform whose polls give these answers, the last one for ever. */
function world(...answers: readonly Activation[]) {
  const clock = memoryClock(AT);
  const calls: string[] = [];
  const platform: ExtractPorts['platform'] = {
    activate: async ({ user, app, snapshot }, { path = '' } = {}) =>
      void calls.push(`activate ${user}/${app}/${snapshot} ${path}`.trim()),
    poll: async () => {
      calls.push('poll');
      return answers[Math.min(calls.length - 2, answers.length - 1)] ?? { state: 'building' };
    },
    cancel: async () => void calls.push('cancel'),
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

  it('says which deploy asks, and whether it reuses nothing', async () => {
    const asked: unknown[] = [];
    const platform: ExtractPorts['platform'] = {
      activate: async (_snapshot, { deploy, clean } = {}) => void asked.push(deploy, clean),
      poll: async () => ({ state: 'ready' }),
      cancel: async () => {},
    };
    await extract({ platform, clock: memoryClock(AT) })({ ...extracting, receivedAt: AT - 7, clean: true });
    // Its number may be that of an entry of a log that is lost.
    expect(asked).toEqual([AT - 7, true]);
  });

  it('says that a build was cut off and began again, and keeps what it has used', async () => {
    const found = { build: 'npm run build' };
    const { run } = world({ state: 'ready', note: 'It began again.', found });
    expect(await run(extracting)).toEqual({
      ...{ kind: 'done', detail: 'It began again.' },
      transition: { changes: { found } },
    });
  });

  it('asks for the name that the application has on the platform', async () => {
    const { run, calls } = world({ state: 'ready' });
    await run({ ...extracting, appName: '@ann/Shop' });
    expect(calls[0]).toBe('activate ann/ann-shop/1.0.0-1');
  });

  it('knows the end of a build at most a second late, however long it has taken', async () => {
    for (const tookMs of [SECOND, 6 * SECOND, 20 * SECOND, 45 * SECOND, 5 * MINUTE]) {
      const clock = memoryClock(AT);
      const platform: ExtractPorts['platform'] = {
        activate: async () => {},
        poll: async () => ({ state: clock.now() - AT < tookMs ? 'building' : 'ready' }),
        cancel: async () => {},
      };
      const run = extract({ platform, clock });
      let outcome = await run(extracting);
      while (outcome.kind === 'again') {
        clock.pass(outcome.afterSeconds * SECOND);
        outcome = await run(extracting);
      }
      expect(outcome).toEqual({ kind: 'done' });
      expect(clock.now() - AT - tookMs).toBeLessThanOrEqual(SECOND);
    }
  });

  it('has the platform hold its poll for the whole run', async () => {
    const clock = memoryClock(AT);
    const waits: unknown[] = [];
    const platform: ExtractPorts['platform'] = {
      activate: async () => {},
      poll: async (_snapshot, seconds = 0) => {
        waits.push(seconds);
        clock.pass(seconds * SECOND);
        return { state: 'building' };
      },
      cancel: async () => {},
    };
    expect(await extract({ platform, clock })(extracting)).toEqual({ kind: 'again', afterSeconds: 0 });
    expect(waits).toEqual([40]);
    expect(clock.now() - AT).toBeLessThan(workLimitMs('extract'));
  });

  it('fails at the first poll that sees the failure, however often it runs', async () => {
    const { run, calls } = world({ state: 'failed', reason: 'npm ci exits with 1.', log: [] });
    const failure = { kind: 'failed', error: { detail: 'npm ci exits with 1.' } };
    expect([await run(extracting), await run(extracting)]).toMatchObject([failure, failure]);
    expect(calls.filter((call) => call === 'poll')).toHaveLength(2);
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

  it('fails when the platform has not finished after 20 minutes in all, and cancels the build', async () => {
    const { run, clock, calls } = world({ state: 'building' });
    clock.pass(18 * MINUTE);
    expect(await run(extracting)).toMatchObject({ kind: 'again' });
    clock.pass(2 * MINUTE);
    const outcome = await run(extracting);
    expect(calls.at(-1)).toBe('cancel');
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'deploy:tar:extract_failed', retry: false } });
  });
});
