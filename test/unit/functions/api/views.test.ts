import { describe, expect, it } from 'vitest';
import { row } from '../../../../functions/api/views.ts';
import { AT, entry, sha } from '../../../support/entries.ts';

const view = { base: 'https://here.example.com', docs: 'false' } as const;
const error = { code: 'deploy:platform:start_app', status: 500, detail: 'It exits with 1.' } as const;
const failed = entry({
  status: 'error',
  appName: 'shop',
  error,
  reason: error.detail,
  finishedAt: AT,
  logTail: ['boom'],
});

describe('a row', () => {
  it('has the fields of the specification, addressed as its reader knows the service', () => {
    expect(row(entry(), view)).toEqual({
      id: `https://here.example.com/1/status/ann/changes/${entry().id}`,
      app_name: null,
      uuid: '00000000-0000-4000-8000-000000000000',
      status: 'queued',
      provider: 'github',
      commit: `ann/shop/${sha('a')}`,
      seq: 1,
      reason: null,
      url: null,
    });
  });

  it.each([
    ['skipped', 'The branch is main; the hook deploys master.'],
    ['held', 'Waiting for Travis CI.'],
    ['running', 'Trying again in 5 s.'],
  ] as const)('says why without its document: %s', (status, reason) => {
    expect(row(entry({ status, reason }), view)).toMatchObject({ status, reason });
  });

  it('of a held deploy says when it expires, and of no other', () => {
    const held = entry({ status: 'held', expiresAt: AT });
    expect(row(held, view)).toMatchObject({ expires_at: '2026-01-01T00:00:00.000Z' });
    expect(row({ ...held, status: 'running' }, view)).not.toHaveProperty('expires_at');
    expect(row(entry({ status: 'held' }), view)).not.toHaveProperty('expires_at');
  });

  it('of a running application has its address and no reason, but what the deploy warns of', () => {
    const live = entry({ status: 'ok', reason: 'Old.', warning: 'It wrote a.db.', url: 'https://shop.example.com' });
    const shown = { reason: null, warning: 'It wrote a.db.', url: 'https://shop.example.com' };
    expect(row(live, { ...view, docs: 'true' })).toMatchObject({ ...shown, doc: shown });
    expect(row(entry({ status: 'ok' }), view)).not.toHaveProperty('warning');
  });

  it('escapes the user in its address', () => {
    expect(row(entry({ user: 'a b/c' }), view).id).toContain('/status/a%20b%2Fc/');
  });

  it('of a failed deploy always has its error', () => {
    expect(row(failed, view)).toMatchObject({ status: 'error', error });
    expect(row(failed, view)).not.toHaveProperty('doc');
  });
});

describe('the document of a row', () => {
  it('is there when it is requested, with all fields and times in ISO 8601', () => {
    const stage = {
      name: 'check',
      status: 'done',
      startedAt: AT,
      finishedAt: AT + 1500,
      attempts: 1,
      detail: 'shop',
    } as const;
    const whole = entry({ ...failed, stages: [stage], snapshot: '1.0.0-1', delivery: 'd' });
    expect(row(whole, { ...view, docs: 'true' }).doc).toEqual({
      ...row(entry({ ...whole, error: null }), view),
      user: 'ann',
      repository: { host: 'memory', owner: 'ann', name: 'shop', url: null, private: false },
      branch: 'master',
      path: null,
      environment: null,
      ref: 'refs/heads/master',
      message: 'First',
      author: 'Ann',
      delivery: 'd',
      received_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      finished_at: '2026-01-01T00:00:00.000Z',
      error,
      stages: [
        {
          name: 'check',
          status: 'done',
          started_at: '2026-01-01T00:00:00.000Z',
          finished_at: '2026-01-01T00:00:01.500Z',
          attempts: 1,
          detail: 'shop',
        },
      ],
      snapshot: '1.0.0-1',
      log_tail: ['boom'],
    });
  });

  it('does not contain the internal fields of the pipeline', () => {
    const tarball = { key: 'ann/1/a.tar.gz', bytes: 1, sha256: 'a' };
    const text = JSON.stringify(row(entry({ tarball, manifest: { secret: 1 }, order: 7 }), { ...view, docs: 'true' }));
    expect(text).not.toMatch(/tarball|tar\.gz|manifest|place|forced|fromBuild/);
  });

  it.each([
    ['ok', null, false],
    ['running', null, false],
    ['running', 'Trying again in 5 s.', true],
    ['error', 'It did not start.', true],
    ['held', 'Waiting for Travis CI.', true],
    ['skipped', 'Another branch.', true],
  ] as const)('with auto expands what has something to explain: %s, %s', (status, reason, expanded) => {
    expect('doc' in row(entry({ status, reason }), { ...view, docs: 'auto' })).toBe(expanded);
  });
});
