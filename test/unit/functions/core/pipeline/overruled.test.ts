import { describe, expect, it } from 'vitest';
import { DeployError } from '../../../../../functions/core/errors.ts';
import { unlessOverruled } from '../../../../../functions/core/pipeline/overruled.ts';
import type { StageOutcome } from '../../../../../functions/core/pipeline/stage-work.ts';
import { checked, entry } from '../../../../support/entries.ts';

const deploy = entry({ ...checked, appName: '@ann/shop', number: 4 });
const done: StageOutcome = { kind: 'done' };
const error = new DeployError('deploy:platform:upload_tarball', 'There is no such application.', { retry: false });

/** A log in which the operations of these numbers are found, one at each look. */
function looking(...numbers: readonly number[]) {
  const left = [...numbers];
  const asked: string[] = [];
  return {
    asked,
    log: { read: async (_user: string, number: number) => entry({ number, operation: 'stop' }) },
    appFacts: {
      claimedOrder: async () => 8,
      overruledUntil: async (user: string, app: string) => {
        asked.push(`${user}/${app}`);
        return left.shift() ?? 0;
      },
    },
  };
}

describe('a stage of a deploy', () => {
  it('works when no operation was accepted after the deploy', async () => {
    const facts = looking(3);
    expect(await unlessOverruled(async () => done, facts)(deploy)).toBe(done);
    expect(facts.asked).toEqual(['ann/ann-shop']);
  });

  it('works for the overruling operation itself', async () => {
    expect(await unlessOverruled(async () => done, looking(4))(entry({ ...deploy, operation: 'rollback' }))).toBe(done);
  });

  it('is not begun after a later operation, and the entry says how to deploy nevertheless', async () => {
    let began = false;
    const work = unlessOverruled(async () => {
      began = true;
      return done;
    }, looking(5));
    expect(await work(deploy)).toEqual({
      kind: 'ended',
      status: 'superseded',
      reason: expect.stringContaining(`push again, or run "hooks deploy ann-shop --ref ${deploy.sha}".`),
    });
    expect(began).toBe(false);
  });

  it('is superseded and not failed when the application is removed meanwhile', async () => {
    const throwing = unlessOverruled(() => Promise.reject(error), looking(0, 5));
    expect(await throwing(deploy)).toMatchObject({ kind: 'ended', status: 'superseded' });
    const failing = unlessOverruled(async () => ({ kind: 'failed', error }), looking(0, 5));
    expect(await failing(deploy)).toMatchObject({ kind: 'ended', status: 'superseded' });
  });

  it('is superseded and not failed when a newer deploy was started, after which its snapshot was removed', async () => {
    const older = { ...deploy, order: 7 };
    const superseded = { kind: 'ended', status: 'superseded', reason: expect.stringContaining('A newer deploy') };
    expect(await unlessOverruled(() => Promise.reject(error), looking())(older)).toEqual(superseded);
    expect(await unlessOverruled(async () => ({ kind: 'failed', error }), looking())(older)).toEqual(superseded);
    await expect(unlessOverruled(() => Promise.reject(error), looking())({ ...deploy, order: 8 })).rejects.toBe(error);
  });

  it('fails as it does when nothing overruled it', async () => {
    await expect(unlessOverruled(() => Promise.reject(error), looking())(deploy)).rejects.toBe(error);
    const failing = unlessOverruled(async () => ({ kind: 'failed', error }), looking());
    expect(await failing(deploy)).toEqual({ kind: 'failed', error });
  });
});
