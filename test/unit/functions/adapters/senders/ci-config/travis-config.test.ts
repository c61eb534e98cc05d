import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeployError } from '../../../../../../functions/core/errors.ts';
import { ciConfig, refusalOf } from '../../../../../support/senders/ci-decision.ts';

const travisConfig = ciConfig('travis');
const hook = 'https://u:s3cret@deploy.example.org/1/deploy';
const { decide } = travisConfig;

/** A .travis.yml whose `notifications` holds these lines. */
function notifications(...lines: string[]): string {
  return ['language: node_js', 'notifications:', ...lines.map((line) => `  ${line}`)].join('\n');
}

const refusal = (text: string) => refusalOf(travisConfig, text);

/** Any UTF-16 units, lone surrogates and control characters included. */
const anyText = fc.array(fc.nat({ max: 0xffff })).map((units) => String.fromCharCode(...units));

describe('a .travis.yml holds a push', () => {
  const forms: [string, string][] = [
    ['one address', notifications(`webhooks: ${hook}`)],
    ['an address in a variable', notifications('webhooks: $DEPLOY_URL')],
    ['a list of addresses', notifications('webhooks:', `  - ${hook}`, '  - https://other.example.org')],
    ['a map with one address', notifications('webhooks:', `  urls: ${hook}`)],
    [
      'a map with a list',
      notifications('webhooks:', '  urls:', `    - ${hook}`, '  on_success: always', '  on_failure: never'),
    ],
    [
      'a list of maps',
      notifications(
        'webhooks:',
        `  - urls: [${JSON.stringify(hook)}]`,
        '    on_failure: never',
        '  - urls: https://b.example.org',
      ),
    ],
    ['an encrypted address', notifications('webhooks:', '  secure: "bG9uZw=="')],
    ['a list with an encrypted address', notifications('webhooks:', '  - secure: "bG9uZw=="')],
    ['a map with an encrypted address', notifications('webhooks:', '  urls:', '    secure: "bG9uZw=="')],
    [
      'a map with a list of encrypted ones',
      notifications('webhooks:', '  urls:', '    - secure: "bG9uZw=="', '  on_start: always'),
    ],
    ['one that is switched on', notifications('webhooks:', `  urls: ${hook}`, '  enabled: true', '  disabled: false')],
    ['one that keeps silent on failure', notifications('webhooks:', `  urls: ${hook}`, '  on_failure: never')],
    [
      'one of two that is called on success',
      notifications('webhooks:', `  - urls: ${hook}`, '    on_success: never', '  - https://b.example.org'),
    ],
    ['an anchor', `x: &hooks\n  urls: ${hook}\nnotifications:\n  webhooks: *hooks`],
    [
      'a merged anchor',
      `x: &hooks\n  urls: ${hook}\nnotifications:\n  webhooks:\n    <<: *hooks\n    on_failure: never`,
    ],
    [
      'a merged list of anchors',
      `a: &a {on_failure: never}\nb: &b {urls: "${hook}"}\nnotifications:\n  webhooks:\n    <<: [*a, *b]`,
    ],
    ['a key given twice', notifications('webhooks: false', `webhooks: ${hook}`)],
    ['an unknown tag elsewhere', `x: !custom [1]\n${notifications(`webhooks: ${hook}`)}`],
    ['Windows line ends', notifications('webhooks:', `  - ${hook}`).replaceAll('\n', '\r\n')],
    ['a byte order mark', `\ufeff${notifications(`webhooks: ${hook}`)}`],
    ['the alias webhook', notifications(`webhook: ${hook}`)],
    ['the first of two documents', `${notifications(`webhooks: ${hook}`)}\n---\nlanguage: ruby\n`],
  ];
  for (const [what, text] of forms) {
    it(`for ${what}`, () => expect(decide(text)).toEqual({ hold: true, waitsFor: 'Travis CI' }));
  }

  it('and says that Travis CI may call only when the result changes', () => {
    const decision = decide(notifications('webhooks:', `  urls: ${hook}`, '  on_success: change'));
    expect(decision).toMatchObject({ hold: true, waitsFor: expect.stringMatching(/only when the result changes/) });
  });
});

