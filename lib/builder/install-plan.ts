import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { parseJson } from '../../functions/core/json.ts';
import { MAX_LOCKFILE_BYTES } from './lockfiles.ts';
import { holdsAny, type RawManifest, stringsIn, textOf } from './manifest.ts';
import type { Project } from './project.ts';

/** The dependencies that a release needs. */
export interface InstallPlan {
  /** Whether the development dependencies are installed too, because a script can use them. */
  readonly dev: boolean;
  /** An earlier installation with the same key can be reused; absent when it does not depend on the lockfile alone. */
  readonly key?: string;
}

const dependencyFields = ['dependencies', 'optionalDependencies', 'peerDependencies'];
const keyFields = [...dependencyFields, 'bundleDependencies', 'bundledDependencies', 'overrides', 'resolutions'];
const rootScripts = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'];
/** The scripts of a build, by Heroku's names: https://devcenter.heroku.com/articles/nodejs-classic-buildpack-builds */
const buildScripts = ['heroku-prebuild', 'heroku-postbuild', 'build', 'heroku-cleanup'];
const SETTINGS_FILES = ['.npmrc', '.yarnrc', '.yarnrc.yml'];

const lockfile = v.object({
  packages: v.optional(v.record(v.string(), v.looseObject({ link: v.optional(v.boolean()) }))),
});

/** What decides beside the repository. */
interface PlanInputs {
  /** The version of Node that the application runs on. */
  readonly node: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Whether a process may run a program of a development dependency, or a variable keeps them. */
  readonly keepsDevelopment: boolean;
}

/** Settings of package managers by variables, without logins; they can decide what is installed. */
const DECIDING = /^(?:NODE_ENV|(?:npm_config|pnpm|yarn2?)_\w+)$/i;
const LOGIN = /auth|token|password|ident/i;

/** Returns what must be installed for a project, or `undefined` when that is nothing. */
export async function installPlan(project: Project, inputs: PlanInputs): Promise<InstallPlan | undefined> {
  const manifests = [project.manifest, project.installManifest];
  const ownWork = manifests.some(hasInstallScript) || existsSync(join(project.installAt, 'binding.gyp'));
  // Without a script that can use them, development dependencies would be installed only to be removed again.
  const used =
    inputs.keepsDevelopment ||
    ownWork ||
    project.workspaces ||
    manifests.some((one) => Object.keys(buildScriptsOf(one)).length > 0);
  const dev = used && (project.workspaces || holdsAny(project.installManifest, ['devDependencies']));
  const wanted = project.workspaces || dev || holdsAny(project.installManifest, dependencyFields);
  if (!wanted && !ownWork) return undefined;
  const key = ownWork || project.workspaces ? undefined : await keyOf(project, { ...inputs, dev });
  return { dev, ...(key !== undefined && { key }) };
}

/** Returns the scripts of a package.json that a build runs. */
export function buildScriptsOf(manifest: RawManifest): Readonly<Record<string, string>> {
  const scripts = Object.entries(stringsIn(manifest, 'scripts'));
  return Object.fromEntries(scripts.filter(([name, text]) => buildScripts.includes(name) && text.trim() !== ''));
}

/**
 * An installation can be reused only if it depends on the lockfile alone: not when the application's own scripts take
 * part, and not when packages are folders of the repository (links, workspaces). pnpm's store does this.
 */
async function keyOf(
  { installAt, installManifest, manager }: Project,
  { node, variables, dev }: PlanInputs & { readonly dev: boolean },
): Promise<string | undefined> {
  if (manager.lockfile === undefined || manager.kind === 'pnpm') return undefined;
  const lock = (await textOf(join(installAt, manager.lockfile), MAX_LOCKFILE_BYTES)) ?? '';
  if (manager.kind === 'npm' ? holdsLinks(lock) : holdsPaths(installManifest)) return undefined;
  // Native packages are built for one version of Node, one platform and one processor.
  // The first one: since then the modules that scripts have made are not kept.
  const machine = [
    'without scripts',
    node,
    process.platform,
    process.arch,
    manager.kind,
    manager.tool?.range ?? '',
    dev,
  ];
  const wanted = [...keyFields, ...(dev ? ['devDependencies'] : [])].map((field) => installManifest[field] ?? null);
  const deciding = Object.entries(variables).filter(([name]) => DECIDING.test(name) && !LOGIN.test(name));
  const files = await settingsIn(installAt);
  return createHash('sha256')
    .update(JSON.stringify([machine, wanted, lock, files, deciding.sort()]))
    .digest('hex')
    .slice(0, 32);
}

function settingsIn(folder: string): Promise<readonly (string | undefined)[]> {
  return Promise.all(SETTINGS_FILES.map((file) => textOf(join(folder, file))));
}

/** Returns the settings of package managers in a folder, as text. */
export async function managerSettings(folder: string): Promise<string> {
  return (await settingsIn(folder)).filter((text) => text !== undefined).join('\n');
}

function hasInstallScript(manifest: RawManifest): boolean {
  // npm builds a binding.gyp without a script: https://docs.npmjs.com/cli/using-npm/scripts#npm-install
  const scripts = stringsIn(manifest, 'scripts');
  return rootScripts.some((name) => scripts[name] !== undefined);
}

function holdsLinks(lock: string): boolean {
  const json = parseJson(lock);
  const parsed = v.safeParse(lockfile, json.ok && json.value);
  // Lockfiles from before npm 7 have no `packages`; their content is not read, nor that of one that cannot be parsed.
  if (!parsed.success || !parsed.output.packages) return true;
  return Object.values(parsed.output.packages).some(({ link }) => link === true);
}

/** Whether a package of Yarn comes from the repository: `file:`, `link:`, `portal:`, `patch:` or a path. */
function holdsPaths(manifest: RawManifest): boolean {
  const ranges = [...dependencyFields, 'devDependencies', 'resolutions'].flatMap((field) =>
    Object.values(stringsIn(manifest, field)),
  );
  return ranges.some((range) => /^(?:(?:file|link|portal|patch):|\.{0,2}\/)/.test(range));
}
