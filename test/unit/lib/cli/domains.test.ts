import { describe, expect, it } from 'vitest';
import { cliAt, ok, problem } from '../../../support/cli-service.ts';

const here = { name: 'shop.example.com', url: 'https://shop.example.com', points_here: true, note: null };
const note = 'new.example.com has no address in DNS yet: it needs a CNAME record to deploy.apps.example.com.';
const fresh = { name: 'new.example.com', url: 'https://new.example.com', points_here: false, note };

describe('domains', () => {
  it('lists each with whether it leads here, and what is missing', async () => {
    const { code, out, err, calls } = await cliAt('domains --app shop', [ok({ domains: [here, fresh] })]);
    expect([code, calls]).toEqual([0, ['GET /1/apps/kiwi/shop/domains']]);
    expect(out).toMatch(
      /^https:\/\/shop\.example\.com +leads here\nhttps:\/\/new\.example\.com +does not lead here\n$/,
    );
    expect(err).toContain(note);
    expect((await cliAt('domains --app shop --json', [ok({ domains: [here, fresh] })])).out).toBe(
      `${JSON.stringify(here)}\n${JSON.stringify(fresh)}\n`,
    );
    expect((await cliAt('domains --app shop', [ok({ domains: [] })])).err).toContain('hooks domains add');
  });

  it('adds one, and says what DNS needs', async () => {
    const { code, out, err, calls } = await cliAt('domains add new.example.com --app shop', [ok(fresh)]);
    expect([code, out, calls]).toEqual([
      0,
      'shop answers at https://new.example.com.\n',
      ['PUT /1/apps/kiwi/shop/domains/new.example.com'],
    ]);
    expect(err).toContain(note);
  });

  it('redirects one to another, and lists where to', async () => {
    const redirect = 'shop.example.com';
    const www = { ...here, name: 'www.shop.example.com', url: 'https://www.shop.example.com', redirect };
    const added = await cliAt('domains add www.shop.example.com --redirect shop.example.com --app shop', [ok(www)]);
    expect([added.code, added.out, added.calls]).toEqual([
      0,
      'https://www.shop.example.com redirects to shop.example.com.\n',
      ['PUT /1/apps/kiwi/shop/domains/www.shop.example.com?redirect=shop.example.com'],
    ]);
    const { out } = await cliAt('domains --app shop', [ok({ domains: [here, www] })]);
    expect(out).toMatch(
      /^https:\/\/shop\S+ +leads here\nhttps:\/\/www\S+ +leads here +redirects to shop\.example\.com\n$/,
    );
  });

  it('removes one', async () => {
    const { out, calls } = await cliAt('domains remove shop.example.com --app shop', [{ status: 204, body: '' }]);
    expect([out, calls]).toEqual([
      'shop does not answer at shop.example.com any more.\n',
      ['DELETE /1/apps/kiwi/shop/domains/shop.example.com'],
    ]);
  });

  it.each([
    [problem(409, 'request:conflict', 'shop.example.com belongs to blog: remove it there first.'), 'belongs to blog'],
    [problem(501, 'request:not_supported', 'For a domain, make a distribution of CloudFront.'), 'CloudFront'],
    [problem(404, 'status:db:not_found', 'You have no application "shop".'), 'no application'],
  ])('says why it is refused', async (refused, words) => {
    const { code, out, err } = await cliAt('domains add shop.example.com --app shop', [refused]);
    expect([code, out, err]).toEqual([1, '', expect.stringContaining(words)]);
  });

  it.each([
    'domains add a.example.com --app shpo',
    'scale web=2 --app shpo',
    'ps shpo',
    'logs shpo',
    'run --app shpo -- ls',
  ])('says which application was probably meant by a name of none: %s', async (args) => {
    const unknown = problem(404, 'status:db:not_found', 'You have no application "shpo".');
    const apps = ok({ apps: [{ name: 'shop', app: 'shop', state: 'running' }] });
    const { code, err, calls } = await cliAt(args, [unknown, apps]);
    expect([code, calls[1]]).toEqual([1, 'GET /1/apps/kiwi']);
    expect(err).toContain('Did you mean "shop"?');
    expect((await cliAt(args.replace('shpo', 'fruit'), [unknown, apps])).err).not.toContain('Did you mean');
  });
});
