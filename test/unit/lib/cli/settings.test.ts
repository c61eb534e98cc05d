import { describe, expect, it } from 'vitest';
import type { Reply } from '../../../support/api-server.ts';
import type { CliOptions } from '../../../support/cli.ts';
import { cliAt, folderOf, ok, problem } from '../../../support/cli-service.ts';

const shown = { branch: 'main', install: null, build: 'make', start: '', output: null };

/** Runs the command line in the folder of the application. */
const inFolder = (args: string | readonly string[], replies: readonly Reply[], options: CliOptions = {}) =>
  cliAt(args, replies, { folder: folderOf('shop'), ...options });

describe('set', () => {
  it('shows what is set, and what each setting is', async () => {
    const { code, out, err, calls } = await inFolder('set shop', [ok(shown)]);
    expect([code, err, calls]).toEqual([0, '', ['GET /1/apps/kiwi/shop/settings']]);
    expect(out).toMatch(/^branch +main +the branch that it follows/m);
    expect(out).toMatch(/^install +- +the command that installs/m);
    expect(out).toMatch(/^build +make +/m);
    expect(out).toMatch(/^start +"" +/m);
    expect((await inFolder('set --app shop --json', [ok(shown)])).out).toBe(`${JSON.stringify(shown)}\n`);
  });

  it('shows what package.json says where nothing is set', async () => {
    const { out } = await inFolder('set shop', [ok({ ...shown, in_package: { build: 'other', output: 'dist' } })]);
    expect(out).toMatch(/^build +make +/m);
    expect(out).toMatch(/^output +dist \(package\.json\) +/m);
  });

  it('shows what the last deploy has used where neither says anything', async () => {
    const found = { install: 'npm ci', build: 'npm run build', output: 'dist', start: 'node .' };
    const { out } = await inFolder('set shop', [ok({ ...shown, in_package: { output: 'site' }, found })]);
    expect(out).toMatch(/^install +npm ci \(found\) +/m);
    expect(out).toMatch(/^build +make +/m);
    expect(out).toMatch(/^start +"" +/m);
    expect(out).toMatch(/^output +site \(package\.json\) +/m);
  });

  it('changes several at once and says what follows', async () => {
    const args = ['set', 'shop', 'build=npm run a=b', 'install=', 'output='];
    const { code, err, calls, bodies } = await inFolder(args, [ok({ ...shown, next: 'The next deploy uses it.' })]);
    expect([code, err, calls]).toEqual([0, 'The next deploy uses it.\n', ['PATCH /1/apps/kiwi/shop/settings']]);
    // No command is empty for none; without a folder the repository decides.
    expect(bodies.map((body) => JSON.parse(body))).toEqual([{ build: 'npm run a=b', install: '', output: null }]);
  });

  it('unsets what the repository is to decide again', async () => {
    const { code, calls, bodies } = await inFolder('unset build output --app shop', [ok({ ...shown, next: '' })]);
    expect([code, calls, bodies]).toEqual([0, ['PATCH /1/apps/kiwi/shop/settings'], ['{"build":null,"output":null}']]);
  });

  it.each([
    ['standard input', 'password=-', { stdin: 'correct horse\n' }, 'correct horse'],
    ['standard input, where it is empty', 'password=-', { stdin: '' }, ''],
    ['the command line', 'password=a - b', {}, 'a - b'],
    ['the command line, where it is empty', 'password=', {}, null],
  ])('takes a password from %s, and never prints it', async (_, arg, options, password) => {
    const replies = [ok({ ...shown, password: true, next: 'shop asks for it.' })];
    const { code, out, err, bodies } = await inFolder(['set', 'shop', arg], replies, options);
    expect([code, bodies.map((body) => JSON.parse(body))]).toEqual([0, [{ password }]]);
    expect(out).toMatch(/^password +set +a password/m);
    expect([`${out}${err}`.includes('correct horse'), `${out}${err}`.includes('a - b')]).toEqual([false, false]);
  });

  it('says why it is refused, and refuses what is no setting of a value', async () => {
    const detail = 'There is no setting biuld, but branch, install.';
    const { code, out, err, bodies } = await inFolder('set shop biuld=x', [
      problem(400, 'request:bad_parameter', detail),
    ]);
    expect([code, out, err, bodies]).toEqual([1, '', expect.stringContaining(detail), ['{"biuld":"x"}']]);
    const usage = await inFolder('set shop build', []);
    expect([usage.code, usage.err]).toEqual([2, expect.stringContaining('"build" is not like')]);
  });
});
