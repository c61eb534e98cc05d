import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dotEnvText, readDotEnv } from '../../../../lib/client/dot-env.ts';

describe('a .env', () => {
  it('has variables, comments and quotes as in other tools', () => {
    const text = `# comment
PLAIN=value # comment
export EXPORTED = spaced out  
EMPTY=
URL=postgres://u:p@host/db?a=1#part
SINGLE='$as "it" is\\n # too'
DOUBLE="two\\nlines, \\"quoted\\", C:\\Users"
MANY="-----BEGIN
line
-----END" # comment
BACKTICK=\`it's\`

PLAIN=last`;
    expect(readDotEnv(text)).toEqual({
      PLAIN: 'last',
      EXPORTED: 'spaced out',
      EMPTY: '',
      URL: 'postgres://u:p@host/db?a=1#part',
      SINGLE: '$as "it" is\\n # too',
      DOUBLE: 'two\nlines, "quoted", C:\\Users',
      MANY: '-----BEGIN\nline\n-----END',
      BACKTICK: "it's",
    });
    expect(readDotEnv('\uFEFFA=1\r\nB="2"\r\n')).toEqual({ A: '1', B: '2' });
    expect(readDotEnv('')).toEqual({});
  });

  it.each([
    ['A=1\nsecret-canary', 'Line 2 is not NAME=value.'],
    ['1A=secret-canary', 'Line 1 is not NAME=value.'],
    ['A=1\n\nB="secret-canary', 'Line 3 has a quote that does not end, or text after it.'],
    ["A='secret' canary", 'Line 1 has a quote that does not end, or text after it.'],
  ])('that cannot be read is refused by its line: %j', (text, message) => {
    expect(() => readDotEnv(text)).toThrow(message);
  });

  it('that was written has the same variables', () => {
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,9}$/);
    // Not the unit `binary`, which makes a table of a million characters: a second, and memory that the worker keeps.
    const character = fc.nat(0x10ffff).map((point) => String.fromCodePoint(point));
    const value = fc.oneof(fc.string({ unit: character }), fc.stringMatching(/^['"`\\$#\r\n a=]{0,12}$/));
    // No variable of a process can have a NUL.
    const possible = value.map((text) => text.replaceAll('\0', ''));
    fc.assert(
      fc.property(fc.dictionary(name, possible), (variables) => {
        expect(readDotEnv(dotEnvText(variables))).toEqual({ ...variables });
      }),
    );
  });
});
