import { followChanges } from '../changes-client/changes-client.ts';
import type { Command, CommandContext } from '../command.ts';
import { changeLine } from './change-line.ts';
import { readOptions } from './options.ts';
import { thisMachine } from './this-machine.ts';

/**
 * `watch [<application>]`: prints a line for each change as it happens, or with `--json` the rows themselves, until the
 * user ends it (0). Reconnects by itself; a login or an address that is refused ends it with an error.
 */
export const watch: Command = async (args, context) => {
  const { env, print, warn = () => {}, signal = interrupted() } = context;
  const { service, since, app, json } = readOptions(args, env);
  const changes = followChanges({
    ...(service ?? (await thisMachine(env))),
    since,
    ...(app !== undefined && { app }),
    // Changes of the past are drawn with their own times, which only the documents know.
    includeDocs: json || since === 'now' ? 'auto' : 'true',
    signal,
    onTrouble: (why) => warn(`No changes come at the moment (${why}); trying again until they do.`),
  });
  const colour = hasColour(context);
  for await (const row of changes) print(json ? JSON.stringify(row) : changeLine(row, { colour, seenAt: new Date() }));
  return 0;
};

/** https://no-color.org */
function hasColour({ terminal, env }: CommandContext): boolean {
  return terminal === true && !env.NO_COLOR;
}

/** Ctrl-C, and a reader of the output that has gone (`| head`), end the watching; a second Ctrl-C ends the process. */
function interrupted(): AbortSignal {
  const ending = new AbortController();
  process.once('SIGINT', () => ending.abort());
  process.stdout.on('error', () => ending.abort());
  return ending.signal;
}
