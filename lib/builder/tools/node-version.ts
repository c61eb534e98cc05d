import { join } from 'node:path';
import semver from 'semver';
import { isObject } from '../../../functions/core/json.ts';
import { devEngine, holdsAny, isVersionRange, type RawManifest, textOf } from '../manifest.ts';
import type { Project } from '../project.ts';
import { NEWEST_LTS } from './node-hint.ts';

/** The version of Node that an application requires. */
type WantedNode =
  /** The application says nothing, or the Node of this machine will do. */
  | { readonly kind: 'own' }
  /** Another one has to be fetched; `from` is the file and the words in it. */
  | {
      readonly kind: 'other';
      readonly range: string;
      readonly from: string;
      /** The application names none; the Node of this machine will do where this one is not to be had. */
      readonly isUsual?: true;
    }
  /** The version that is asked for cannot be read. */
  | { readonly kind: 'unclear'; readonly warning: string };

/** The names of the long-term releases in `.nvmrc`: https://github.com/nodejs/Release/blob/main/CODENAMES.md */
const LTS: Readonly<Record<string, string>> = {
  hydrogen: '18',
  iron: '20',
  jod: '22',
  krypton: '24',
  lithium: '26',
};
const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies'];
/** Each with what finds the version in its text. The last one is of asdf and mise. */
const FILES: Readonly<Record<string, RegExp>> = {
  '.nvmrc': /^[ \t]*([^\s#]+)/m,
  '.node-version': /^[ \t]*([^\s#]+)/m,
  '.tool-versions': /^[ \t]*node(?:js)?[ \t]+([^\s#]+)/m,
};

/** The parts that differ between machines and platforms. */
interface Given {
  /** The Node of this machine; default: that which runs. */
  readonly version?: string;
  /** The major version for applications that name none and have packages; default: that of this machine. */
  readonly usual?: string | undefined;
}

/**
 * Returns which Node to use. The first of these decides: `engines.node` of the application's package.json, its
 * `devEngines.runtime`, `volta.node`; the same of the root of its workspaces; `.nvmrc`, `.node-version`, `.tool-versions`.
 */
export async function wantedNode(project: Project, given: Given = {}): Promise<WantedNode> {
  const { version = process.version, usual } = given;
  const [named] = [project.manifest, project.installManifest].flatMap(declared);
  if (named) {
    const [field, value] = named;
    const range = typeof value === 'string' ? value : JSON.stringify(value);
    return wanted(range, { from: `package.json: ${field} is ${quoted(range)}`, version });
  }
  for (const folder of [project.folder, project.installAt]) {
    for (const [file, pattern] of Object.entries(FILES)) {
      const text = pattern.exec((await textOf(join(folder, file))) ?? '')?.[1];
      if (text !== undefined) return wanted(rangeOf(text, version), { from: `${file}: ${quoted(text)}`, version });
    }
  }
  // Without packages there is nothing that could need another one, and nothing to wait for.
  const hasPackages = [project.manifest, project.installManifest].some((one) => holdsAny(one, DEPENDENCIES));
  if (usual === undefined || !hasPackages || semver.major(version) >= Number(usual)) return { kind: 'own' };
  return { kind: 'other', range: usual, from: 'No version of Node is named (engines.node)', isUsual: true };
}

/** Returns what an application is told that wants another Node, where there is the one of this machine only. */
export function otherNode(wanted: WantedNode): readonly string[] {
  if (wanted.kind === 'own') return [];
  if (wanted.kind === 'unclear') return [wanted.warning];
  return [`${wanted.from}; applications run on Node ${process.version} here.`];
}

/** Returns the fields of a package.json that name a version of Node, with their values. */
function declared(manifest: RawManifest): readonly (readonly [string, unknown])[] {
  const { engines, volta } = manifest;
  const runtime = devEngine(manifest, 'runtime', ['node']);
  const all = [
    ['engines.node', isObject(engines) ? engines.node : undefined],
    ['devEngines.runtime', runtime?.version],
    ['volta.node', isObject(volta) ? volta.node : undefined],
  ] as const;
  return all.filter(([, value]) => value !== undefined);
}

function wanted(range: string, spec: { readonly from: string; readonly version: string }): WantedNode {
  const { from, version } = spec;
  if (!isVersionRange(range)) {
    return {
      kind: 'unclear',
      warning: `${from}, which is not a range of versions; the application runs on Node ${version}.`,
    };
  }
  // As npm does: a prerelease of Node counts as the version that it precedes.
  if (semver.satisfies(version, range, { includePrerelease: true })) return { kind: 'own' };
  return { kind: 'other', range, from };
}

/** `.nvmrc` holds a version, `lts/*`, the name of a long-term release, or `node` for the latest. */
function rangeOf(text: string, version: string): string {
  if (text === 'node' || text === 'stable' || text === 'current') return '*';
  // The Node of this machine may be an older long-term release, or the next one already.
  const major = semver.major(version);
  if (text === 'lts/*') return major % 2 === 0 && major >= Number(NEWEST_LTS) ? '*' : NEWEST_LTS;
  return LTS[text.toLowerCase().replace(/^lts\//, '')] ?? text;
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}

/** Returns the package of the npm registry that holds Node's own program for this machine. */
export function nodePackage(): string {
  return `node-${process.platform}-${process.arch}`;
}
