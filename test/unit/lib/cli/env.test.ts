import { describe, expect, it } from 'vitest';
import type { Reply } from '../../../support/api-server.ts';
import type { CliOptions } from '../../../support/cli.ts';
import { entry } from '../../../support/cli-entries.ts';
import { cliAt, folderOf, ok, problem } from '../../../support/cli-service.ts';

const done = ok({ names: ['A'], restart: null });
const restart = entry(12, { status: 'queued', provider: 'manual' });
const restarted = ok({ names: ['C'], restart });
const live = ok(entry(12, { status: 'ok' }));

/** Runs the command line in the folder of the application. */
const inFolder = (args: string | readonly string[], replies: readonly Reply[], options: CliOptions = {}) =>
  cliAt(args, replies, { folder: folderOf('shop'), ...options });

describe('env', () => {
  it('lists the names, and the values only when they are wanted', async () => {
    const hidden = await inFolder('env --app shop', [ok({ env: { API_KEY: null, PAGES: null } })]);
    expect([hidden.code, hidden.out]).toEqual([0, 'API_KEY\nPAGES\n']);
    expect(hidden.calls).toEqual(['GET /1/apps/kiwi/shop/env']);
    const shown = await inFolder('env list --app shop --values', [ok({ env: { PAGES: '2' } })]);
    expect([shown.out, shown.calls]).toEqual(['PAGES=2\n', ['GET /1/apps/kiwi/shop/env?values=true']]);
    const json = await inFolder('env --app shop --json', [ok({ env: {} })]);
    expect(json.out).toBe('{"env":{}}\n');
  });

  it('lists a variable of any name that one can have', async () => {
    const { out } = await inFolder('env --app shop', [ok({ env: { constructor: null, prototype: null } })]);
    expect(out).toBe('constructor\nprototype\n');
  });

  it('says how to set one when there is none', async () => {
    const { code, out, err } = await inFolder('env --app shop', [ok({ env: {} })]);
    expect([code, out, err]).toEqual([0, '', expect.stringContaining('hooks env set')]);
  });

  it('sets variables with one restart, and waits for it', async () => {
    const { code, out, calls, bodies } = await inFolder('env set A=1 B=x=y C= --app shop', [restarted, live]);
    expect([code, calls[0]]).toEqual([0, 'PATCH /1/apps/kiwi/shop/env']);
    expect(JSON.parse(bodies[0] ?? '')).toEqual({ A: '1', B: 'x=y', C: '' });
    expect(out).toBe('A is set.\nB is set.\nC is set.\n#12 shop was restarted with the change.\n');
  });

  const web = (command: string) =>
    ok({ processes: [{ name: 'web', type: 'web', command, state: 'running' }], scale: {} });

  it.each([
    ['of a static site', 'A=1', [web('serve dist')]],
    ['that is written into pages', 'VITE_API=1', []],
  ])('says that a variable %s is read when it is built', async (_, variable, more) => {
    const { code, err } = await inFolder(`env set ${variable} --app shop`, [restarted, live, ...more]);
    expect([code, err]).toEqual([0, expect.stringContaining('"hooks redeploy shop" builds them with the new one.')]);
  });

  it.each([
    ['runs', web('node serve.js')],
    ['lists no processes', problem(400, 'request:not_supported', 'AWS Lambda has none.')],
  ])('says nothing of a build where a server %s', async (_, processes) => {
    const { code, err } = await inFolder('env set A=1 --app shop', [restarted, live, processes]);
    expect([code, err]).toEqual([0, expect.not.stringContaining('redeploy')]);
  });

  it('fails when the application does not start with them', async () => {
    const failed = entry(12, { status: 'error', error: { code: 'deploy:platform:start_app', detail: 'It ended.' } });
    const { code, err } = await inFolder('env set A=1 --app shop', [restarted, ok(failed)]);
    expect([code, err]).toEqual([1, expect.stringContaining('It ended.')]);
  });

  it('prints JSON alone with --json', async () => {
    const { out } = await inFolder('env set A=1 --app shop --json', [restarted, live]);
    expect(JSON.parse(out)).toMatchObject({ status: 'ok' });
    expect(JSON.parse((await inFolder('env set A=1 --app shop --json', [done])).out)).toEqual({
      names: ['A'],
      restart: null,
    });
  });

  it('leaves the application alone with --no-restart', async () => {
    const { calls, out } = await inFolder('env set A=1 --no-restart --app shop', [done]);
    expect(calls[0]).toBe('PATCH /1/apps/kiwi/shop/env?restart=false');
    expect(out).toBe('A is set.\nshop runs with the change after its next start.\n');
  });

  it('says when no application of that name has been deployed', async () => {
    const made = { name: 'app', repository: null, state: 'never', url: null };
    const { code, out, err } = await cliAt('env set A=1 --app app', [ok({ apps: [] }), done, ok(made)]);
    expect([code, out]).toEqual([0, expect.stringContaining('app has not been deployed yet')]);
    expect(err).toContain('@scope/app is "@scope/app" or "scope-app"');
  });

  const apps = ok({
    apps: ['shop', '@kiwi/store'].map((name) => ({ name, app: name.replace('@kiwi/', 'kiwi-'), state: 'running' })),
  });

  it.each(['shp', 'shpo', 'shopp', 'SHIP'])(
    'is not set for %s, which is nearly the name of another one',
    async (app) => {
      for (const args of [`env set A=1 --app ${app}`, `set ${app} build=x`]) {
        const { code, out, err, calls } = await cliAt(args, [apps]);
        expect([code, out, calls]).toEqual([1, '', ['GET /1/apps/kiwi']]);
        expect(err).toContain(`There is no application "${app}"; did you mean "shop"?`);
      }
    },
  );

  it('is set for any other one, also before its first deploy, and in its folder whatever it is called', async () => {
    const made = ok({ name: 'shp', repository: null, state: 'never', url: null });
    for (const app of ['fruit', 'Shop', 'kiwi-store', '@kiwi/store']) {
      expect((await cliAt(`env set A=1 --app ${app}`, [apps, done, made])).code).toBe(0);
    }
    expect((await cliAt('env set A=1 --app shp', [done, made], { folder: folderOf('shp') })).code).toBe(0);
  });

  it('says how an application runs with it whose deploys have all failed', async () => {
    const failed = { name: 'shop', repository: { owner: 'kiwi', name: 'shop' }, state: 'never', url: null };
    const { code, out, err } = await inFolder('env set A=1 --app shop', [done, ok(failed)]);
    expect([code, out]).toEqual([0, 'A is set.\nshop runs with the change after its next deploy.\n']);
    expect(err).toContain('hooks redeploy shop');
  });

  it('sets none when one is refused', async () => {
    const refused = problem(400, 'request:bad_parameter', 'PORT is set by the platform.');
    const { code, out, err } = await inFolder('env set A=1 PORT=2 --app shop', [refused]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('PORT is set by the platform');
  });

  it.each([
    ['standard input', { stdin: 'two\nlines\n' }, 'two\nlines'],
    ['the terminal, without an echo', { answers: ['typed'] }, 'typed'],
  ])('reads a value from %s', async (_, options, value) => {
    const { code, out, err, bodies } = await inFolder('env set KEY=- --app shop', [done], options);
    expect(code).toBe(0);
    expect(JSON.parse(bodies[0] ?? '')).toEqual({ KEY: value });
    expect(out + err).not.toContain('typed');
  });

  it('deletes variables', async () => {
    const there = ok({ env: { A: null, B: null, C: null } });
    const { out, calls, bodies } = await inFolder('env unset A B --app shop', [there, done]);
    expect([calls[1], JSON.parse(bodies[1] ?? '')]).toEqual(['PATCH /1/apps/kiwi/shop/env', { A: null, B: null }]);
    expect(out).toBe('A is deleted.\nB is deleted.\nshop runs with the change after its next start.\n');
  });

  it('deletes none, and restarts nothing, when there is no variable of a name', async () => {
    const { code, out, err, calls } = await inFolder('env unset A constructor --app shop', [ok({ env: { A: null } })]);
    expect([code, out, calls]).toEqual([1, '', ['GET /1/apps/kiwi/shop/env']]);
    expect(err).toContain('shop has no variable constructor, nothing was changed');
  });

  it('prints one value as it is, and fails when there is none', async () => {
    const sent = ok({ env: { KEY: 'two\nlines', EMPTY: '' } });
    const { code, out, calls } = await inFolder('env get KEY --app shop', [sent]);
    expect([code, out, calls]).toEqual([0, 'two\nlines\n', ['GET /1/apps/kiwi/shop/env?values=true']]);
    expect((await inFolder('env get EMPTY --app shop', [sent])).out).toBe('\n');
    const none = await inFolder('env get toString --app shop', [sent]);
    expect([none.code, none.out, none.err]).toEqual([1, '', expect.stringContaining('has no variable')]);
  });

  it('exports what it imports, with one restart, but for what the platform sets', async () => {
    const env = { KEY: "it's\ntwo", PAGES: '2', PHRASE: 'a b' };
    const exported = await inFolder('env export --app shop', [ok({ env })]);
    const text = `PORT=3000\n${exported.out}`;
    const { code, out, err, calls, bodies } = await inFolder('env import - --app shop', [done], { stdin: text });
    expect([code, calls[0]]).toEqual([0, 'PATCH /1/apps/kiwi/shop/env']);
    expect(JSON.parse(bodies[0] ?? '')).toEqual(env);
    expect(out).toContain('KEY is set.\nPAGES is set.\nPHRASE is set.\n');
    expect(err).toContain('Left out, because the platform sets them: PORT.');
    expect(out + err).not.toContain('two');
  });

  it.each([
    ['env import missing.env', '', 1, 'missing.env: there is no such file.'],
    ['env import -', 'A=1\nsecret-canary\n', 2, '-: Line 2 is not NAME=value.'],
    ['env import -', 'A\0=\x001\0', 2, '-: It is UTF-16, or not a text file; save it as UTF-8.'],
    ['env import -', '# nothing\n', 2, '- has no variables.'],
    ['env import -', 'PORT=1\n', 2, '- has no variables.'],
  ])('%s of %j changes nothing', async (args, stdin, code, message) => {
    const run = await inFolder(`${args} --app shop`, [], { stdin });
    expect([run.code, run.calls, run.err]).toEqual([code, [], expect.stringContaining(message)]);
    expect(run.err).not.toContain('canary');
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
    const { code, err, calls } = await inFolder(`${args} --app shop`, []);
    expect([code, calls]).toEqual([2, []]);
    expect(err).not.toContain('canary');
  });
});
