import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { once } from '../../../functions/core/concurrency.ts';
import type { Sight } from '../../process/sandbox.ts';
import { STATIC_SERVER } from '../start/start-command.ts';
import { GUARD, type OwnEnvironment, type ReleaseFolders, SCRIPT_SHELL } from './child-environment.ts';

/** The folders of an application that its processes may see. */
interface Seen {
  readonly release: ReleaseFolders;
  /** The folder for the user's caches. */
  readonly caches: string;
  /** The folder that persists across releases. */
  readonly dataDir?: string | undefined;
}

/**
 * What a command of a build sees besides the programs of the machine: its release, its home and the caches of its user, which it
 * fills, the fetched programs, and certificates. `DATA_DIR` is there for the release command only.
 */
export function sightOfBuild({ release, caches, dataDir }: Seen, own: OwnEnvironment, tools: string): Sight {
  return {
    release: release.root,
    writable: [...foldersOf(release), caches, ...(dataDir === undefined ? [] : [dataDir])],
    readable: [...PROGRAMS, tools, ...certificates(own)],
    temporaries: temporariesOf(release),
    dataDir,
  };
}

/**
 * What a process of an application sees: its release, its home and `DATA_DIR`; to read, the caches of its user. Each mount makes
 * the start later by a fifth of a millisecond: the server of static sites is there for them only.
 */
export function sightOfApp({ release, caches, dataDir }: Required<Seen>, args: readonly string[]): Sight {
  return {
    release: release.root,
    writable: [...foldersOf(release), ...(dataDir === undefined ? [] : [dataDir])],
    readable: [
      ...PROGRAMS,
      ...(args.includes(STATIC_SERVER) ? staticServer() : []),
      ...release.bins.map(toolOf),
      caches,
    ],
    temporaries: temporariesOf(release),
    dataDir,
  };
}

function certificates({ npm_config_cafile, NODE_EXTRA_CA_CERTS }: OwnEnvironment): readonly string[] {
  return [npm_config_cafile, NODE_EXTRA_CA_CERTS].flatMap((file) => (file?.startsWith('/') ? [file] : []));
}

function foldersOf({ root, home }: ReleaseFolders): readonly string[] {
  return home === undefined ? [root] : [root, home];
}

function temporariesOf({ root, home = root }: ReleaseFolders): string {
  return dirname(home);
}

/** The folder of a fetched program, of which the PATH has `node_modules/.bin`. */
function toolOf(bin: string): string {
  return dirname(dirname(bin));
}

/** Node with its npm, which may be in somebody's home, and what the service has every process load. */
const node = dirname(process.execPath);
const PROGRAMS = [
  ...[node, join(dirname(node), 'lib/node_modules'), join(dirname(node), 'include/node')],
  ...new Set([GUARD, SCRIPT_SHELL].map(dirname)),
];

/** The program that serves the sites of applications, with the packages that it loads. */
const staticServer = once((): readonly string[] => {
  const { resolve } = createRequire(STATIC_SERVER);
  const packages = ['fresh', 'mime-types', 'mime-db', 'range-parser'];
  return [STATIC_SERVER, ...packages.map((name) => dirname(resolve(`${name}/package.json`)))];
});
