import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../../lib/client/entry.ts';
import { commitUrl, pullRequestUrl, safeUrl } from '../../../../lib/page/model/links.ts';
import { plainLine } from '../../../../lib/page/model/output.ts';
import { calledSince, pushLines } from '../../../../lib/page/model/push.ts';
import { hashOf, parseRoute } from '../../../../lib/page/model/route.ts';
import { filled, isOfThisMachine, repositoryAt } from '../../../../lib/page/model/setup.ts';
import { currentStage, stageStates } from '../../../../lib/page/model/stages.ts';
import { shownStatus } from '../../../../lib/page/model/status.ts';
import { ago, agoChangesAt, duration, until } from '../../../../lib/page/model/time.ts';

describe('addresses', () => {
  it('a hash names a view, and a view its hash, also with names that need encoding', () => {
    for (const route of [
      { user: 'demo', view: 'deploys', name: '', query: { app: '@scope/app', status: 'failed' } },
      { user: 'a b', view: 'deploy', name: 'abc', query: {} },
      { user: 'demo', view: 'app', name: '@scope/app', query: {} },
      { user: 'demo', view: 'settings', name: '', query: {} },
    ] as const) {
      expect(parseRoute(hashOf(route))).toEqual(route);
    }
    expect(hashOf({ user: 'demo', view: 'deploy', name: 'abc' })).toBe('#/demo/deploys/abc');
  });

  it.each(['', '#', '#/', '#/%ff/x', '#//evil.example.com', '#/demo/nothing'])('%j is the list of deploys', (hash) => {
    expect(parseRoute(hash).view).toBe('deploys');
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', ' java\tscript:alert(1)', 'vbscript:x', '//x', '', null])(
    '%j is no address that is opened',
    (address) => {
      expect(safeUrl(address)).toBeNull();
    },
  );

  it.each([
    ['github', 'https://github.com/o/r', 'commit', 'pull'],
    ['gitlab', 'https://gitlab.com/o/r/', '-/commit', '-/merge_requests'],
    ['bitbucket', 'https://bitbucket.org/o/r', 'commits', 'pull-requests'],
    ['forgejo', 'https://codeberg.org/o/r', 'commit', 'pulls'],
    ['github', 'javascript:alert(1)//', null, null],
    ['local', 'http://127.0.0.1:4000/o/r', null, null],
  ])('a commit and a pull request of %s at %s are shown at their host in its form', (host, url, commit, pull) => {
    const sha = 'a'.repeat(40);
    const doc = { repository: { host, owner: 'o', name: 'r', url } };
    const push = { commit: `o/r/${sha}`, doc } as Entry;
    const page = url.replace(/\/$/, '');
    expect(commitUrl(push)).toBe(commit && `${page}/${commit}/${sha}`);
    expect(pullRequestUrl({ ...push, pull_request: 8 })).toBe(pull && `${page}/${pull}/8`);
    expect(pullRequestUrl(push)).toBeNull();
  });
});

describe('a first push', () => {
  it('has the user in its address and no password; names that need encoding are encoded', () => {
    const lines = pushLines({ host: 'http://127.0.0.1:7000', user: 'a b', name: 'shop' });
    expect(lines.split('\n').slice(1)).toEqual([
      'git remote add hooks http://a%20b@127.0.0.1:7000/a%20b/shop.git',
      'git push hooks HEAD',
    ]);
  });

  it('is waited for by calls alone: what was asked for by hand is none', () => {
    const entry = (number: number, provider: string) => ({
      id: `x/${'a'.repeat(20)}${String(number).padStart(12, '0')}`,
      provider,
    });
    const ordered = [entry(4, 'manual'), entry(3, 'github'), entry(2, 'github')] as Entry[];
    expect(calledSince(ordered, 2)).toEqual([ordered[1]]);
  });
});

describe('times', () => {
  it('says how long ago something was, and never that it will be', () => {
    const now = Date.UTC(2026, 10, 22, 12);
    const SECOND = 1000;
    const shown = [0, 12 * SECOND, 90 * SECOND, 3 * 3600 * SECOND, 50 * 3600 * SECOND, -9000].map((ms) =>
      ago(now - ms, now),
    );
    expect(shown).toEqual(['now', '12s ago', '1m ago', '3h ago', '2d ago', 'now']);
    expect(ago(Date.UTC(2026, 9, 3, 12), now)).toBe('Oct 3');
    expect(ago(Date.UTC(2024, 9, 3, 12), now)).toBe('Oct 3, 2024');
  });

  it('says how long it takes until something happens', () => {
    const shown = [-5000, 900, 12_000, 59.9 * 60_000, 3_600_000, 30 * 24 * 3_600_000].map((ms) => until(ms, 0));
    expect(shown).toEqual(['now', 'now', 'in 12s', 'in 59m', 'in 1h', 'in 30d']);
  });

  it('knows when the text changes next: it stays until then, and is another one from then on', () => {
    fc.assert(
      fc.property(fc.integer({ min: -10_000, max: 6 * 24 * 3_600_000 }), (passed) => {
        const now = Date.UTC(2026, 10, 22, 12);
        const time = now - passed;
        const next = agoChangesAt(time, now);
        expect(next).toBeGreaterThan(now);
        expect(ago(time, next - 1)).toBe(ago(time, now));
        expect(ago(time, next)).not.toBe(ago(time, now));
      }),
    );
    expect(agoChangesAt(Date.UTC(2026, 9, 3), Date.UTC(2026, 10, 22))).toBe(Infinity);
  });

  it('says how long something took', () => {
    expect([85, 1500, 9960, 59_600, 125_000, 3_840_000].map(duration)).toEqual([
      '85 ms',
      '1.5 s',
      '10 s',
      '1m 00s',
      '2m 05s',
      '1h 04m',
    ]);
  });
});

describe('stages', () => {
  const record = (name: string, status: 'running' | 'done' | 'failed') =>
    ({ name, status, started_at: '', finished_at: null, attempts: 1, detail: null }) as const;

  it('wait until they begin, and are not needed when the entry has ended or began later', () => {
    const states = (...args: Parameters<typeof stageStates>) => stageStates(...args).map(({ state }) => state);
    const begun = states([record('check', 'done'), record('fetch', 'running')], false);
    expect(begun.slice(0, 3)).toEqual(['done', 'running', 'waiting']);
    expect(begun.at(-1)).toBe('waiting');
    expect(states([record('check', 'failed')], true)[1]).toBe('unneeded');
    const late = states([record('start', 'running')], false);
    expect(late.slice(0, 2)).toEqual(['unneeded', 'unneeded']);
    expect(late.at(-1)).toBe('running');
  });

  it('the current one runs, or is the next', () => {
    expect(currentStage(stageStates([record('check', 'done')], false))?.name).toBe('fetch');
    expect(currentStage(stageStates([], false))?.name).toBe('check');
  });
});

describe('texts of others', () => {
  it('an output is shown without what only a terminal understands', () => {
    expect(plainLine('\u001b[1;31mred\u001b[0m\ttab \u001b]0;title\u0007end\u0000')).toBe('red\ttab end');
    expect(plainLine('<script>alert(1)</script>')).toBe('<script>alert(1)</script>');
  });

  it('a status of a later version is shown as it is written', () => {
    expect(shownStatus({ status: 'paused' })).toEqual({ label: 'paused', tone: 'calm', shape: 'dot' });
    expect(shownStatus({ status: 'ok', operation: 'rollback' }).label).toBe('Rolled back');
  });
});

const NEITHER = { previews: false, ci: false };

describe('the set-up of a sender', () => {
  const text = {
    id: 'x',
    name: 'X',
    sends: 'pushes',
    where: 'https://x.com/<owner>/<repository>/hooks',
    settings: [['URL', 'https://<user>:<token>@d.example.com/1/deploy']],
    lines: 'header: Basic <base64 of <user>:<token>>',
    notes: [],
    previews: 'Pull requests',
  } as const;

  it('has the reader’s values, encoded where they are in an address', () => {
    const values = {
      user: 'ann@x',
      repository: 'octo/hello',
      branch: 'a b',
      environment: 'staging',
      token: 'p:w/',
      ...NEITHER,
    };
    expect(filled(text, values)).toMatchObject({
      where: 'https://x.com/octo/hello/hooks',
      settings: [['URL', 'https://ann%40x:p%3Aw%2F@d.example.com/1/deploy?branch=a%20b&environment=staging']],
      lines: `header: Basic ${btoa('ann@x:p:w/')}`,
    });
  });

  it.each([
    ['a host', { previews: true, ci: false }, {}, '?previews=true'],
    ['a host', { previews: true, ci: true }, {}, '?ci=wait&previews=ci'],
    ['a host', { previews: false, ci: true }, {}, '?ci=wait'],
    ['a host, for an environment', { previews: true, ci: true, environment: 'x' }, {}, '?environment=x&ci=wait'],
    ['a host without pull requests', { previews: true, ci: false }, { previews: null }, ''],
    ['a CI provider', { previews: true, ci: true }, { previews: null, sends: 'builds' }, ''],
  ] as const)('%s is told of pull requests and CI as it knows them: %j', (_who, chosen, sender, query) => {
    const values = { user: 'ann', repository: '', branch: '', environment: '', token: '', ...chosen };
    const { settings } = filled({ ...text, ...sender }, values);
    expect(settings[0]?.[1]).toBe(`https://ann:<token>@d.example.com/1/deploy${query}`);
    expect(settings.slice(1)).toEqual(query.includes('previews') ? [['And the events', 'Pull requests']] : []);
  });

  it.each([
    ['https://github.com/octo/hello', 'github', 'octo/hello'],
    ['https://github.com/octo/hello.git', 'github', 'octo/hello'],
    ['github.com/octo/hello/tree/main/apps/web', 'github', 'octo/hello'],
    ['git@gitlab.com:team/web/store.git', 'gitlab', 'team/web/store'],
    ['https://gitlab.example.com/team/web/store/-/tree/main?x=1', 'gitlab', 'team/web/store'],
    ['ssh://git@bitbucket.org:22/octo/hello.git', 'bitbucket', 'octo/hello'],
    ['https://ann@codeberg.org/octo/hello/src/branch/main', 'forgejo', 'octo/hello'],
    ['https://git.example.com:8443/octo/hello/', '', 'octo/hello'],
  ])('%s is a repository at a host', (address, host, repository) => {
    expect(repositoryAt(address)).toEqual({ host, repository });
  });

  it.each(['', 'hello', 'octo/hello', 'https://github.com', 'https://github.com/octo', 'nothing of the kind'])(
    '%j names no repository at a host',
    (address) => {
      expect(repositoryAt(address)).toBeNull();
    },
  );

  it.each([
    ['http://ann:<token>@127.0.0.1:8080/1/deploy?branch=main', true],
    ['http://localhost:8080/1/deploy', true],
    ['http://[::1]:8080/1/deploy', true],
    ['https://ann:<token>@d.example.com/1/deploy', false],
    ['https://127.0.0.1.example.com/1/deploy', false],
  ])('knows whether %s can be called from this machine only: %s', (url, expected) => {
    expect(isOfThisMachine({ settings: [['URL', url]], lines: null })).toBe(expected);
    expect(isOfThisMachine({ settings: [], lines: `urls: ${url}` })).toBe(expected);
  });

  it('keeps the placeholders of what is not known', () => {
    const { where, settings, lines } = filled(text, {
      user: 'ann',
      repository: '',
      branch: '',
      environment: '',
      token: '',
      ...NEITHER,
    });
    expect([where, settings[0]?.[1], lines]).toEqual([
      'https://x.com/<owner>/<repository>/hooks',
      'https://ann:<token>@d.example.com/1/deploy',
      'header: Basic <base64 of ann:<token>>',
    ]);
  });
});
