import { describe, expect, it } from 'vitest';
import { doc, entry, page } from '../../../support/cli-entries.ts';
import { cliAt, ok } from '../../../support/cli-service.ts';

const pull = (number: number, parent = 'shop') => ({
  name: `${parent}-pr-${number}`,
  app_name: `${parent}-pr-${number}`,
  pull_request: number,
  preview_of: parent,
});
const said = doc({ message: 'Blue \u001b[31m', author: 'octocat', branch: 'blue' });
const APPS = ok({
  apps: [
    { name: 'shop', state: 'running' },
    { ...pull(7), state: 'asleep', url: 'http://seven', active: entry(3, { ...pull(7), status: 'ok', doc: said }) },
    { ...pull(2, 'cart'), state: 'never', url: 'http://two' },
  ],
});
const LOG = ok(
  page([entry(5, { ...pull(11), status: 'held', doc: said }), entry(4, { ...pull(2, 'cart'), status: 'error' })]),
);

const listed = (args: string) => cliAt(args, [APPS, LOG]);
const namesIn = (out: string) => out.split('\n').map((line) => line.split(' ')[0]);

describe('previews', () => {
  it('has a line for each preview with its title, author, branch, state and address', async () => {
    const { code, out, calls } = await listed('previews');
    expect(code).toBe(0);
    expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['cart-pr-2', 'A page', '-', 'main', 'error', '-'],
      ['shop-pr-7', expect.stringContaining('Blue'), 'octocat', 'blue', 'asleep', 'http://seven'],
      ['shop-pr-11', expect.stringContaining('Blue'), 'octocat', 'blue', 'held', '-'],
      [''],
    ]);
    expect(out).not.toContain('\u001b');
    expect(calls).toEqual([
      'GET /1/apps/kiwi?include_docs=true',
      'GET /1/status/kiwi/webhooks?limit=100&skip=0&include_docs=true',
    ]);
  });

  it.each(['previews --app shop', 'previews shop', 'previews -a shop'])('%s lists those of one', async (args) => {
    expect(namesIn((await listed(args)).out)).toEqual(['shop-pr-7', 'shop-pr-11', '']);
  });

  it('prints one object a line with --json', async () => {
    const [first] = (await listed('previews shop --json')).out.split('\n');
    expect(JSON.parse(first ?? '')).toEqual({
      ...{ name: 'shop-pr-7', preview_of: 'shop', pull_request: 7, state: 'asleep', url: 'http://seven' },
      ...{ title: expect.stringContaining('Blue'), author: 'octocat', branch: 'blue' },
    });
  });

  it('says when there is none, and how previews are made', async () => {
    const { code, out, err } = await cliAt('previews', [ok({ apps: [] }), ok(page([]))]);
    expect([code, out]).toEqual([0, '']);
    expect(err).toMatch(/^There is no preview.*hooks hook.*--previews.*\n$/);
    expect((await listed('previews blog')).err).toContain('There is no preview of blog');
  });
});
