import { createHash } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { hasCode } from '../../processes/error-code.ts';

/** What must be installed for a release. */
export type DependencyPlan =
  | { readonly kind: 'none' }
  /** `npm ci` with a lockfile, else `npm install`. With a `key`, an earlier installation with the same key can be reused. */
  | { readonly kind: 'ci' | 'install'; readonly key?: string };

const fields = [
  'dependencies',
  'optionalDependencies',
  'peerDependencies',
  'bundleDependencies',
  'bundledDependencies',
  'overrides',
];
const rootScripts = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'];
const anyObject = v.record(v.string(), v.unknown());
const lockfile = v.object({
  packages: v.optional(v.record(v.string(), v.looseObject({ link: v.optional(v.boolean()) }))),
});

/** Reads a release's package.json and lockfile and returns what must be installed. */
export async function dependencyPlan(release: string): Promise<DependencyPlan> {
  const manifest = objectIn(await textOf(join(release, 'package.json')));
  const lock =
    (await textOf(join(release, 'npm-shrinkwrap.json'))) ?? (await textOf(join(release, 'package-lock.json')));
  const ownWork = await hasInstallWork(release, manifest);
  const wanted = ['dependencies', 'optionalDependencies', 'peerDependencies', 'workspaces'].some(
    (field) => !isEmpty(manifest[field]),
  );
  if (!wanted && !ownWork) return { kind: 'none' };
  if (lock === undefined) return { kind: 'install' };
  // An installation can be reused only if it depends on the lockfile alone: not when the application's own scripts take
  // part, and not when packages are folders of the repository (links, workspaces).
  if (ownWork || holdsLinks(lock)) return { kind: 'ci' };
  return { kind: 'ci', key: keyOf(manifest, lock, (await textOf(join(release, '.npmrc'))) ?? '') };
}

function keyOf(manifest: Readonly<Record<string, unknown>>, lock: string, npmrc: string): string {
  // Native packages are built for one version of Node, one platform and one processor.
  const machine = [process.version, process.versions.modules, process.platform, process.arch];
  const wanted = fields.map((field) => manifest[field] ?? null);
  return createHash('sha256')
    .update(JSON.stringify([machine, wanted, lock, npmrc]))
    .digest('hex')
    .slice(0, 32);
}

async function hasInstallWork(release: string, manifest: Readonly<Record<string, unknown>>): Promise<boolean> {
  const scripts = v.safeParse(anyObject, manifest.scripts);
  if (scripts.success && rootScripts.some((name) => scripts.output[name] !== undefined)) return true;
  // npm builds a binding.gyp without a script: https://docs.npmjs.com/cli/using-npm/scripts#npm-install
  return access(join(release, 'binding.gyp')).then(
    () => true,
    () => false,
  );
}

function holdsLinks(lock: string): boolean {
  const parsed = v.safeParse(lockfile, objectIn(lock));
  // Lockfiles from before npm 7 have no `packages`; their content is not read.
  if (!parsed.success || !parsed.output.packages) return true;
  return Object.values(parsed.output.packages).some(({ link }) => link === true);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
}

function objectIn(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const parsed = v.safeParse(anyObject, JSON.parse(text ?? '{}'));
    return parsed.success ? parsed.output : {};
  } catch {
    throw new Error('package.json or the lockfile is not valid JSON.');
  }
}
