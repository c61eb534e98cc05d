import { describe, expect, it } from 'vitest';
import type { Entry, Status } from '../../functions/core/entry.ts';
import { row } from '../../functions/core/views.ts';
import { appending } from '../contracts/deploy-log.ts';

function entry(status: Status, patch: Partial<Entry> = {}): Entry {
  const id = `${'a'.repeat(20)}000000000007`;
  return { ...appending('ann').draft, number: 7, id, seq: 9, status, appName: 'shop', ...patch };
}

describe('the row of an entry', () => {
  it('has the fields of the log, and its address as this reader sees the service', () => {
    expect(row(entry('ok'), { base: 'https://hooks.example.com', docs: 'false' })).toEqual({
      id: `https://hooks.example.com/1/status/ann/changes/${'a'.repeat(20)}000000000007`,
      app_name: 'shop',
      uuid: '00000000-0000-4000-8000-000000000001',
      status: 'ok',
      provider: 'github',
      commit: `ann/shop/${'a'.repeat(40)}`,
      seq: 9,
    });
  });

  it('says why a deploy failed, also without its document', () => {
    const error = { code: 'deploy:platform:start_app', status: 500, detail: 'It did not start.' } as const;
    expect(row(entry('error', { error }), { base: '', docs: 'false' }).error).toEqual(error);
  });

  it('has its document when asked for, with times as people write them', () => {
    const { doc } = row(entry('ok', { finishedAt: 0 }), { base: '', docs: 'true' });
    expect(doc).toMatchObject({ user: 'ann', branch: 'master', finished_at: '1970-01-01T00:00:00.000Z', reason: null });
  });

  it.each([
    ['ok', null, false],
    ['running', null, false],
    ['running', 'Trying again in 5 s.', true],
    ['error', 'It did not start.', true],
    ['held', 'Waiting for Travis CI.', true],
    ['skipped', 'Another branch.', true],
  ] as const)('expands by itself what has something to explain: %s, %s', (status, reason, expanded) => {
    expect('doc' in row(entry(status, { reason }), { base: '', docs: 'auto' })).toBe(expanded);
  });

  it('escapes the user in its address', () => {
    expect(row(entry('ok', { user: 'a b/c' }), { base: '', docs: 'false' }).id).toContain('/status/a%20b%2Fc/');
  });
});
