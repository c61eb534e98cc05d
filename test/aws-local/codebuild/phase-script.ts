import { join } from 'node:path';
import { shellQuote } from '../../../lib/process/command.ts';

/** Files by which the phases of a build follow each other. */
export interface PhaseState {
  /** The exported variables, as commands of the shell. */
  readonly variables: string;
  readonly folder: string;
  /** The number of the command that runs. */
  readonly command: string;
}

/** Returns the files in a folder. */
export function phaseState(folder: string): PhaseState {
  return { variables: join(folder, 'variables'), folder: join(folder, 'folder'), command: join(folder, 'command') };
}

/**
 * Returns the script of a phase: its commands one after another in one shell, up to the first that fails. It starts in
 * the folder and with the exported variables in which the last phase ended.
 *
 * @param succeeds whether the phases so far have succeeded
 */
export function phaseScript(commands: readonly string[], state: PhaseState, succeeds: boolean): string {
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
