import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { exitOf } from '../../../lib/process/command.ts';
import type { GroupRegistry } from '../../../lib/process/group-registry.ts';
import { endGroup } from '../../../lib/process/process-group.ts';
import { eachLine } from '../invoke/log-lines.ts';
import { type Buildspec, PHASES, type PhaseName } from './buildspec.ts';
import { phaseScript, phaseState } from './phase-script.ts';

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
