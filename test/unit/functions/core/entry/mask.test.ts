import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { masked, maskedDetail, maskedTail } from '../../../../../functions/core/entry/mask.ts';

describe('a string with secrets', () => {
  it.each([
    ['git clone https://ann:hunter2@github.com/ann/shop.git', 'git clone https://***@github.com/ann/shop.git'],
    ['https://x-access-token@github.com/', 'https://***@github.com/'],
    ['postgres://ann:hun/ter2@db.example.com/shop', 'postgres://***@db.example.com/shop'],
    ['redis://:hunter2@cache:6379', 'redis://***@cache:6379'],
    ['authorization: Basic YW5uOmh1bnRlcjI=', 'authorization: ***'],
    ['{"Authorization":"Bearer abc.def"}', '{"Authorization":"***"}'],
    ['sent Bearer abcdef123456 to it', 'sent Bearer *** to it'],
    [`token ghp_${'a1'.repeat(18)} is bad`, 'token *** is bad'],
    [`github_pat_${'a1_'.repeat(18)}`, '***'],
    [`glpat-${'aB3-'.repeat(5)}`, '***'],
    ['AKIAIOSFODNN7EXAMPLE', '***'],
    [`//registry.npmjs.org/:_authToken=npm_${'a'.repeat(36)}`, '//registry.npmjs.org/:_authToken=***'],
    ['_auth=YW5uOmg=', '_auth=***'],
    ['DB_PASSWORD=hunter2 PORT=80', 'DB_PASSWORD=*** PORT=80'],
    ['"apiToken": "hunter2", "port": 80', '"apiToken": ***, "port": 80'],
    ["passwd='hunter two'", 'passwd=***'],
    ['mysql --password hunter2 -u ann', 'mysql --password *** -u ann'],
    ['?token=hunter2&x=1', '?token=***&x=1'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig', '***'],
  ])('hides the secret of %s', (text, shown) => {
    expect(masked(text)).toBe(shown);
  });

  it.each([
    'SyntaxError: Unexpected token: name (foo)',
    'Set it with "hooks env set NPM_TOKEN=- --app shop", or "hooks env set API_TOKEN=-"',
    'GET http://127.0.0.1:4873/@scope/app - 404',
    'Error: Cannot find module ./tokens',
    'Basic authentication is asked for',
    'see https://docs.example.com/a@b',
    'commit 3f786850e387550fdab836ed7e6dc881de23001b',
  ])('is left alone when it holds none: %s', (text) => {
    expect(masked(text)).toBe(text);
  });

  it('never grows by masking beyond what it is cut to', () => {
    fc.assert(fc.property(fc.string({ maxLength: 6000 }), (text) => maskedDetail(text).length <= 1000));
  });
});

describe('the detail of an entry', () => {
  it('has no marks that show it in another order', () => {
    expect(maskedDetail('cannot \u202eread\u202c \u2066it\u2069')).toBe('cannot read it');
  });

  it('is cut at 1000 characters, and says so', () => {
    expect(maskedDetail('a'.repeat(1000))).toBe('a'.repeat(1000));
    expect(maskedDetail('a'.repeat(1001))).toBe(`${'a'.repeat(999)}…`);
  });

  it('is not cut through the middle of a character', () => {
    expect(maskedDetail(`${'a'.repeat(998)}😀😀`)).toBe(`${'a'.repeat(998)}…`);
  });
});

describe('the tail of a log', () => {
  it('holds the last 40 lines of at most 500 characters', () => {
    const tail = maskedTail(Array.from({ length: 100 }, (_, line) => `${line} ${'x'.repeat(1000)}`));
    expect(tail).toHaveLength(40);
    expect(tail[0]).toMatch(/^60 x+…$/);
    expect(tail[0]).toHaveLength(500);
  });

  it('is masked line by line', () => {
    expect(maskedTail(['PASSWORD=a', 'listening'])).toEqual(['PASSWORD=***', 'listening']);
  });

  it('hides a private key, which fills many lines', () => {
    const key = ['-----BEGIN RSA PRIVATE KEY-----', 'MIIE', 'AbCd', '-----END RSA PRIVATE KEY-----'];
    expect(maskedTail(['before', ...key, 'after'])).toEqual(['before', '***', 'after']);
  });

  it('has no marks that show a line in another order, and no secret that they hide', () => {
    expect(maskedTail(['a\u202eb', '\ufefftok\u200een=hunter2'])).toEqual(['ab', 'token=***']);
  });

  it('does not colour or command the terminal that shows it', () => {
    expect(maskedTail(['\u001b[31mred\u001b[0m\u0007', '\u001b]0;title\u0007shown', '\tat main'])).toEqual([
      'red',
      'shown',
      '\tat main',
    ]);
  });
});
