import { existsSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import type { Settings } from '../../functions/core/apps/settings.ts';
import { devEngine, isVersionRange, type RawManifest, stringsIn, textOf } from './manifest.ts';
import type { ToolSpec } from './tools/tools.ts';

/** The package manager of an application; `berry` is Yarn from version 2. */
export interface PackageManager {
  readonly kind: 'npm' | 'pnpm' | 'yarn' | 'berry';
  /** The package that has to be fetched before it can run; npm comes with Node. */
  readonly tool?: ToolSpec;
  /** The lockfile's name, when the repository has one. */
  readonly lockfile?: string;
}

/** The largest lockfile that is read, in bytes; those of large monorepos have a third of it. */
export const MAX_LOCKFILE_BYTES = 16 * 1024 * 1024;

const NAMED = ['npm', 'pnpm', 'yarn', 'bun'] as const;
type Named = (typeof NAMED)[number];

const LOCKFILES: readonly (readonly [string, Named])[] = [
  ['npm-shrinkwrap.json', 'npm'],
  ['package-lock.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];
const SUPPORTED = 'Or commit the lockfile of npm, pnpm or Yarn in place of its own.';
/** The versions that are used when the repository does not specify one. */
const USUAL = { pnpm: '10', yarn: '1', berry: '4' };

/**
 * Returns the package manager by the lockfile in a folder and by `packageManager` in its package.json, which decides
 * between two lockfiles. Where a command of the application's own installs, nothing of Bun is read. Throws an Error with one sentence
 * for two lockfiles, for a lockfile of another manager, and for Bun.
 */
export async function packageManagerOf(
  folder: string,
  manifest: RawManifest,
  { install }: Pick<Settings, 'install'> = {},
): Promise<PackageManager> {
  const declared = declaredIn(manifest);
  if (install !== undefined && declared?.name === 'bun') return { kind: 'npm' };
  const known = install === undefined ? LOCKFILES : LOCKFILES.filter(([, name]) => name !== 'bun');
  const present = known.filter(([file]) => existsSync(join(folder, file)));
  const others = present.filter(([, name]) => name !== declared?.name);
  const [first, second] = [...new Map(present.map((lock) => [lock[1], lock])).values()];
  if (!declared && first && second) {
    throw new Error(`There are two lockfiles, ${first[0]} and ${second[0]}; remove one of them.`);
  }
  if (declared && others[0] && others.length === present.length) {
    throw new Error(`package.json names ${declared.name} as its package manager, but the lockfile is ${others[0][0]}.`);
  }
  const name = declared?.name ?? first?.[1] ?? 'npm';
  if (name === 'bun') {
    throw new Error(
      `Bun is not supported as a package manager: "hooks set install='npm install'" has npm install. ${SUPPORTED}`,
    );
  }
  const lockfile = present.find((lock) => lock[1] === name)?.[0];
  const range = declared?.version ?? engineOf(manifest, name);
  return { ...(await toolOf({ name, range, folder, lockfile })), ...(lockfile !== undefined && { lockfile }) };
}

interface Wanted {
  readonly name: 'npm' | 'pnpm' | 'yarn';
  readonly range: string | undefined;
  readonly folder: string;
  readonly lockfile: string | undefined;
}

async function toolOf({ name, range, folder, lockfile }: Wanted): Promise<PackageManager> {
  // The npm of this machine reads every lockfile that npm has written, so no other one is fetched.
  if (name === 'npm') return { kind: 'npm' };
  const lock = lockfile === undefined ? '' : ((await textOf(join(folder, lockfile), MAX_LOCKFILE_BYTES)) ?? '');
  if (name === 'pnpm') {
    return { kind: 'pnpm', tool: { package: 'pnpm', range: range ?? pnpmFor(lock) } };
  }
  const classic = range === undefined ? lock === '' || lock.includes('# yarn lockfile v1') : isClassic(range);
  if (classic) return { kind: 'yarn', tool: { package: 'yarn', range: range ?? USUAL.yarn } };
  return { kind: 'berry', tool: { package: '@yarnpkg/cli-dist', range: range ?? USUAL.berry } };
}

/**
 * Lockfiles of pnpm name their format; each is that of certain versions (https://pnpm.io/installation#compatibility).
 */
function pnpmFor(lock: string): string {
  const version = /^lockfileVersion: *'?(\d+)/m.exec(lock)?.[1];
  if (version === '6') return '8';
  return version === '5' ? '7' : USUAL.pnpm;
}

function isClassic(range: string): boolean {
  return semver.intersects(range, '<2');
}

interface Declared {
  readonly name: Named;
  readonly version?: string | undefined;
}

/**
 * Reads `packageManager`, `pnpm@9.12.0+sha512…` (https://nodejs.org/api/packages.html#packagemanager), or without it
 * `devEngines.packageManager`.
 */
function declaredIn(manifest: RawManifest): Declared | undefined {
  if (manifest.packageManager === undefined) {
    const { name, version } = devEngine(manifest, 'packageManager', NAMED) ?? {};
    return name !== undefined && isNamed(name) ? { name, version: rangeOrNone(version) } : undefined;
  }
  const [, name, version] = /^([^@]+)@([^+]+)/.exec(String(manifest.packageManager)) ?? [];
  if (name !== undefined && isNamed(name) && version && isVersionRange(version)) return { name, version };
  const text = JSON.stringify(manifest.packageManager).slice(0, 80);
  throw new Error(`package.json: packageManager is ${text}; it must be a name with a version, such as "pnpm@10.0.0".`);
}

function isNamed(name: string): name is Named {
  return (NAMED as readonly string[]).includes(name);
}

function engineOf(manifest: RawManifest, name: string): string | undefined {
  return rangeOrNone(stringsIn(manifest, 'engines')[name]);
}

function rangeOrNone(range: string | undefined): string | undefined {
  return range !== undefined && isVersionRange(range) ? range : undefined;
}
