import { describe, expect, it } from 'vitest';
import { apiServer } from '../../../support/api-server.ts';
import { type CliOptions, cli } from '../../../support/cli.ts';
import { doc, entry, page } from '../../../support/cli-entries.ts';

async function run(
  args: string,
  rows: readonly object[],
  options: CliOptions & { readonly total?: number; readonly notice?: string } = {},
) {
  const body = { ...page(rows, options.total), ...(options.notice && { notice: options.notice }) };
  const service = await apiServer({ status: 200, body });
  const env = { HOOKS_URL: service.url, HOOKS_USER: 'kiwi', HOOKS_SECRET: 'secret-canary', ...options.env };
  return { ...(await cli(`status ${args}`, { ...options, env })), urls: service.received.map(({ url }) => url) };
}

describe('status', () => {
  it('has a line for each entry, newest first, with the reason of what is not live and the address of what is', async () => {
    const { code, out, urls } = await run('', [
      entry(12, { status: 'skipped', app_name: null, reason: 'Only main is deployed.', doc: doc({ branch: 'dev' }) }),
      entry(11, { status: 'error', error: { code: 'deploy:platform:start_app', status: 500, detail: 'It ended.' } }),
      entry(10, { status: 'ok', url: 'http://127.0.0.1:9000' }),
      entry(9, { status: 'skipped', app_name: null, commit: null, reason: 'A ping.', doc: undefined }),
    ]);
    expect(code).toBe(0);
    const lines = out.replaceAll(/2026-03-0\d \d\d:\d\d:\d\d/g, '<time>').split('\n');
    expect(lines.slice(0, 3)).toEqual([
      '#12  <time>  octo/hello  skipped  dev c0ffee12   Only main is deployed.',
      '#11  <time>  hello       error    main c0ffee12  It ended. (deploy:platform:start_app)',
      '#10  <time>  hello       ok       main c0ffee12  “A page”  http://127.0.0.1:9000',
    ]);
    expect(lines[3]).toMatch(/^#9 +github +skipped +A ping\.$/);
    expect(urls).toEqual(['/1/status/kiwi/webhooks?limit=10&skip=0&include_docs=true']);
  });

  it('says of a held deploy when it expires', async () => {
    const held = { status: 'held', reason: 'Waiting for Travis CI.', expires_at: '2026-03-04T12:00:00Z' };
    const { out } = await run('', [entry(13, held), entry(12, { ...held, expires_at: undefined })]);
    expect(out).toMatch(/^#13 .*Waiting for Travis CI\. {2}Expires 2026-03-0\d \d\d:00:00\.$/m);
    expect(out).toMatch(/^#12 .*Waiting for Travis CI\.$/m);
  });

  it('says beside the list what applications lack on the machine', async () => {
    const { out, err } = await run('', [entry(13)], { notice: 'Applications are not isolated:\u001b[2J install it.' });
    expect(err).toMatch(/Applications are not isolated:.* install it\./);
    expect(err).not.toContain('\u001b');
    expect(out).toMatch(/^#13 .*\n$/);
  });

  it('names the service and its version in a terminal', async () => {
    const list = { status: 200, body: page([entry(13)]) };
    const { url } = await apiServer(list, { status: 200, body: { version: '1.2.3', links: {} } });
    const env = { HOOKS_URL: url, HOOKS_USER: 'kiwi', HOOKS_SECRET: 's' };
    expect((await cli('status', { env, terminal: true })).err).toContain(`The log of kiwi at ${url}, version 1.2.3:`);
  });

  it('names what was done by hand', async () => {
    const { out } = await run('', [entry(13, { status: 'ok', doc: doc({ operation: 'rollback' }) })]);
    expect(out).toMatch(/c0ffee12 {2}rollback {2}“A page”$/m);
  });

  it('shows control characters of others as spaces', async () => {
    const { out } = await run('', [entry(1, { app_name: '\u001b[2Ja\nb\u0007', reason: 'x\u001b]0;title\u0007y' })]);
    expect(out).not.toMatch(/\p{Cc}(?<!\n)/u);
    expect(out.split('\n')).toHaveLength(2);
  });

  it('may be of one application, longer, or of earlier entries', async () => {
    const { urls } = await run('@octo/hello --limit 100 --skip 20', []);
    expect(urls).toEqual(['/1/status/kiwi/webhooks/%40octo%2Fhello?limit=100&skip=20&include_docs=true']);
  });

  it('prints one object a line with --json, in which each field is once', async () => {
    const id = entry(3).id;
    const rows = [entry(3, { extra: [1], doc: doc({ id, status: 'running', user: 'kiwi' }) }), entry(2)];
    const { out } = await run('--json', rows);
    const [first = '', second = '', ...more] = out.split('\n');
    expect(more).toEqual(['']);
    expect(first.split('"status"')).toHaveLength(2);
    expect(JSON.parse(first)).toEqual({ ...doc(), ...entry(3), doc: undefined, extra: [1], user: 'kiwi' });
    expect(JSON.parse(second)).toMatchObject({ id: entry(2).id, message: 'A page' });
  });

  it('says what to look at when no call has come yet', async () => {
    const { code, out, err } = await run('', []);
    expect([code, out]).toEqual([0, '']);
    expect(err).toContain('No call has reached the service yet');
  });

  it('says what to do about an application that the log does not know', async () => {
    const body = { code: 'status:db:not_found', detail: 'There is no entry of an application "shp".' };
    const { url } = await apiServer({ status: 404, body });
    const { code, err } = await cli('status shp', { env: { HOOKS_URL: url, HOOKS_USER: 'k', HOOKS_SECRET: 's' } });
    expect(code).toBe(1);
    expect(err).toMatch(/^error: No deploy of "shp" is in the log \(status:db:not_found\).*"hooks status"/);
  });

  it('shows one entry with its stages, its error and what it printed', async () => {
    const failed = entry(7, {
      status: 'error',
      error: { code: 'deploy:platform:start_app', status: 500, detail: 'It ended.' },
      doc: doc({ log_tail: ['Error: no database'] }),
    });
    const { out } = await run('--entry 7', [failed]);
    expect(out.split('\n').slice(1)).toEqual([
      '#7 deploy:platform:start_app  It ended.',
      '#7     Error: no database',
      '',
    ]);
  });
});

describe('An entry', () => {
  const id = `${'ab'.repeat(10)}000000000007`;

  it.each([
    ['7', '/webhooks'],
    ['#7', '/webhooks'],
    ['#007', '/webhooks'],
    ['abababab', '/webhooks'],
    [id, `/changes/${id}`],
    [`https://deploy.example.com/1/status/kiwi/changes/${id}`, `/changes/${id}`],
    [`https://deploy.example.com/1/status/kiwi/changes/${id}?include_docs=true`, `/changes/${id}`],
  ])('is found by %s', async (name, path) => {
    const wanted = entry(7, { status: 'ok' });
    const body = path === '/webhooks' ? page([entry(8, { id: entry(8).id.replaceAll('ab', 'cd') }), wanted]) : wanted;
    const { url, received } = await apiServer({ status: 200, body });
    const { code, out } = await cli(['status', '--json', '--entry', name], {
      env: { HOOKS_URL: url, HOOKS_USER: 'kiwi', HOOKS_SECRET: 's' },
    });
    expect([code, JSON.parse(out)]).toMatchObject([0, { id: wanted.id, status: 'ok' }]);
    expect(received[0]?.url?.split('?')[0]).toBe(`/1/status/kiwi${path}`);
  });

  it('is searched for on further pages', async () => {
    const pages = [page([entry(300)], 150), page([entry(7)], 150)].map((body) => ({ status: 200, body }));
    const { url, received } = await apiServer(...pages);
    const env = { HOOKS_URL: url, HOOKS_USER: 'kiwi', HOOKS_SECRET: 's' };
    expect((await cli('status --json --entry 7', { env })).code).toBe(0);
    expect(received.map((one) => new URLSearchParams(one.url?.split('?')[1]).get('skip'))).toEqual(['0', '100']);
  });

  it.each([
    ['99', 1, 'There is no entry "99"'],
    ['shop', 2, 'names no entry'],
    ['abc', 2, 'names no entry'],
  ])('named %s is refused with the exit code %i', async (name, expected, words) => {
    const { code, err } = await run(`--entry ${name}`, [entry(7)]);
    expect(code).toBe(expected);
    expect(err).toContain(words);
  });
});
