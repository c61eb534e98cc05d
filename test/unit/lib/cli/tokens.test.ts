import { describe, expect, it } from 'vitest';
import { cliAt, ok, problem } from '../../../support/cli-service.ts';

const created = { status: 201, body: { name: 'ci', created_at: '2026-03-04T05:06:07Z', token: 'token-canary' } };

describe('tokens', () => {
  it('lists names and times', async () => {
    const sent = { tokens: [{ name: 'ci', rights: 'deploy', created_at: '2026-03-04T05:06:07Z' }] };
    expect(await cliAt('tokens', [ok(sent)])).toMatchObject({ code: 0, out: 'ci  deploy  2026-03-04T05:06:07Z\n' });
    expect(await cliAt('tokens list --json', [ok(sent)])).toMatchObject({ out: `${JSON.stringify(sent.tokens[0])}\n` });
    expect((await cliAt('tokens', [ok({ tokens: [] })])).err).toContain('hooks tokens create');
  });

  it('prints a new one alone, so that it can be piped', async () => {
    const { code, out, err, calls, bodies } = await cliAt('tokens create ci', [created]);
    expect([code, out, err]).toEqual([0, 'token-canary\n', '']);
    expect([calls, bodies]).toEqual([['POST /1/auth/tokens'], ['{"name":"ci"}']]);
  });

  it('asks for the password when the login is a token, where there is someone to ask', async () => {
    const refused = problem(401, 'mw:auth:unauthorized', 'Only the password can make tokens.');
    const { code, out, err } = await cliAt('tokens create ci', [refused, created], { answers: ['password-canary'] });
    expect([code, out]).toEqual([0, 'token-canary\n']);
    expect(err).not.toContain('canary');
    expect((await cliAt('tokens create ci', [refused])).err).toContain('Only the password can make tokens.');
  });

  it('revokes one', async () => {
    const { out, calls } = await cliAt(['tokens', 'revoke', 'my ci'], [{ status: 204, body: '' }]);
    expect([out, calls]).toEqual(['The token my ci is revoked.\n', ['DELETE /1/auth/tokens/my%20ci']]);
  });
});

describe('pair', () => {
  const paired = { host: 'github', login: 'octo', app: '*', scopes: ['repo'], expires_at: null };

  it.each([
    ['standard input', ['--login', 'octo'], { stdin: 'token:canary\n' }],
    ['the terminal', [], { answers: ['octo', 'token:canary'] }],
  ])('sends a token from %s and does not show it', async (_, login, options) => {
    const { code, out, err, calls, bodies } = await cliAt(
      ['pair', 'github', ...login],
      [{ status: 201, body: paired }],
      options,
    );
    expect([code, calls]).toEqual([0, ['POST /1/auth/github']]);
    expect(JSON.parse(bodies[0] ?? '')).toEqual({ credentials: 'octo:token:canary' });
    expect(out).toBe('Stored: github as octo, for all applications, may repo\n');
    expect(out + err).not.toContain('canary');
  });

  it('may be for one application, listed and deleted', async () => {
    const one = { ...paired, app: 'shop', expires_at: '2027-01-01T00:00:00Z' };
    const { calls } = await cliAt('pair github --login octo --app shop', [{ status: 201, body: one }], { stdin: 't' });
    expect(calls).toEqual(['POST /1/auth/github?app=shop']);
    const list = await cliAt('pair github --list', [ok({ host: 'github', hosts: ['github'], pairings: [one] })]);
    expect(list.out).toBe('github as octo, for shop, may repo, until 2027-01-01T00:00:00Z\n');
    const gone = await cliAt('pair github --remove --app shop', [ok({ ...one, forgotten: true })]);
    expect([gone.code, gone.calls]).toEqual([0, ['DELETE /1/auth/github?app=shop']]);
  });

  it.each([
    ['pair github --login octo', { stdin: '\n' }],
    ['pair github --login octo', { terminal: true, answers: [''] }],
    ['pair github', { terminal: true, answers: [' ', 'token'] }],
  ])('sends nothing when login or token is empty: %s %j', async (args, typed) => {
    const { code, err, calls } = await cliAt(args, [], typed);
    expect([code, err, calls]).toEqual([2, expect.stringContaining('one of them is empty'), []]);
  });

  it('needs a login where nobody can be asked', async () => {
    const { code, err, calls } = await cliAt('pair github', [], { stdin: 'token' });
    expect([code, err, calls]).toEqual([2, expect.stringContaining('--login'), []]);
  });
});
