import { describe, expect, it, vi } from 'vitest';
import { resume } from '../../../../functions/build-ended/resume.ts';
import type { Entry } from '../../../../functions/core/entry/entry.ts';
import type { SnapshotRef } from '../../../../functions/core/ports/platform.ts';
import { buildTrigger } from '../../../../functions/triggers/platform-events.ts';
import { memoryQueue } from '../../../fakes/job-queue.ts';
import { checked, entry } from '../../../support/entries.ts';

const snapshot = { user: 'ann', app: 'shop', snapshot: '1.0.0-1' };
const extracting = entry({ ...checked, stage: 'extract' });

async function resumed(known: Entry | null, ref = snapshot) {
  const queue = memoryQueue();
  const log = { read: async (user: string, number: number) => (user === 'ann' && number === 1 ? known : null) };
  return { result: await resume(ref, { log, queue }), sent: queue.sent };
}

describe('the end of a build', () => {
  it('lets the deploy go on that waits for it', async () => {
    const { result, sent } = await resumed(extracting);
    expect(result).toBe(true);
    expect(sent).toEqual([{ user: 'ann', number: 1, stage: 'extract', group: 'ann/entry/1' }]);
  });

  it.each([
    ['that has gone on already', entry({ ...checked, stage: 'start' }), snapshot],
    ['that has ended', entry({ ...extracting, status: 'superseded' }), snapshot],
    ['of another snapshot', entry({ ...extracting, snapshot: '1.0.1-1' }), snapshot],
    ['that does not exist', null, snapshot],
    ['without a number', extracting, { ...snapshot, snapshot: 'none' }],
  ])('changes nothing for a deploy %s', async (_what, known, ref) => {
    expect(await resumed(known, ref)).toEqual({ result: false, sent: [] });
  });
});

describe('the event of CodeBuild', () => {
  const event = (...variables: object[]) => ({
    source: 'aws.codebuild',
    detail: {
      'build-status': 'SUCCEEDED',
      'build-id': 'arn:aws:codebuild:us-east-1:000000000000:build/project:1',
      'additional-information': { environment: { 'environment-variables': variables } },
    },
  });

  it('names the snapshot whose build has ended', async () => {
    const seen: SnapshotRef[] = [];
    const handler = buildTrigger(async (ref) => seen.push(ref) > 0);
    const variables = [
      { name: 'JOB_URL', value: 'https://…' },
      { name: 'SNAPSHOT', value: 'a%2Fb/shop/1.0.0%2B2-1' },
    ];
    expect(await handler(event(...variables))).toEqual({ resumed: true });
    expect(seen).toEqual([{ user: 'a/b', app: 'shop', snapshot: '1.0.0+2-1' }]);
  });

  it.each([
    [event()],
    [event({ name: 'SNAPSHOT', value: 'a/b' })],
    [event({ name: 'SNAPSHOT', value: '%/b/c' })],
    [{}],
    [undefined],
  ])('is ignored without a snapshot: %j', async (unknown) => {
    const error = vi.spyOn(console, 'error').mockReturnValue();
    const handler = buildTrigger(async () => expect.unreachable());
    expect(await handler(unknown)).toEqual({ resumed: false });
    error.mockRestore();
  });
});
