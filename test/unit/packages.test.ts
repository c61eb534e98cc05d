import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Package {
  readonly version: string;
  readonly dev?: boolean;
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

describe('the packages of the service', () => {
  it('that are shipped have licences that allow it', () => {
    const shipped = packages.filter(([, { dev }]) => !dev);
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
