import { describe, expect, it } from 'vitest';
import { entry } from '../../../support/cli-entries.ts';
import { cliAt, ok, problem } from '../../../support/cli-service.ts';

const done = ok({ name: 'A', restart: null });
const restart = entry(12, { status: 'queued', provider: 'manual' });
const restarted = ok({ name: 'C', restart });
const live = ok(entry(12, { status: 'ok' }));

describe('env', () => {
  it('lists the names, and the values only when they are wanted', async () => {
    const hidden = await cliAt('env --app shop', [ok({ env: { API_KEY: null, PAGES: null } })]);
    expect([hidden.code, hidden.out]).toEqual([0, 'API_KEY\nPAGES\n']);
    expect(hidden.calls).toEqual(['GET /1/apps/kiwi/shop/env']);
    const shown = await cliAt('env list --app shop --values', [ok({ env: { PAGES: '2' } })]);
    expect([shown.out, shown.calls]).toEqual(['PAGES=2\n', ['GET /1/apps/kiwi/shop/env?values=true']]);
    const json = await cliAt('env --app shop --json', [ok({ env: {} })]);
    expect(json.out).toBe('{"env":{}}\n');
  });

  it('lists a variable of any name that one can have', async () => {
    const { out } = await cliAt('env --app shop', [ok({ env: { constructor: null, prototype: null } })]);
    expect(out).toBe('constructor\nprototype\n');
  });

  it('says how to set one when there is none', async () => {
    const { code, out, err } = await cliAt('env --app shop', [ok({ env: {} })]);
    expect([code, out, err]).toEqual([0, '', expect.stringContaining('hooks env set')]);
  });

  it('sets variables with one restart, and waits for it', async () => {
    const { code, out, calls, bodies } = await cliAt('env set A=1 B=x=y C= --app shop', [done, done, restarted, live]);
    expect(code).toBe(0);
    expect(calls.slice(0, 3)).toEqual([
      'PUT /1/apps/kiwi/shop/env/A?restart=false',
      'PUT /1/apps/kiwi/shop/env/B?restart=false',
      'PUT /1/apps/kiwi/shop/env/C',
    ]);
    expect(bodies.slice(0, 3).map((body) => JSON.parse(body))).toEqual([
      { value: '1' },
      { value: 'x=y' },
      { value: '' },
    ]);
    expect(out).toBe('A is set.\nB is set.\nC is set.\n#12 shop was restarted with it.\n');
  });

  it('fails when the application does not start with them', async () => {
    const failed = entry(12, { status: 'error', error: { code: 'deploy:platform:start_app', detail: 'It ended.' } });
    const { code, err } = await cliAt('env set A=1 --app shop', [restarted, ok(failed)]);
    expect([code, err]).toEqual([1, expect.stringContaining('It ended.')]);
  });

  it('prints JSON alone with --json', async () => {
    const { out } = await cliAt('env set A=1 --app shop --json', [restarted, live]);
    expect(JSON.parse(out)).toMatchObject({ status: 'ok' });
    expect(JSON.parse((await cliAt('env set A=1 --app shop --json', [done])).out)).toEqual({
      name: 'A',
      restart: null,
    });
  });

  it('leaves the application alone with --no-restart', async () => {
    const { calls, out } = await cliAt('env set A=1 --no-restart --app shop', [done]);
    expect(calls[0]).toBe('PUT /1/apps/kiwi/shop/env/A?restart=false');
    expect(out).toBe('A is set.\nshop runs with it after its next start.\n');
  });

  it('says when no application of that name has been deployed', async () => {
    const made = { name: 'app', repository: null, state: 'never', url: null };
    const { code, out, err } = await cliAt('env set A=1 --app app', [done, ok(made)]);
    expect([code, out]).toEqual([0, expect.stringContaining('app has not been deployed yet')]);
    expect(err).toContain('@scope/app is "@scope/app" or "scope-app"');
  });

  it('says how an application runs with it whose deploys have all failed', async () => {
    const failed = { name: 'shop', repository: { owner: 'kiwi', name: 'shop' }, state: 'never', url: null };
    const { code, out, err } = await cliAt('env set A=1 --app shop', [done, ok(failed)]);
    expect([code, out]).toEqual([0, 'A is set.\nshop runs with it after its next deploy.\n']);
    expect(err).toContain('hooks redeploy shop');
  });

  it('says that the application was not restarted when only some changes are accepted', async () => {
    const refused = problem(400, 'request:bad_parameter', 'PORT is set by the platform.');
    const { code, out, err } = await cliAt('env set A=1 PORT=2 --app shop', [done, refused]);
    expect([code, out]).toEqual([1, 'A is set.\n']);
    expect(err).toMatch(/shop was not restarted.*hooks restart shop".*\n.*PORT is set by the platform/);
    const kept = await cliAt('env set A=1 PORT=2 --app shop --no-restart', [done, refused]);
    expect(kept.err).not.toContain('not restarted');
  });

  it.each([
    ['standard input', { stdin: 'two\nlines\n' }, 'two\nlines'],
    ['the terminal, without an echo', { answers: ['typed'] }, 'typed'],
  ])('reads a value from %s', async (_, options, value) => {
    const { code, out, err, bodies } = await cliAt('env set KEY=- --app shop', [done], options);
    expect(code).toBe(0);
    expect(JSON.parse(bodies[0] ?? '')).toEqual({ value });
    expect(out + err).not.toContain('typed');
  });

  it('deletes variables', async () => {
    const { out, calls } = await cliAt('env unset A B --app shop', [done, done]);
    expect(calls.slice(0, 2)).toEqual([
      'DELETE /1/apps/kiwi/shop/env/A?restart=false',
      'DELETE /1/apps/kiwi/shop/env/B',
    ]);
    expect(out).toBe('A is deleted.\nB is deleted.\nshop runs with it after its next start.\n');
  });

  it.each([
    'env set A-B=1',
    'env set 1A=x',
    'env set secret-canary',
    'env set =x',
    'env set A=- B=-',
    'env set',
    'env unset A=1',
  ])('refuses "%s" without repeating a value', async (args) => {
    const { code, err, calls } = await cliAt(`${args} --app shop`, []);
    expect([code, calls]).toEqual([2, []]);
    expect(err).not.toContain('canary');
  });
});
