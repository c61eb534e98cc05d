import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { exitOf, shellQuote } from '../../../lib/process/command.ts';
import type { GroupRegistry } from '../../../lib/process/group-registry.ts';
import { endGroup } from '../../../lib/process/process-group.ts';
import { eachLine } from '../invoke/log-lines.ts';
import { type Buildspec, PHASES, type PhaseName } from './buildspec.ts';

/** The context of a build's phases. */
export interface PhaseRun {
  readonly buildspec: Buildspec;
  /** A folder of this build. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly groups: Pick<GroupRegistry, 'add' | 'remove'>;
  readonly line: (text: string) => void;
  /** Ends the phase that runs, and lets no other begin. */
  readonly signal: AbortSignal;
  readonly began: (phase: PhaseName) => void;
  readonly ended: (phase: PhaseName, failure: string | undefined) => void;
}

const GRACE_MS = 500;
/** The folder of Node in the image. */
const NODE_OF_IMAGE = '/var/lang/bin';

/**
 * Runs the phases of a buildspec as CodeBuild does: after a failed one nothing else runs, except that `post_build`
 * follows a failed `build`, and that `on-failure` says otherwise. Returns whether all succeeded.
 *
 * @see https://docs.aws.amazon.com/codebuild/latest/userguide/view-build-details-phases.html
 */
export async function runPhases(run: PhaseRun): Promise<boolean> {
  const failed: PhaseName[] = [];
  let aborted = false;
  for (const name of PHASES) {
    const phase = run.buildspec.phases[name];
    if (!phase || aborted || run.signal.aborted) continue;
    run.began(name);
    const now = { ...run, succeeds: failed.length === 0 };
    const failure = await runCommands(now, phase.commands);
    const last = phase.finally.length > 0 ? await runCommands(now, phase.finally) : undefined;
    run.ended(name, failure ?? last);
    if ((failure ?? last) === undefined) continue;
    failed.push(name);
    const onFailure = phase['on-failure'] ?? (name === 'build' ? 'CONTINUE' : 'ABORT');
    aborted = onFailure === 'ABORT';
  }
  return failed.length === 0 && !run.signal.aborted;
}

/** Returns why the commands failed, in CodeBuild's words; undefined when they did not. */
async function runCommands(
  run: PhaseRun & { readonly succeeds: boolean },
  commands: readonly string[],
): Promise<string | undefined> {
  const { buildspec, folder, environment, groups, line, signal, succeeds } = run;
  const state = phaseState(folder);
  const script = join(folder, 'script');
  const source = environment.CODEBUILD_SRC_DIR ?? folder;
  await mkdir(source, { recursive: true });
  const here = commands.map((command) => command.replaceAll(NODE_OF_IMAGE, dirname(process.execPath)));
  await writeFile(script, phaseScript(here, state, succeeds));
  const child = spawn(join('/bin', basename(buildspec.env.shell)), [script], {
    cwd: source,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment,
  });
  for (const stream of [child.stdout, child.stderr]) eachLine(stream, line);
  const { pid } = child;
  if (pid === undefined) return `${buildspec.env.shell} could not be started on this machine`;
  groups.add(pid, 'a build');
  const end = () => void endGroup(pid, GRACE_MS);
  signal.addEventListener('abort', end);
  // The build may have been stopped while the command was started.
  if (signal.aborted) end();
  const { code } = await exitOf(child);
  signal.removeEventListener('abort', end);
  // What a command left running in the background ends with its phase.
  await endGroup(pid, GRACE_MS);
  groups.remove(pid);
  if (code === 0) return undefined;
  const index = Number(await readFile(state.command, 'utf8').catch(() => '0'));
  const reason = `exit status ${code ?? 'unknown'}`;
  line(`[Container] ${stamp()} Command did not exit successfully ${commands[index]} ${reason}`);
  return `Error while executing command: ${commands[index]}. Reason: ${reason}`;
}

/** The time as CodeBuild prints it. */
export function stamp(): string {
  return new Date().toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ');
}

/** Files by which the phases of a build follow each other. */
interface PhaseState {
  /** The exported variables, as commands of the shell. */
  readonly variables: string;
  readonly folder: string;
  /** The number of the command that runs. */
  readonly command: string;
}

/** Returns the files in a folder. */
function phaseState(folder: string): PhaseState {
  return { variables: join(folder, 'variables'), folder: join(folder, 'folder'), command: join(folder, 'command') };
}

/**
 * Returns the script of a phase: its commands one after another in one shell, up to the first that fails. It starts in
 * the folder and with the exported variables in which the last phase ended.
 *
 * @param succeeds whether the phases so far have succeeded
 */
function phaseScript(commands: readonly string[], state: PhaseState, succeeds: boolean): string {
  const variables = shellQuote(state.variables);
  const folder = shellQuote(state.folder);
  const command = shellQuote(state.command);
  const keep = `__status=$?; export -p > ${variables}; pwd > ${folder}; exit "$__status"`;
  const lines = commands.flatMap((text, index) => [
    `echo ${index} > ${command}`,
    `printf '[Container] %s Running command %s\\n' "$(date -u '+%Y/%m/%d %H:%M:%S')" ${shellQuote(text)}`,
    text,
    '__status=$?; [ "$__status" -eq 0 ] || exit "$__status"',
  ]);
  return [
    `[ ! -f ${variables} ] || . ${variables}`,
    `[ ! -f ${folder} ] || cd "$(cat ${folder})"`,
    `export CODEBUILD_BUILD_SUCCEEDING=${succeeds ? 1 : 0}`,
    `trap ${shellQuote(keep)} EXIT`,
    ...lines,
    '',
  ].join('\n');
}
