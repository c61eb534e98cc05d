import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_MANIFEST_BYTES, readManifest } from '../../../../../functions/core/entry/manifest.ts';
import { appName, nameProblem } from '../../../../../functions/core/entry/package-name.ts';
import { DeployError } from '../../../../../functions/core/errors.ts';
import { packageNames } from '../../../../support/package-names.ts';

function refusal(text: string): DeployError {
  try {
    readManifest(text);
  } catch (error) {
    if (error instanceof DeployError) return error;
    throw error;
  }
  throw new Error('the manifest was accepted');
}

function versionOf(version: unknown): string {
  return readManifest(JSON.stringify({ name: 'app', version })).version;
}

/** Any UTF-16 units, lone surrogates and control characters included. */
const anyText = fc.array(fc.nat({ max: 0xffff })).map((units) => String.fromCharCode(...units));

describe('a package.json', () => {
  it('is read with its name, its version and its whole content', () => {
    const file = { name: '@scope/app', version: '1.2.3-rc.1', scripts: { start: 'node server.js' } };
    expect(readManifest(JSON.stringify(file))).toEqual({
      name: '@scope/app',
      version: '1.2.3-rc.1',
      manifest: file,
    });
  });

  it('may start with a byte order mark', () => {
    expect(readManifest('\ufeff{"name":"app"}').name).toBe('app');
  });

  it('takes 0.0.0 for a version that is missing or not text', () => {
    for (const version of [undefined, null, '', '..', '///', 7, {}]) expect(versionOf(version)).toBe('0.0.0');
  });

  it('has a version that is one path segment, whatever was written', () => {
    expect(versionOf('1.0.0+build.5')).toBe('1.0.0-build.5');
    expect(versionOf(' v1.2.3 ')).toBe('1.2.3');
    expect(versionOf('../../etc')).toBe('etc');
    expect(versionOf('v1 / %2e%2e')).toBe('v1-2e-2e');
    expect(versionOf('9'.repeat(500))).toHaveLength(64);
    fc.assert(
      fc.property(anyText, (version) => {
        expect(versionOf(version)).toMatch(/^\w[\w.-]{0,63}$/);
        expect(versionOf(version)).not.toContain('..');
      }),
    );
  });

  it('keeps a __proto__ key mere data', () => {
    const { manifest } = readManifest('{"name":"app","__proto__":{"polluted":true}}');
    expect(manifest).not.toHaveProperty('polluted');
    expect(Object.hasOwn({}, 'polluted')).toBe(false);
  });

  it.each(['App', 'a.b', 'a_b', 'a~b', '@Scope/a.b_c', 'http', '123'])('may have the name %s', (name) => {
    expect(readManifest(JSON.stringify({ name })).name).toBe(name);
  });

  const refused: [string, string, RegExp][] = [
    ['a syntax error', '{\n  "name": "app",\n  "version": 1.0.0\n}', /package\.json is not valid JSON\.$/],
    ['a trailing comma', '{\n  "name": "app",\n}', /is not valid JSON/],
    ['a comment', '{\n  // name\n}', /is not valid JSON/],
    ['UTF-16', Buffer.from('\ufeff{"name":"app"}', 'utf16le').toString(), /is UTF-16.*save it as UTF-8\.$/],
    ['an empty file', '', /is not valid JSON/],
    ['a list', '[]', /does not hold a JSON object/],
    ['null', 'null', /does not hold a JSON object/],
    ['no name', '{"version":"1.0.0"}', /has no name/],
    ['an empty name', '{"name":""}', /has no name/],
    ['a name that is no text', '{"name":{"a":1}}', /name that is not text/],
    ['a name with blanks', '{"name":"My App"}', /npm does not accept \(.*\): use lower-case letters, digits/],
    ['a name with a slash', '{"name":"a/b"}', /npm does not accept \(/],
    ['a name that climbs', '{"name":"../app"}', /npm does not accept \(/],
    ['a name that is a dot', '{"name":"."}', /cannot start with a period/],
    ['a scoped name that climbs', '{"name":"@x/.."}', /cannot start with a period/],
    ['a name with a line break', '{"name":"app\\n"}', /npm does not accept \(/],
    ['a name in another script', '{"name":"приложение"}', /npm does not accept \(/],
    ['a name that starts with an underscore', '{"name":"_app"}', /cannot start with an underscore/],
    ['a reserved name', '{"name":"node_modules"}', /not a valid package name/],
    ['a name that is too long', `{"name":"${'a'.repeat(215)}"}`, /longer than 214/],
    ['a name of dashes', '{"name":"--"}', /neither letters nor digits/],
    ['more than a mebibyte', `{"name":"app","x":"${'x'.repeat(MAX_MANIFEST_BYTES)}"}`, /more than 1048576 bytes/],
    [
      'more than a mebibyte in UTF-8',
      `{"name":"app","x":"${'€'.repeat(MAX_MANIFEST_BYTES / 2.5)}"}`,
      /more than 1048576 bytes/,
    ],
    ['hostile nesting', `{"name":"app","x":${'['.repeat(500_000)}`, /nests deeper/],
  ];
  for (const [what, text, detail] of refused) {
    it(`is refused for ${what}`, () => {
      const error = refusal(text);
      expect(error).toMatchObject({ code: 'deploy:repohost:no_pkg_json', retry: false });
      expect(error.detail).toMatch(detail);
    });
  }

  it('never fails but with a refusal, whatever it holds', () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((name) => `{"name":${name},"version":${name}}`),
    );
    fc.assert(
      fc.property(text, (file) => {
        try {
          expect(appName(readManifest(file).name)).not.toBe('');
        } catch (error) {
          expect(error).toBeInstanceOf(DeployError);
        }
      }),
    );
  });
});

describe('the name of an application', () => {
  const names: [string, string][] = [
    ['app', 'app'],
    ['@scope/app', 'scope-app'],
    ['My_app.js', 'my-app-js'],
    ['a..b__c--d', 'a-b-c-d'],
    ['@x_y/z-', 'x-y-z'],
    ['123', '123'],
  ];
  for (const [name, expected] of names) {
    it(`is ${expected} for the package ${name}`, () => expect(appName(name)).toBe(expected));
  }

  it('keeps long names apart and within 63 characters', () => {
    const [one, other] = [appName(`${'a'.repeat(80)}1`), appName(`${'a'.repeat(80)}2`)];
    expect(one).toMatch(/^a{54}-[\da-f]{8}$/);
    expect(other).not.toBe(one);
    expect(appName(`${'a'.repeat(53)}-${'b'.repeat(80)}`)).toMatch(/^a{53}-[\da-f]{8}$/);
  });

  it('is a DNS label for every name that npm takes, and maps to itself', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-_.~';
    const part = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 100 });
    const name = fc.oneof(
      part,
      fc.tuple(part, part).map(([scope, app]) => `@${scope}/${app}`),
    );
    fc.assert(
      fc.property(name, (written) => {
        fc.pre(/[a-z\d]/i.test(written));
        const app = appName(written);
        expect(app).toMatch(/^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/);
        expect(appName(app)).toBe(app);
      }),
    );
  });
});

describe('the name of an application', () => {
  it.each(packageNames)('of the package %j is %j', (name, app) => {
    expect(nameProblem(name) === null ? appName(name) : null).toBe(app);
    if (app !== null) expect(appName(app)).toBe(app);
  });
});
