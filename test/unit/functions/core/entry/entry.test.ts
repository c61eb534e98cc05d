import { describe, expect, it } from 'vitest';
import {
  commitName,
  ended,
  entryAddress,
  entryId,
  entryNumber,
  failed,
  isAlive,
  isFinal,
  type Status,
} from '../../../../../functions/core/entry/entry.ts';
import { DeployError } from '../../../../../functions/core/errors.ts';
import { AT, entry, sha } from '../../../../support/entries.ts';

describe('a status', () => {
  const table: readonly (readonly [Status, boolean, boolean])[] = [
    ['queued', false, true],
    ['running', false, true],
    ['held', false, false],
    ['ok', true, true],
    ['error', true, false],
    ['expired', true, false],
    ['skipped', true, false],
    ['duplicate', true, false],
    ['superseded', true, false],
  ];

  it.each(table)('%s: final %s, deploys or has deployed %s', (status, final, alive) => {
    expect(isFinal(status)).toBe(final);
    expect(isAlive(status)).toBe(alive);
  });
});

describe('the id of an entry', () => {
  it('carries its number and gives it back', () => {
    const id = entryId('0123456789abcdef0123', 42);
    expect(id).toBe('0123456789abcdef0123000000000042');
    expect(entryNumber(id)).toBe(42);
  });

  it.each([
    '',
    '42',
    '0123456789abcdef0123',
    `${'g'.repeat(20)}000000000042`,
    `${'0'.repeat(32)}1`,
    `${'A'.repeat(20)}000000000042`,
  ])('is not %j', (id) => {
    expect(entryNumber(id)).toBeNull();
  });

  it('stands in an address, in which the user’s name cannot lead elsewhere', () => {
    const address = entryAddress('https://hooks.example.com', { user: 'a/b', id: 'x' });
    expect(address).toBe('https://hooks.example.com/1/status/a%2Fb/changes/x');
  });
});

describe('the commit of an entry', () => {
  it('is named by owner, repository and id, as far as they are known', () => {
    expect(commitName(entry())).toBe(`ann/shop/${sha('a')}`);
    expect(commitName(entry({ sha: null }))).toBe('ann/shop');
    expect(commitName(entry({ repository: null }))).toBeNull();
  });
});

describe('an entry that ends', () => {
  const running = {
    name: 'check',
    status: 'running',
    startedAt: AT,
    finishedAt: null,
    attempts: 2,
    detail: null,
  } as const;

  it('with an error shows it as its own and as that of the stage that failed', () => {
    const error = new DeployError('deploy:platform:start_app', 'It exits with 1.', { logTail: ['boom'] });
    expect(failed(entry({ stages: [running] }), error, AT + 5)).toMatchObject({
      status: 'error',
      reason: 'It exits with 1.',
      error: { code: 'deploy:platform:start_app', status: 500, detail: 'It exits with 1.' },
      logTail: ['boom'],
      stages: [{ name: 'check', status: 'failed', finishedAt: AT + 5, attempts: 2, detail: 'It exits with 1.' }],
      finishedAt: AT + 5,
    });
  });

  it('keeps no secret and no more than it needs of what others said', () => {
    const error = new DeployError('deploy:platform:start_app', `password=hunter2 ${'x'.repeat(2000)}`, {
      logTail: ['Bearer abcdefghijkl', ...Array.from({ length: 39 }, () => 'x'.repeat(2000))],
    });
    const text = JSON.stringify(failed(entry({ stages: [running] }), error, AT));
    expect(text).not.toMatch(/hunter2|abcdefghijkl/);
    expect(text.length).toBeLessThan(25_000);
  });

  it('for another reason says it, and has an end only when it is final', () => {
    expect(ended(entry(), 'superseded', 'Newer.', AT + 5)).toMatchObject({ reason: 'Newer.', finishedAt: AT + 5 });
    expect(ended(entry(), 'held', 'Waiting.', AT + 5)).toMatchObject({ reason: 'Waiting.', finishedAt: null });
  });
});
