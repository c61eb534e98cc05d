import { followChanges } from '../changes-client/changes-client.ts';
import type { Command, CommandContext } from '../command.ts';
import { changeLine } from './change-line.ts';
import { readOptions } from './options.ts';
import { thisMachine } from './this-machine.ts';

/**
 * `watch [<application>]`: prints a line for each change as it happens, or with `--json` the rows themselves, until it is
 * interrupted (exit code 0). Reconnects by itself; a refused login or address ends it with an error.
 */
export const watch: Command = async (args, context) => {
  const { env, print, warn = () => {}, signal = interrupted() } = context;
  const { service, since, app, json } = readOptions(args, env);
  const changes = followChanges({
    ...(service ?? (await thisMachine(env))),
    since,
    ...(app !== undefined && { app }),
    // Past changes are printed with their own times, which are in the documents only.
    includeDocs: json || since === 'now' ? 'auto' : 'true',
    signal,
    onInterruption: (cause) => warn(`The stream of changes is interrupted (${cause}); trying again.`),
  });
  const colour = usesColour(context);
  for await (const row of changes) print(json ? JSON.stringify(row) : changeLine(row, { colour, seenAt: new Date() }));
  return 0;
};

/** https://no-color.org */
function usesColour({ terminal, env }: CommandContext): boolean {
  return terminal === true && !env.NO_COLOR;
}

/** Aborts on Ctrl-C and when the reader of the output has closed it (`| head`); a second Ctrl-C ends the process. */
function interrupted(): AbortSignal {
  const ending = new AbortController();
  process.once('SIGINT', () => ending.abort());
  process.stdout.on('error', () => ending.abort());
  return ending.signal;
}
