import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { frameworkOf } from '../start/frameworks.ts';
import type { StartManifest } from '../start/start-command.ts';

/** The platform's own environment, of which children get a selection. */
export type OwnEnvironment = Readonly<Record<string, string | undefined>>;

/** The folders of an application's release. */
export interface ReleaseFolders {
  /** The unpacked repository; modules are not looked for above it. */
  readonly root: string;
  /** The application in it, which may be the root. */
  readonly folder: string;
  /** Folders of fetched programs (another Node, pnpm, Yarn), which come first on the PATH. */
  readonly bins: readonly string[];
  /** The home of its processes; absent: that of the service. */
  readonly home?: string | undefined;
  /** The id of its commit. */
  readonly commit?: string | undefined;
}

// Needed to install behind a proxy, from another registry or offline; applications do not get them.
const NETWORK = /^(?:https?_proxy|no_proxy|node_extra_ca_certs)$/i;
/**
 * Settings of npm that say where packages and what compiles them are to be found. No others: `npm start` has each of
 * its own in its environment, and one like `ignore-scripts` or `omit` would decide what applications are built of.
 * https://docs.npmjs.com/cli/v11/using-npm/config
 */
export const NPM_NETWORK =
  /^npm_config_(?:(?:@[^:]+:)?registry|(?:https?_)?proxy|noproxy|ca|cafile|strict_ssl|fetch_\w+|maxsockets|local_address|(?:prefer_)?offline|nodedir|python|disturl|\w+_(?:binary_host|mirror)\w*)$/i;
/** The folders that `npm start` adds to the PATH of the service: those of the service's packages. */
const SERVICE_BIN = /(?:\/node_modules\/\.bin|node-gyp-bin)\/?$/;
export const GUARD = fileURLToPath(new URL('module-guard.cjs', import.meta.url));
export const SCRIPT_SHELL = fileURLToPath(new URL('script-shell.sh', import.meta.url));

/**
 * The variables of every child: an allow-list, so that the service's own settings and secrets never reach an
 * application.
 */
function base(own: OwnEnvironment, release: ReleaseFolders, caches: string): Record<string, string> {
  const home = release.home ?? own.HOME;
  const outer = (own.PATH ?? '/usr/bin:/bin').split(delimiter).filter((folder) => !SERVICE_BIN.test(folder));
  // node_modules/.bin as npm does for scripts, and the Node that runs now before any other on the PATH.
  const modules = [...new Set([release.folder, release.root])].map((folder) => join(folder, 'node_modules', '.bin'));
  return {
    ...(home !== undefined && { HOME: home }),
    // As builds on Heroku: there is no git repository to ask.
    ...(release.commit !== undefined && { SOURCE_VERSION: release.commit }),
    PATH: [...modules, ...release.bins, dirname(process.execPath), ...outer].join(delimiter),
    NODE_ENV: 'production',
    npm_config_cache: join(caches, 'npm'),
    XDG_CACHE_HOME: join(caches, 'cache'),
    npm_config_script_shell: SCRIPT_SHELL,
    npm_config_update_notifier: 'false',
    // Read by the guard of modules and by the shell of scripts.
    MODULE_ROOT: release.root,
    // Next takes the folder of the uppermost lockfile for the repository's root, which is the service's own here.
    // https://github.com/vercel/next.js/blob/canary/packages/next/src/lib/find-root.ts
    NEXT_PRIVATE_OUTPUT_TRACE_ROOT: release.root,
  };
}

