import type { LambdaClient } from '@aws-sdk/client-lambda';
import { describe, expect, it } from 'vitest';
import { beyondLimit } from '../../../../../../functions/adapters/platform/aws-lambda/run/traffic.ts';
import { PARAMETERS } from '../../../../../../lib/stack/parameter-table.ts';
import { AwsError, fakeClient } from '../../../../../fakes/aws-error.ts';

const full = Object.assign(new AwsError('TooManyRequestsException', 429), {
  Reason: 'ReservedFunctionConcurrentInvocationLimitExceeded',
});

/** An application with a limit of ten requests, whose trials end so; what is done, in order. */
function world(...trials: readonly (Error | null)[]) {
  const done: string[] = [];
  const ends = trials.values();
  const lambda = fakeClient<LambdaClient>({
    PutFunctionConcurrencyCommand: ({
      ReservedConcurrentExecutions,
    }: {
      readonly ReservedConcurrentExecutions: number;
    }) => {
      done.push(`limit ${ReservedConcurrentExecutions}`);
    },
    DeleteFunctionConcurrencyCommand: () => void done.push('no limit'),
  });
  const trial = async () => {
    done.push('trial');
    const { value: error } = ends.next();
    if (error) throw error;
  };
  const before = async () => void done.push('noted');
  return { done, run: () => beyondLimit('shop', { trial, before }, { lambda, appConcurrency: 10 }) };
}

describe('the trial of a version', () => {
  it('lifts the limit while it runs when all places are taken by the version before', async () => {
    const { done, run } = world(full, null);
    await run();
    expect(done).toEqual(['trial', 'noted', 'no limit', 'trial', 'limit 10']);
  });

  it('leaves the limit where it has a place', async () => {
    const { done, run } = world(null);
    await run();
    expect(done).toEqual(['trial']);
  });

  it('leaves the limit when the account has no place, or the version does not start', async () => {
    const ofAccount = Object.assign(new AwsError('TooManyRequestsException', 429), {
      Reason: 'ConcurrentInvocationLimitExceeded',
    });
    for (const error of [ofAccount, new Error('It ended.')]) {
      const { done, run } = world(error);
      await expect(run()).rejects.toBe(error);
      expect(done).toEqual(['trial']);
    }
  });

  it('sets the limit again when the version does not start', async () => {
    const { done, run } = world(full, new Error('It ended.'));
    await expect(run()).rejects.toThrow('It ended.');
    expect(done.at(-1)).toBe('limit 10');
  });
});

it('an application has no limit by default, so that two visitors of a page with many files are answered', () => {
  expect(PARAMETERS.AppConcurrency.default).toBe(0);
});
