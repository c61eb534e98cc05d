import type { Settings } from '../../functions/core/apps/settings.ts';
import { buildCommands } from './build-commands.ts';
import { insideRelease } from './inside.ts';
import { buildScriptsOf, installPlan } from './install-plan.ts';
import { leftOut, unusedIn } from './left-out.ts';
import { managerCommands } from './manager-commands.ts';
import { stringsIn } from './manifest.ts';
import { type Project, readProject, withBuild } from './project.ts';
import { completeStandalone } from './release-content.ts';
import { type CronEntry, cronIn } from './start/cron.ts';
import { mayUseDevelopment, processLines } from './start/development.ts';
import { otherLanguage } from './start/scripts.ts';
import {
  type Procfile,
  procfileIn,
  readStartManifest,
  type StartCommand,
  startCommand,
} from './start/start-command.ts';
import { otherNode, wantedNode } from './tools/node-version.ts';

interface Unbuilt {
  readonly root: string;
  /** The application's folder in the repository; empty for its root. */
  readonly path: string;
  readonly settings: Settings;
  /** Whether it has variables, which may decide what is installed. */
  readonly hasVariables: boolean;
}

interface WithoutBuild {
  readonly found: Settings;
  readonly cron: readonly CronEntry[];
  /** What its deploy says of it. */
  readonly notes: readonly string[];
}

/**
 * Returns what the build of an unpacked application would find on AWS Lambda if it would run no command; undefined for an
 * application that has to be built. Throws an Error with one sentence, as `buildApplication` does.
 */
export function withoutBuild({ root, path, settings, hasVariables }: Unbuilt): Promise<WithoutBuild | undefined> {
  return insideRelease(root, async () => {
    const project = withBuild(await readProject(root, path), settings);
    const { folder } = project;
    const manifest = await readStartManifest(folder);
    const procfile = await procfileIn(folder);
    const cron = await cronIn(folder);
    checkLanguage(project, procfile, settings);
    if (procfile.release !== undefined || (await runsCommands(project, settings, hasVariables))) return undefined;
    await completeStandalone(project);
    const start = await startCommand(folder, manifest, settings);
    const notes = [
      ...unusedIn(procfile),
      ...(await leftOut(root)),
      ...otherNode(await wantedNode(project)),
      ...(start.note === undefined ? [] : [start.note]),
    ];
    return { found: { install: '', build: '', ...startedBy(start) }, cron, notes };
  });
}

async function runsCommands(project: Project, settings: Settings, hasVariables: boolean): Promise<boolean> {
  const { folder, manifest, installManifest, manager } = project;
  const { 'heroku-prebuild': before = '', 'heroku-cleanup': after = '' } = buildScriptsOf(manifest);
  if (before + after !== '') return true;
  const builds = settings.build ?? (await buildCommands(project, managerCommands(manager, ''))).length > 0;
  if (builds) return true;
  if (settings.install !== undefined) return settings.install !== '';
  const lines = await processLines(folder, manifest, settings);
  const keepsDevelopment = hasVariables || mayUseDevelopment(lines, installManifest);
  return (await installPlan(project, { node: process.version, variables: {}, keepsDevelopment })) !== undefined;
}

/** Returns what is started, as a setting. */
export function startedBy(start: StartCommand | undefined): Settings {
  if (start === undefined) return {};
  return start.site === undefined ? { start: start.text } : { output: start.site };
}

/** Throws an Error with one sentence where AWS Lambda has no program for the start, before minutes of building. */
export function checkLanguage({ manifest }: Project, { web }: Procfile, settings: Settings): void {
  const scripts = stringsIn(manifest, 'scripts');
  const command = settings.start ?? web ?? scripts.start ?? '';
  const program = otherLanguage(command, scripts);
  if (program === undefined) return;
  throw new Error(
    `On AWS Lambda an application is started by Node, and "${command}" runs ${program}: deploy it on one machine, or let "start" run Node.`,
  );
}
