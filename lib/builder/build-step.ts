import type { Settings } from '../../functions/core/apps/settings.ts';
import { type InstallPlan, managerSettings } from './install-plan.ts';
import type { ManagerCommands } from './manager-commands.ts';
import { buildEnvironment } from './process/child-environment.ts';
import { runCommand } from './process/run-command.ts';
import { sightOfBuild } from './process/sight.ts';
import { checkFolders, type Project } from './project.ts';
import { gitHint, nodeHint, tokenHint } from './tools/node-hint.ts';
import type { Toolchain, ToolSite } from './tools/toolchain.ts';

/** The source of a release's dependencies. */
export type DependencySource = 'none' | 'installed' | 'copied';

/** The dependencies to install. */
export interface Installation {
  /** The folder that gets the node_modules; it has none. */
  readonly at: string;
  readonly plan: InstallPlan;
  /** Runs the package manager; rejects when that fails. */
  readonly install: () => Promise<void>;
}

/** One build: the unpacked repository, and what differs between the platforms. */
export interface BuildSite extends ToolSite {
  readonly root: string;
  /** The application's folder in the repository; empty for its root. */
  readonly path: string;
  readonly settings: Settings;
  /** The id of its commit. */
  readonly commit?: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
  /** The folder for the caches that frameworks keep beside the application. */
  readonly frameworkCaches: string;
  /** Whether it uses neither modules nor caches of earlier builds. */
  readonly isClean: boolean;
  /** Whether other lines of a Procfile than `web`, and cron, cannot run; absent: they can. */
  readonly runsWebOnly?: boolean;
  /** Fills a node_modules folder, by `install` or from an earlier build. */
  provide(installation: Installation): Promise<DependencySource>;
}

/** A build with its project read and its programs there. */
export interface Step {
  readonly site: BuildSite;
  readonly project: Project;
  readonly commands: ManagerCommands;
  readonly toolchain: Toolchain;
  readonly warn: (sentence: string) => void;
}

export interface Command {
  readonly title: string;
  /** Default: the package manager. */
  readonly program?: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly isInstallation?: boolean;
}

/** Runs a command of a build. Returns what it has printed; throws an Error with one sentence. */
export async function run(
  step: Step,
  { title, program, args, cwd, variables, isInstallation = false }: Command,
): Promise<readonly string[]> {
  const { site, project, toolchain } = step;
  const release = {
    root: site.root,
    folder: project.folder,
    bins: toolchain.bins,
    home: site.home,
    commit: site.commit,
  };
  const env = buildEnvironment(site.own, {
    release,
    caches: site.caches,
    variables: { ...variables, ...site.variables },
    ...(project.manager.kind === 'berry' && { linker: toolchain.linker }),
    isInstallation,
    headers: toolchain.headers,
  });
  const [named, ...first] = program === undefined ? toolchain.programOf(step.commands.program) : [program];
  const settings = isInstallation ? await managerSettings(project.installAt) : '';
  const hint = (lines: readonly string[]) =>
    gitHint(lines) || nodeHint(lines, toolchain.node) || tokenHint(lines, settings, env);
  const sight = sightOfBuild({ ...site, release, dataDir: variables?.DATA_DIR }, site.own, site.tools.folder);
  const command = { title, program: named, args: [...first, ...args], cwd, env, sight, hint };
  const printed = await runCommand(site.commands, command);
  // What follows is written and removed in them by the service.
  await checkFolders(project);
  return printed;
}