/** Takes user and password out of the address of a registry; those of a proxy are needed to reach anything. */
export function withoutLogin(name: string, value: string): string {
  return /registry$/i.test(name) ? value.replace(/^(["']?\w+:\/\/)[^/]*@/, '$1') : value;
}

interface BuildProcess {
  readonly release: ReleaseFolders;
  /** The folder for the user's caches of package managers and build tools, which they would make in the home folder. */
  readonly caches: string;
  readonly variables: Readonly<Record<string, string>>;
  /** How Yarn links packages, from its version 2 on. */
  readonly linker?: string;
  /** Whether packages are installed or removed: NODE_OPTIONS of the application may name some that are not there. */
  readonly isInstallation?: boolean;
  /** The folder with the headers of the Node that native modules are compiled for; absent: node-gyp fetches them. */
  readonly headers?: string | undefined;
}

/**
 * The environment of a build. It includes the stored variables: a private registry's token may be among them, and a
 * build may depend on them, as on Heroku.
 */
export function buildEnvironment(own: OwnEnvironment, build: BuildProcess): Record<string, string> {
  const network = Object.entries(own).flatMap(([name, value]) =>
    value !== undefined && (NETWORK.test(name) || NPM_NETWORK.test(name))
      ? [[name, withoutLogin(name, value)] as const]
      : [],
  );
  const caches = {
    XDG_DATA_HOME: join(build.caches, 'data'),
    XDG_STATE_HOME: join(build.caches, 'state'),
    YARN_CACHE_FOLDER: join(build.caches, 'yarn'),
    YARN_GLOBAL_FOLDER: join(build.caches, 'yarn-berry'),
    // These tools would write into the home folder, and send.
    YARN_ENABLE_TELEMETRY: '0',
    NEXT_TELEMETRY_DISABLED: '1',
    ASTRO_TELEMETRY_DISABLED: '1',
    TURBO_TELEMETRY_DISABLED: '1',
    // Nx would leave a process behind.
    NX_DAEMON: 'false',
    ...(build.linker !== undefined && { YARN_NODE_LINKER: build.linker }),
  };
  const headers = build.headers === undefined ? {} : { npm_config_nodedir: build.headers };
  const settings = {
    ...Object.fromEntries(network),
    ...headers,
    ...base(own, build.release, build.caches),
    ...caches,
    // A script that installs in another folder finds its bundler there. Yarn refuses the variable from its version 2 on.
    ...(!build.isInstallation && { npm_config_include: 'dev' }),
    ...(!build.isInstallation && build.linker === undefined && { YARN_PRODUCTION: 'false' }),
  };
  const { NODE_OPTIONS, ...variables } = build.variables;
  return withGuard({ ...settings, ...(build.isInstallation ? variables : build.variables) });
}

interface AppProcess {
  readonly release: ReleaseFolders;
  /** The folder for the user's caches. */
  readonly caches: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The folder that persists across releases. */
  readonly dataDir: string;
  /** Absent for one that gets no traffic. */
  readonly port?: number;
  readonly manifest: StartManifest;
  readonly script: string;
}

/**
 * The environment of an application: PATH, HOME, NODE_ENV, DATA_DIR, the caches of its builds and the few `npm_*` that `npm start`
 * would set and programs read, then its stored variables, then PORT and HOST, which are the platform's.
 */
export function appEnvironment(own: OwnEnvironment, app: AppProcess): Record<string, string> {
  const { folder } = app.release;
  return withGuard({
    ...base(own, app.release, app.caches),
    // An application reads the caches of builds and writes none.
    ...(app.release.home !== undefined && { npm_config_cache: join(app.release.home, '.npm') }),
    DATA_DIR: app.dataDir,
    npm_lifecycle_event: 'start',
    npm_lifecycle_script: app.script,
    npm_package_json: join(folder, 'package.json'),
    npm_package_name: app.manifest.name ?? '',
    npm_package_version: app.manifest.version ?? '',
    npm_node_execpath: process.execPath,
    INIT_CWD: folder,
    ...frameworkOf(app.manifest.packages)?.runVariables,
    ...app.variables,
    ...(app.port !== undefined && { PORT: String(app.port), HOST: '127.0.0.1' }),
  });
}

/**
 * Adds the guard that ends the search for modules at the release's root to the options that the application may have
 * set.
 */
function withGuard(env: Record<string, string>): Record<string, string> {
  const guard = `--require=${JSON.stringify(GUARD)}`;
  return { ...env, NODE_OPTIONS: env.NODE_OPTIONS ? `${guard} ${env.NODE_OPTIONS}` : guard };
}
