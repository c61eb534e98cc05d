import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import semver from 'semver';
import { manifestIn, stringsIn, textOf } from '../manifest.ts';
import { buildEnvironment, type OwnEnvironment } from '../process/child-environment.ts';
import { npmFiles } from '../process/npm-settings.ts';
import { type CommandContext, runCommand } from '../process/run-command.ts';
import { sightOfBuild } from '../process/sight.ts';
import type { Project } from '../project.ts';
import { exists } from '../start/frameworks.ts';
import { nodePackage, otherNode, wantedNode } from './node-version.ts';
import { type Tool, type ToolSpec, type Tools, toolBin } from './tools.ts';

/** Where programs come from. */
export interface ToolSite {
  readonly own: OwnEnvironment;
  readonly commands: CommandContext;
  /** The folder for the caches of package managers and build tools. */
  readonly caches: string;
  /** The home of all commands; absent: that of the service. */
  readonly home?: string;
  readonly tools: Tools;
  /** Whether the application can run on another Node than this one. */
  readonly choosesNode: boolean;
  /** The major version of Node for an application that names none; default: that of this machine. */
  readonly usualNode?: string | undefined;
}

const YARN_PNPM = /^nodeLinker: *["']?pnpm\b/m;

/** The programs that an application is built and run with. */
export interface Toolchain {
  /** The version of Node, such as `v22.11.0`. */
  readonly node: string;
  /** The fetched tools by id, and their folders for PATH. */
  readonly tools: readonly string[];
  readonly bins: readonly string[];
  readonly warnings: readonly string[];
  /** The folder whose `include/node` has the headers of that Node; undefined: there are none on this machine. */
  readonly headers: string | undefined;
  /** How Yarn links packages: with links as `pnpm` has them, if a .yarnrc.yml says so. */
  readonly linker: 'pnpm' | 'node-modules';
  /** Returns the command of a package manager. */
  readonly programOf: (name: string) => readonly [string, ...string[]];
}

/**
 * Fetches the Node and the package manager that a project asks for, unless they are there. A Node that is not to be had
 * is a warning; a package manager that is not to be had throws an Error with one sentence.
 */
export async function toolchain(site: ToolSite, project: Project): Promise<Toolchain> {
  const provide = (spec: ToolSpec) => site.tools.provide(spec, (one, folder) => fetchTool(site, one, folder));
  const node = await nodeFor(site, project, provide);
  const { tool } = project.manager;
  const manager = tool && (await provide(tool));
  const used = [node.tool, manager].flatMap((one) => (one ? [one.id] : []));
  const npm = node.tool && (await npmFor(node.tool.version, site.own.PATH));
  return {
    node: node.version,
    tools: used,
    bins: used.map((id) => toolBin(site.tools.folder, id)),
    warnings: node.warnings,
    headers: await headersOf(node.tool && join(site.tools.folder, node.tool.id, 'node_modules', nodePackage())),
    linker: YARN_PNPM.test((await textOf(join(project.installAt, '.yarnrc.yml'))) ?? '') ? 'pnpm' : 'node-modules',
    programOf: (name) => (name === 'npm' && npm ? [process.execPath, npm] : [name]),
  };
}

/** Returns the folder of a Node, by default of that which runs, when its headers are in it. */
async function headersOf(folder = dirname(dirname(process.execPath))): Promise<string | undefined> {
  const isThere = await exists(join(folder, 'include/node/node_version.h'));
  return isThere ? folder : undefined;
}

interface ChosenNode {
  readonly version: string;
  readonly tool?: Tool;
  readonly warnings: readonly string[];
}

async function nodeFor(
  { choosesNode, usualNode, commands: { log, signal } }: ToolSite,
  project: Project,
  provide: (spec: ToolSpec) => Promise<Tool>,
): Promise<ChosenNode> {
  const nodeOfMachine = { version: process.version, warnings: [] };
  const wanted = await wantedNode(project, { usual: usualNode });
  if (wanted.kind !== 'other' || !choosesNode) return { ...nodeOfMachine, warnings: otherNode(wanted) };
  try {
    const { range, isUsual } = wanted;
    const tool = await provide({ package: nodePackage(), range, ...(isUsual && { isOptional: true }) });
    log.note(`${wanted.from}; the application is built and run with Node v${tool.version}.`);
    return { version: `v${tool.version}`, tool, warnings: [] };
  } catch (error) {
    if (signal.aborted) throw error;
    const none = wanted.isUsual ? `Node ${wanted.range} cannot be had here` : 'no such Node could be fetched';
    const why = `${wanted.from}; ${none}, so the application runs on Node ${process.version}.`;
    if (!wanted.isUsual) return { ...nodeOfMachine, warnings: [why] };
    log.note(why);
    return nodeOfMachine;
  }
}

/** Installs a tool with the npm of this machine, in a separate folder. No application's variables take part. */
async function fetchTool(
  { own, caches, home, commands, tools }: ToolSite,
  spec: ToolSpec,
  folder: string,
): Promise<void> {
  const tool = `${spec.package}@${spec.range}`;
  commands.log.note(`Fetching ${spec.package} ${spec.range}`);
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-save', '--omit=dev'];
  // An offline machine would wait for a minute.
  const tries = spec.isOptional ? ['--fetch-retries=0'] : [];
  const release = { root: folder, folder, bins: [], home };
  const { release: _, ...sight } = sightOfBuild({ release, caches }, own, tools.folder);
  const files = npmFiles(own);
  await runCommand(commands, {
    title: `Fetching ${spec.package} ${spec.range} from the npm registry`,
    program: 'npm',
    args: ['install', ...flags, ...tries, `--prefix=${folder}`, tool],
    cwd: folder,
    // No script of a package runs that could read the credentials.
    env: { ...buildEnvironment(own, { release, caches, variables: {} }), ...files },
    sight: { ...sight, readable: [...sight.readable, ...Object.values(files)] },
  });
  if (spec.package !== nodePackage()) return;
  // That Node needs libraries that a small system may not have: libatomic from Node 25 on, and glibc.
  await promisify(execFile)(join(folder, 'node_modules/.bin/node'), ['--version']).catch((cause: unknown) => {
    throw new Error(`${tool} does not run on this machine.`, { cause });
  });
}

/**
 * Returns the file of this machine's npm when it does not run on the application's Node: then it is run by the Node of
 * this machine, and compares `engines` with that.
 */
async function npmFor(node: string, path: string | undefined): Promise<string | undefined> {
  const file = await npmProgram(path);
  if (file === undefined) return undefined;
  const npmManifest = await manifestIn(dirname(dirname(file))).catch(() => ({}));
  const { node: range = '' } = stringsIn(npmManifest, 'engines');
  return range !== '' && semver.satisfies(node, range) ? undefined : file;
}

/** The file of npm's program, when it is a script of Node as Node's own packages have it. */
async function npmProgram(path = ''): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    const file = await realpath(join(folder, 'npm')).catch(() => undefined);
    if (file !== undefined) return file.endsWith('.js') ? file : undefined;
  }
  return undefined;
}
