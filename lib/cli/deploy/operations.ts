import { type Entry, hasEnded, idOf, numberOf, subjectOf } from '../../client/entry.ts';
import { appName, findApp } from '../apps/app-name.ts';
import { confirmName } from '../ask.ts';
import {
  APP_ARGUMENT,
  APP_OPTION,
  type Call,
  type CommandDefinition,
  EXIT,
  JSON_OPTION,
  SERVICE_OPTIONS,
} from '../command.ts';
import type { Api } from '../service/api.ts';
import { allApplications, oneApplication } from '../service/application.ts';
import { entryJson, entryOf } from '../service/entry.ts';
import { chosenEntry, entryOrApp, findEntry } from '../service/find-entry.ts';
import { findApi } from '../service/find-service.ts';
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

export const redeploy: CommandDefinition = {
  name: 'redeploy',
  summary: 'Deploy the commit of the newest deploy once more, from the repository host',
  details: 'Also of one that failed: tries it again without a push. It does not wait for CI.',
  args: [APP_ARGUMENT],
  options: [
    { flags: '--clean', about: 'install and build without modules and caches of earlier builds' },
    ...OPERATION_OPTIONS,
  ],
  examples: [
    ['hooks redeploy shop', 'builds and starts the same commit of shop again'],
    ['hooks redeploy shop --clean', 'installs all of its packages again'],
  ],
  run: async (call) => {
    const { client, path } = await findApp(call);
    const query = { clean: call.args.flag('clean') || undefined };
    return operate(call, client, { request: { path: [...path, 'redeploy'], query } });
  },
};

export const release: CommandDefinition = {
  name: 'release',
  summary: 'Deploy a push that is held for CI, without waiting any longer',
  details: '"hooks status" shows which entries are held, and what for.',
  args: [{ name: '[entry]', about: entryOrApp('held one') }],
  options: [APP_OPTION, ...OPERATION_OPTIONS],
  examples: [
    ['hooks release 12', 'deploys #12 and follows it'],
    ['hooks release shop', 'deploys the push of shop that was held last'],
  ],
  run: async (call) => {
    const client = await findApi(call);
    const id = idOf(
      await chosenEntry(call, client, {
        matches: ({ status }) => status === 'held',
        none: (app) => `No deploy${ofApp(app)} is held: there is nothing to release.`,
      }),
    );
    const path = ['status', client.user, 'changes', id, 'release'];
    const entry = entryOf(await client.call({ method: 'POST', path }));
    if (!hasEnded(entry)) return follow(call, client, entry);
    throw new Error(`#${numberOf(entry)} is not held: it is ${entry.status}.`);
  },
};

export const rollback: CommandDefinition = {
  name: 'rollback',
  summary: 'Go back to the deploy before, or to the one of an entry',
  details: `Starts what was built then; the repository host is not needed. The next push replaces it. "hooks apps --json"
lists the entries that an application can go back to.`,
  args: [{ name: '[entry]', about: 'the entry to go back to; default: the deploy before the live one' }],
  options: [APP_OPTION, ...OPERATION_OPTIONS],
  examples: [
    ['hooks rollback', "the application of this folder's package.json, one deploy back"],
    ['hooks rollback 12', 'the application of entry #12, to what that entry deployed'],
  ],
  run: async (call) => {
    const { args } = call;
    const client = await findApi(call);
    const name = args.at(0);
    const entry = name === undefined ? null : await findEntry(client, name);
    const app = await appName(call, args.app() ?? (entry && (await keeperOf(client, entry))) ?? undefined);
    const query = { to: entry ? idOf(entry) : undefined };
    return operate(call, client, { request: { path: ['apps', client.user, app, 'rollback'], query } });
  },
};

/** Returns the application that can go back to an entry, which may have been renamed since; else that of the entry. */
async function keeperOf(client: Api, entry: Entry): Promise<string | null> {
  const { apps } = await allApplications(client);
  const keeper = apps.find(({ rollback }) => rollback.some((one) => idOf(one) === idOf(entry)));
  return keeper?.name ?? entry.app_name;
}

export const cancel: CommandDefinition = {
  name: 'cancel',
  summary: 'End a deploy that is queued, held or running, with its build',
  details: 'What was live stays live. A deploy whose application is being started cannot be cancelled.',
  args: [{ name: '[entry]', about: entryOrApp('unfinished one') }],
  options: [APP_OPTION, JSON_OPTION, ...SERVICE_OPTIONS],
  examples: [
    ['hooks cancel', 'ends the deploy that was pushed last'],
    ['hooks cancel shop', 'ends the one of shop'],
    ['hooks cancel 12', 'ends #12'],
  ],
  run: async (call) => {
    const client = await findApi(call);
    const id = idOf(
      await chosenEntry(call, client, {
        matches: (entry) => !hasEnded(entry),
        none: (app) => `No deploy${ofApp(app)} is unfinished: there is nothing to cancel.`,
      }),
    );
    const path = ['status', client.user, 'changes', id, 'cancel'];
    const entry = entryOf(await client.call({ method: 'POST', path }));
    call.print(
      call.args.flag('json') ? entryJson(entry) : `#${numberOf(entry)} ${subjectOf(entry)} is ${entry.status}.`,
    );
    return EXIT.ok;
  },
};

const ofApp = (app: string | undefined) => (app === undefined ? '' : ` of ${app}`);

export const rename: CommandDefinition = {
  name: 'rename',
  summary: 'Give an application another name, with its variables, domains and data',
  details:
    'The name is that of package.json. It is started again, with the new name in its address where that has one.',
  args: [
    { name: '<application>', about: 'the application' },
    { name: '<name>', about: 'its new name, as package.json has it' },
  ],
  options: OPERATION_OPTIONS,
  examples: [['hooks rename shop store', 'before the commit that names the package store, or after it was refused']],
  run: async (call) => {
    const client = await findApi(call);
    const [app = '', name = ''] = [call.args.at(0), call.args.at(1)];
    const request = { path: ['apps', client.user, app, 'rename'], body: { name } };
    return operate(call, client, { request, done: `${app} is ${name} now.` });
  },
};

export const remove: CommandDefinition = {
  name: 'remove',
  summary: 'Remove an application with its releases, variables and files',
  details:
    'Asks for its name. The repository and the entries of the log stay; the name is free for another repository.',
  args: [APP_ARGUMENT],
  options: [{ flags: '--yes', about: 'do not ask' }, ...OPERATION_OPTIONS],
  examples: [
    ['hooks remove shop', 'asks to type "shop"'],
    ['hooks remove shop --yes', 'in a script'],
  ],
  run: async (call) => {
    const client = await findApi(call);
    const { name } = await oneApplication(client, await appName(call));
    await confirmName(call, name, `This removes ${name}, its variables and its files.`);
    const request = { method: 'DELETE', path: ['apps', client.user, name] };
    return operate(call, client, { request, done: `${name} is removed.` });
  },
};

/** Returns a command that is the operation of its name on one application. */
function onApp(
  definition: Pick<CommandDefinition, 'name' | 'summary' | 'details' | 'examples'>,
  done?: (app: string) => string,
): CommandDefinition {
  const run = async (call: Call) => {
    const { client, path, app } = await findApp(call);
    return operate(call, client, { request: { path: [...path, definition.name] }, done: done?.(app) });
  };
  return { ...definition, args: [APP_ARGUMENT], options: OPERATION_OPTIONS, run };
}
