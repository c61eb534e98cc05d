import { describe, expect, it } from 'vitest';
import { cliAt, ok } from '../../../support/cli-service.ts';

const done = ok({});

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

  it('says how to set one when there is none', async () => {
    const { code, out, err } = await cliAt('env --app shop', [ok({ env: {} })]);
    expect([code, out, err]).toEqual([0, '', expect.stringContaining('hooks env set')]);
  });

  it('sets variables with one restart', async () => {
    const { code, out, calls, bodies } = await cliAt('env set A=1 B=x=y C= --app shop', [done, done, done]);
    expect(code).toBe(0);
    expect(calls).toEqual([
      'PUT /1/apps/kiwi/shop/env/A?restart=false',
      'PUT /1/apps/kiwi/shop/env/B?restart=false',
      'PUT /1/apps/kiwi/shop/env/C',
    ]);
    expect(bodies.map((body) => JSON.parse(body))).toEqual([{ value: '1' }, { value: 'x=y' }, { value: '' }]);
    expect(out).toBe('A is set.\nB is set.\nC is set.\nshop is restarted with it.\n');
  });

  it('leaves the application alone with --no-restart', async () => {
    const { calls, out } = await cliAt('env set A=1 --no-restart --app shop', [done]);
    expect(calls).toEqual(['PUT /1/apps/kiwi/shop/env/A?restart=false']);
    expect(out).toContain('after the next restart or deploy');
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
    expect(calls).toEqual(['DELETE /1/apps/kiwi/shop/env/A?restart=false', 'DELETE /1/apps/kiwi/shop/env/B']);
    expect(out).toBe('A is deleted.\nB is deleted.\nshop is restarted with it.\n');
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
