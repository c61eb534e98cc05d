import type { Settings } from '../../../functions/core/apps/settings.ts';
import { procfileIn, type StartCommand, type StartManifest, scriptCommand, startCommand } from './start-command.ts';

/** The processes of an application, by the names of their lines in the Procfile. */
export interface ProcessTypes {
  /** The one that gets the traffic; undefined for an application that only works in the background. */
  readonly web: StartCommand | undefined;
  /** All others but `release`, which is a step of the build. */
  readonly others: Readonly<Record<string, StartCommand>>;
}

/**
 * Returns what runs of the application in a folder: `web` as `startCommand` finds it, and the other lines of its
 * Procfile. With such lines there may be no `web`, and what one of them runs is not taken for it: `main` of the
 * package.json of a lone worker names the worker. Throws an Error with one sentence when there is nothing to start.
 */
export async function processTypes(folder: string, manifest: StartManifest, settings: Settings): Promise<ProcessTypes> {
  const { web, release: _, ...lines } = await procfileIn(folder);
  const others = Object.fromEntries(Object.entries(lines).map(([type, line]) => [type, scriptCommand(line)]));
  const { start = web, output } = settings;
  if (start === '' && Object.keys(others).length > 0) return { web: undefined, others };
  if (start !== undefined || output !== undefined || Object.keys(others).length === 0)
    return { web: await startCommand(folder, manifest, settings), others };
  const command = await startCommand(folder, manifest, settings).catch(() => undefined);
  const isAnothers = command && Object.values(lines).some((line) => runs(line, command, manifest));
  return { web: isAnothers ? undefined : command, others };
}

const START_SCRIPT = /^(?:npm|yarn|pnpm)(?: run)? start\b/;

/** Whether a line runs the same file or script as a command that was found without a Procfile. */
function runs(line: string, { program, args, text }: StartCommand, { scripts }: StartManifest): boolean {
  if (line === text || (START_SCRIPT.test(line) && scripts.start !== undefined)) return true;
  const plain = (word: string) => word.replace(/^\.\//, '').replace(/(?:\/index)?(?:\.[cm]?js)?$/, '');
  return (
    program === 'node' &&
    args.length === 1 &&
    line
      .split(/ +/)
      .map(plain)
      .includes(plain(args[0] ?? ''))
  );
}
