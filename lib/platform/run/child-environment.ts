import { delimiter, dirname, join } from 'node:path';
import type { Variables } from '../store/variables.ts';
import type { StartManifest } from './start-command.ts';

/** The platform's own environment, of which children get a selection. */
export type OwnEnvironment = Readonly<Record<string, string | undefined>>;

// Needed to install behind a proxy or from another registry; applications do not get them.
const INSTALL_ONLY = /^(?:https?_proxy|no_proxy|node_extra_ca_certs|npm_config_\w+)$/i;
const ALWAYS = ['HOME'];

/** The variables of every child: an allow-list, so that the service's own settings and secrets never reach an application. */
function base(own: OwnEnvironment, release: string, npmCache: string): Record<string, string> {
  const inherited = ALWAYS.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]] as const]));
  // node_modules/.bin as npm does for scripts, and the Node that runs now before any other on the PATH.
  const path = [join(release, 'node_modules', '.bin'), dirname(process.execPath), own.PATH ?? '/usr/bin:/bin'];
  return {
    ...Object.fromEntries(inherited),
    PATH: path.join(delimiter),
    NODE_ENV: 'production',
    npm_config_cache: npmCache,
  };
}

/** The environment of an installation. It includes the stored variables: a private registry's token may be among them. */
export function installEnvironment(
  own: OwnEnvironment,
  options: { readonly release: string; readonly npmCache: string; readonly variables: Variables },
): Record<string, string> {
  const network = Object.entries(own).flatMap(([name, value]) =>
    value !== undefined && INSTALL_ONLY.test(name) ? [[name, value] as const] : [],
  );
  const { NODE_ENV: _omitted, ...rest } = options.variables;
  return { ...Object.fromEntries(network), ...base(own, options.release, options.npmCache), ...rest };
}

/** An application's process. */
export interface AppProcess {
  readonly release: string;
  readonly npmCache: string;
  readonly variables: Variables;
  readonly port: number;
  readonly manifest: StartManifest;
  readonly script: string;
}

/**
 * The environment of an application: PATH, HOME, NODE_ENV, npm's cache and the few `npm_*` that `npm start` would set and
 * programs read, then its stored variables, then PORT and HOST, which are the platform's.
 */
export function appEnvironment(own: OwnEnvironment, app: AppProcess): Record<string, string> {
  return {
    ...base(own, app.release, app.npmCache),
    npm_lifecycle_event: 'start',
    npm_lifecycle_script: app.script,
    npm_package_json: join(app.release, 'package.json'),
    npm_package_name: app.manifest.name ?? '',
    npm_package_version: app.manifest.version ?? '',
    npm_node_execpath: process.execPath,
    INIT_CWD: app.release,
    ...app.variables,
    PORT: String(app.port),
    HOST: '127.0.0.1',
  };
}
