import { hasEnded, idOf, numberOf } from '../../client/entry.ts';
import { appName } from '../apps/app-name.ts';
import { APP_ARGUMENT, type Call, type CommandDefinition } from '../command.ts';
import { api } from '../service/api.ts';
import { entryOf } from '../service/entry.ts';
import { findEntry } from '../service/find-entry.ts';
import { findService } from '../service/find-service.ts';
import { follow, OPERATION_OPTIONS, operate } from './operation.ts';

export const restart = onApp({
  name: 'restart',
  summary: 'Start an application again, also one that was stopped or has crashed',
  details: 'The old process keeps answering until the new one does.',
  examples: [['hooks restart shop', 'ends when shop answers again']],
});

export const stop = onApp(
  {
    name: 'stop',
    summary: 'Stop an application; its releases, variables and log stay',
    details: '"hooks restart" starts it again, and so does the next push.',
    examples: [['hooks stop shop', 'its address stays, and answers 503']],
  },
  (app) => `${app} is stopped.`,
);

export const redeploy = onApp({
  name: 'redeploy',
  summary: 'Deploy the commit of the newest deploy once more, from the repository host',
  details: 'Also of one that failed: tries it again without a push. It does not wait for CI.',
  examples: [['hooks redeploy shop', 'builds and starts the same commit of shop again']],
});

export const release: CommandDefinition = {
  name: 'release',
  summary: 'Deploy a push that is held for CI, without waiting any longer',
  details: '"hooks status" shows which entries are held, and what for.',
  args: [{ name: '<entry>', about: 'the held entry: its number (#12), id or address' }],
  options: OPERATION_OPTIONS,
  examples: [['hooks release 12', 'deploys #12 and follows it']],
  run: async (call) => {
    const client = api(await findService(call), call.signal);
    const id = idOf(await findEntry(client, call.args.at(0) ?? ''));
    const path = ['status', client.service.user, 'changes', id, 'release'];
    const entry = entryOf(await client.send('POST', { path }));
    if (!hasEnded(entry)) return follow(call, client, entry);
    throw new Error(`#${numberOf(entry)} is not held: it is ${entry.status}.`);
  },
};

/** Returns a command that is the operation of its name on one application. */
function onApp(
  definition: Pick<CommandDefinition, 'name' | 'summary' | 'details' | 'examples'>,
  done: (app: string) => string | undefined = () => undefined,
): CommandDefinition {
  const run = async (call: Call) => {
    const client = api(await findService(call), call.signal);
    const app = await appName(call);
    const request = { path: ['apps', client.service.user, app, definition.name] };
    const sentence = done(app);
    return operate(call, client, { request, ...(sentence !== undefined && { done: sentence }) });
  };
  return { ...definition, args: [APP_ARGUMENT], options: OPERATION_OPTIONS, run };
}
