import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PackageManager } from './lockfiles.ts';

/** A call of a package manager, without the program's name. */
type ManagerArguments = readonly string[];

export interface ManagerCommands {
  /** The program on the PATH. */
  readonly program: 'npm' | 'pnpm' | 'yarn';
  /**
   * Installs what the lockfile says, and nothing else when there is one; with `dev` the development dependencies too.
   */
  install(options: { readonly dev: boolean }): ManagerArguments;
  /** Removes the development dependencies; no scripts are run. */
  readonly prune: ManagerArguments;
  /** Runs a script of package.json, with its `pre` and `post` scripts. */
  run(script: string): ManagerArguments;
}

const QUIET = ['--no-audit', '--no-fund'];

/** Returns the calls of a package manager. `store` is the folder in which pnpm keeps packages for all applications of a user. */
export function managerCommands({ kind, lockfile }: PackageManager, store: string): ManagerCommands {
  const locked = lockfile !== undefined;
  const run = (script: string) => ['run', script];
  if (kind === 'npm') {
    return {
      program: 'npm',
      install: ({ dev }) => [
        locked ? 'ci' : 'install',
        dev ? '--include=dev' : '--omit=dev',
        '--prefer-offline',
        ...QUIET,
      ],
      prune: ['prune', '--omit=dev', '--ignore-scripts', '--prefer-offline', ...QUIET],
      run,
    };
  }
  if (kind === 'pnpm') {
    // Hard links into the store would let one application change the files of another.
    const storeFlags = [
      `--store-dir=${store}`,
      '--package-import-method=clone-or-copy',
      '--config.confirm-modules-purge=false',
    ];
    const frozen = locked ? '--frozen-lockfile' : '--no-frozen-lockfile';
    return {
      program: 'pnpm',
      install: ({ dev }) => ['install', frozen, dev ? '--prod=false' : '--prod', '--prefer-offline', ...storeFlags],
      prune: ['install', '--frozen-lockfile', '--prod', '--offline', '--ignore-scripts', ...storeFlags],
      run,
    };
  }
  return { program: 'yarn', run, ...(kind === 'yarn' ? classic(locked) : berry(locked)) };
}

function classic(locked: boolean): Pick<ManagerCommands, 'install' | 'prune'> {
  const call = (production: boolean) => {
    const frozen = locked ? ['--frozen-lockfile'] : [];
    return [
      'install',
      ...frozen,
      `--production=${production}`,
      '--prefer-offline',
      '--non-interactive',
      '--no-progress',
    ];
  };
  return { install: ({ dev }) => call(!dev), prune: [...call(true), '--ignore-scripts'] };
}

function berry(locked: boolean): Pick<ManagerCommands, 'install' | 'prune'> {
  return {
    install: () => ['install', locked ? '--immutable' : '--no-immutable'],
    // Part of Yarn from version 4: https://yarnpkg.com/cli/workspaces/focus
    prune: ['workspaces', 'focus', '--all', '--production'],
  };
}

/** The variables with which Heroku's users keep the development dependencies. */
const KEEPING = {
  npm: ['NPM_CONFIG_PRODUCTION', 'false'],
  pnpm: ['PNPM_SKIP_PRUNING', 'true'],
  yarn: ['YARN_PRODUCTION', 'false'],
  berry: ['YARN2_SKIP_PRUNING', 'true'],
} as const;

/** Returns the variable with which they stay, as it is set: `NPM_CONFIG_PRODUCTION=false`. */
export function keepingVariable({ kind }: PackageManager): string {
  return KEEPING[kind].join('=');
}

/** Returns that variable for a release, by the files that its package manager has there. */
export function keepingVariableIn(release: string): string {
  const has = (file: string) => existsSync(join(release, file));
  const yarn = has('.yarnrc.yml') ? 'berry' : 'yarn';
  return keepingVariable({ kind: has('pnpm-lock.yaml') ? 'pnpm' : has('yarn.lock') ? yarn : 'npm' });
}

/**
 * Returns why the development dependencies stay in the release, as the end of a sentence, or `undefined` when they are
 * removed. https://devcenter.heroku.com/articles/nodejs-classic-buildpack-builds#skip-pruning
 */
export function keepsDevelopment(
  manager: PackageManager,
  variables: Readonly<Record<string, string>>,
): string | undefined {
  const { NODE_ENV } = variables;
  if (NODE_ENV !== undefined && NODE_ENV !== 'production') return 'the variable NODE_ENV is not "production"';
  const [name, value] = KEEPING[manager.kind];
  if (variables[name] === value) return `the variable ${name} is "${value}"`;
  const old = manager.kind === 'berry' && manager.tool?.range.match(/^[^\d]*([23])/);
  return old ? `Yarn ${old[1]} cannot remove them` : undefined;
}
