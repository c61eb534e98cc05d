import { describe, expect, it } from 'vitest';
import { entry } from '../../../support/cli-entries.ts';
import { accepted, cliAt, ok, problem } from '../../../support/cli-service.ts';

const found = entry(12, { status: 'queued', provider: 'reconciled' });
const live = entry(12, { status: 'ok', provider: 'reconciled', url: 'http://127.0.0.1:9000' });
const nothing = { app_name: 'shop', branch: 'main', tip: 'a'.repeat(40), reason: 'Nothing was missed.' };
const apps = { apps: ['shop', 'cart', 'new'].map((name) => ({ name, state: name === 'new' ? 'never' : 'running' })) };

describe('hooks reconcile', () => {
  it('follows the deploy of a missed commit', async () => {
    const { code, out, calls } = await cliAt('reconcile shop', [accepted(found), ok(live)]);
    expect([code, out]).toEqual([0, '#12 hello is live: http://127.0.0.1:9000\n']);
    expect(calls[0]).toBe('POST /1/apps/kiwi/shop/reconcile');
  });

  it('says that nothing was missed, and with --json what the service said', async () => {
    const { code, out } = await cliAt('reconcile shop', [ok(nothing)]);
    expect([code, out]).toEqual([0, 'shop: Nothing was missed.\n']);
    const json = await cliAt('reconcile shop --json', [ok(nothing)]);
    expect(JSON.parse(json.out)).toEqual(nothing);
  });

  it('compares all applications that run something, also when one of them cannot be compared', async () => {
    const down = problem(502, 'deploy:repohost:no_pkg_json', 'The host is away.');
    const { code, out, err, calls } = await cliAt('reconcile', [ok(apps), down, ok(nothing)]);
    expect([code, out]).toEqual([1, 'cart: Nothing was missed.\n']);
    expect(err).toContain('shop: The host is away.');
    const [one, other] = ['shop', 'cart'].map((app) => `POST /1/apps/kiwi/${app}/reconcile`);
    expect(calls).toEqual(['GET /1/apps/kiwi', one, other]);
  });
});
