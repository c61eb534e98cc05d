import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Package {
  readonly version: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly license?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

const json = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
const lock: Readonly<Record<string, Package>> = json('package-lock.json').packages;
const packages = Object.entries(lock).filter(([path, { link }]) => path !== '' && !link);

/** Licences that allow to pass a program on, with a notice at most. */
const FREE = [
  ...['MIT', 'ISC', 'Apache-2.0', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0'],
  ...['(MIT OR Apache-2.0)', '(MIT OR GPL-3.0-or-later)'],
];

const shipped = packages.filter(([, { dev }]) => !dev);
const nameOf = (path: string) => path.replace(/^.*node_modules\//, '');

describe('the packages of the service', () => {
  it('that a start installs on every machine are these', () => {
    const everywhere = shipped.flatMap(([path, { optional }]) => (optional ? [] : [nameOf(path)]));
    expect(everywhere.sort()).toEqual([
      ...['@neon-rs/load', '@valibot/to-json-schema', 'commander', 'croner', 'detect-libc', 'esbuild', 'fresh'],
      ...['ipaddr.js', 'libsql', 'lru-cache', 'mime-db', 'mime-types', 'preact', 'range-parser', 'semver'],
      ...['uuid', 'valibot', 'validate-npm-package-name', 'ws', 'yaml'],
    ]);
  });

  it.each([
    ['darwin', 'arm64', ['@esbuild/darwin-arm64', '@libsql/darwin-arm64']],
    ['darwin', 'x64', ['@esbuild/darwin-x64', '@libsql/darwin-x64']],
    ['linux', 'arm64', ['@esbuild/linux-arm64', '@libsql/linux-arm64-gnu', '@libsql/linux-arm64-musl']],
    ['linux', 'x64', ['@esbuild/linux-x64', '@libsql/linux-x64-gnu', '@libsql/linux-x64-musl']],
  ])('have programs for %s on %s, and a start installs only these besides', (os, cpu, programs) => {
    const isFor = (one: Package) => one.optional && one.os?.includes(os) && one.cpu?.includes(cpu);
    expect(shipped.flatMap(([path, one]) => (isFor(one) ? [nameOf(path)] : []))).toEqual(programs);
  });

  it('that are shipped have licences that allow it', () => {
    expect(shipped.length).toBeGreaterThan(0);
    expect(shipped.filter(([, { license }]) => !FREE.includes(license ?? '')).map(([path]) => path)).toEqual([]);
  });

  it('run no script when they are installed, apart from esbuild, which checks its binary', () => {
    const scripts = packages.flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [path] : []));
    expect(scripts.filter((path) => !path.endsWith('node_modules/esbuild'))).toEqual([]);
    const own = Object.keys(json('package.json').scripts);
    expect(own.filter((name) => /^(?:pre|post)?(?:install|prepare)$/.test(name))).toEqual([]);
  });
});