describe('a .travis.yml does not hold a push', () => {
  const forms: [string, string][] = [
    ['an empty file', ''],
    ['comments alone', '# nothing\n---\n'],
    ['no notifications', 'language: node_js'],
    ['notifications of other kinds', notifications('email: false', 'slack: a:b')],
    ['notifications switched off', 'notifications: false'],
    ['notifications disabled', notifications('disabled: true', `webhooks: ${hook}`)],
    ['webhooks: false', notifications('webhooks: false')],
    ['webhooks: no, a boolean of YAML 1.1', notifications('webhooks: no')],
    ['no value', notifications('webhooks:')],
    ['an empty list', notifications('webhooks: []')],
    ['a list of nothing', notifications('webhooks: [null, "", false]')],
    ['an empty map', notifications('webhooks: {}')],
    ['a map without an address', notifications('webhooks:', '  on_success: always')],
    ['an empty list of addresses', notifications('webhooks:', '  urls: []')],
    ['an empty secure', notifications('webhooks:', '  secure: ""')],
    ['enabled: false', notifications('webhooks:', `  urls: ${hook}`, '  enabled: false')],
    ['enabled: off', notifications('webhooks:', `  urls: ${hook}`, '  enabled: off')],
    ['disabled: true', notifications('webhooks:', `  urls: ${hook}`, '  disabled: true')],
    ['webhooks elsewhere in the file', `webhooks: ${hook}\nenv:\n  notifications:\n    webhooks: ${hook}`],
  ];
  for (const [what, text] of forms) {
    it(`for ${what}`, () => expect(decide(text)).toEqual({ hold: false, note: null }));
  }

  const never: [string, string][] = [
    ['on_success: never', notifications('webhooks:', `  urls: ${hook}`, '  on_success: never')],
    ['on_success: false', notifications('webhooks:', `  urls: ${hook}`, '  on_success: false')],
    ['never for the whole section', notifications('on_success: never', `webhooks: ${hook}`)],
    ['never in each of a list', notifications('webhooks:', `  - urls: ${hook}`, '    on_success: never')],
  ];
  for (const [what, text] of never) {
    it(`for ${what}, and notes that it would never be released`, () => {
      expect(decide(text)).toMatchObject({ hold: false, note: expect.stringMatching(/on_success: never/) });
    });
  }
});

describe('a .travis.yml that cannot be read', () => {
  it('holds nothing when no webhook is in it, which a push would wait for', () => {
    expect(decide('script: echo a: b: c\nnotifications:\n\temail: x')).toEqual({ hold: false, note: null });
    const utf16 = Buffer.from('notifications:\n  webhooks: https://a.example\n', 'utf16le').toString();
    expect(() => decide(utf16)).toThrow('cannot be read: it is UTF-16');
  });

  const broken: [string, string, RegExp][] = [
    ['a tab', 'notifications:\n\twebhooks: x', /line 2, column 1\b/],
    ['an open bracket', 'language: ruby\nnotifications: [a', /line 2, column 28\b/],
    ['bad indentation', 'notifications:\n    webhooks: x\n  email: y', /line \d, column \d/],
    ['an unknown alias', 'notifications: *nowhere', /aliases/],
    [
      'a billion laughs',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefgh'].map((key, at) => `${key}: &${key} [${`*${'abcdefg'[at]},`.repeat(9)}]`).join('\n')}`,
      /aliases/,
    ],
    ['text', 'hello', /line 1 does not start a map/],
    ['a list', '- a\n- b', /line 1 does not start a map/],
    ['more than 128 KiB', `x: "${'€'.repeat(50_000)}"`, /at most 131072 are read/],
    ['nested lists in brackets', `x: ${'['.repeat(3_309)}x${']'.repeat(3_309)}`, /nests deeper than 100 levels/],
    ['nested maps in braces', `x: ${'{a: '.repeat(200)}x${'}'.repeat(200)}`, /nests deeper than 100 levels/],
    ['nested lists in a line', `x:\n  ${'- '.repeat(3_309)}x`, /nests deeper than 100 levels/],
    ['nested keys in a line', `${'? '.repeat(3_309)}x`, /nests deeper than 100 levels/],
    [
      'nested maps in lines',
      Array.from({ length: 200 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
      /deeper than 100/,
    ],
    ['nested values in a line', 'a: ? "x": \n'.repeat(1_000), /nests deeper than 100 levels/],
    ['very many words', 'a:\n'.repeat(20_000), /has more than 10000 words and signs/],
  ];
  for (const [what, text, detail] of broken) {
    it(`is an error with file, line and column: ${what}`, () => {
      const error = refusal(text);
      expect(error).toMatchObject({ code: 'deploy:provider:not_supported', retry: false });
      expect(error.detail).toMatch(/^\.travis\.yml cannot be read/);
      expect(error.detail).toMatch(detail);
      expect(error.detail.length).toBeLessThan(400);
    });
  }

  it('may nest ninety levels', () => {
    expect(decide(`x: ${'['.repeat(90)}x${']'.repeat(90)}`)).toMatchObject({ hold: false });
  });

  it('is an error that does not contain its URLs', () => {
    expect(refusal(`notifications:\n  webhooks: ${hook}\n bad: [`).detail).not.toContain('s3cret');
  });

  it('throws no other error, whatever its content', () => {
    const line = fc.constantFrom(
      'notifications:',
      '  webhooks:',
      '    urls:',
      '      - x',
      '<<: *a',
      'a: &a',
      '- b',
      '  secure: c',
      '\t',
      '---',
      '? [',
      '!x',
      '"',
    );
    const text = fc.oneof(
      anyText,
      fc.array(line).map((lines) => lines.join('\n')),
    );
    fc.assert(
      fc.property(text, (file) => {
        try {
          expect(typeof decide(file).hold).toBe('boolean');
        } catch (error) {
          expect(error).toBeInstanceOf(DeployError);
        }
      }),
    );
  });
});
