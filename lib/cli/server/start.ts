import type { CommandDefinition } from '../command.ts';
import { UsageError } from '../errors.ts';

/** `bin/hooks.mjs` runs the service itself: here are its help, and the refusal of arguments. */
export const start: CommandDefinition = {
  name: 'start',
  summary: 'Run the service on this machine, until Ctrl-C',
  details: `The same as "npm start" in a checkout. PORT (8080) and DATA_DIR choose others; the default of DATA_DIR is ".local" of the
checkout, or ~/.local/share/deployment-webhooks for a package.`,
  examples: [
    ['hooks start', 'at http://127.0.0.1:8080'],
    ['PORT=9000 DATA_DIR=/var/lib/hooks hooks start', 'elsewhere'],
  ],
  run: async () => {
    throw new UsageError('start takes no arguments.');
  },
};
