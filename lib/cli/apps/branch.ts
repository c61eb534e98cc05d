import { ChangedSettings, Settings } from '../../../functions/api/shapes/applications.ts';
import { printableJson } from '../../terminal/printable.ts';
import { APP_ARGUMENT, type CommandDefinition, EXIT, JSON_OPTION, SERVICE_OPTIONS } from '../command.ts';
import { parsed } from '../service/api.ts';
import { findApp } from './app-name.ts';

export const branch: CommandDefinition = {
  name: 'branch',
  summary: 'Show the branch that an application follows, or have it follow another one',
  details:
    'It follows the branch that was pushed first; pushes of others are refused. To deploy one beside it, see --environment of "hooks hook".',
  args: [APP_ARGUMENT, { name: '[branch]', about: 'the branch to follow from now on; nothing is deployed by that' }],
  options: [JSON_OPTION, ...SERVICE_OPTIONS],
  examples: [
    ['hooks branch shop', 'what it follows'],
    ['hooks branch shop staging', 'the next push of staging is deployed'],
  ],
  run: async (call) => {
    const { client, path, app } = await findApp(call);
    const wanted = call.args.at(1);
    const change = wanted === undefined ? {} : { method: 'PATCH', body: { branch: wanted } };
    const sent = await client.call({ ...change, path: [...path, 'settings'] });
    const { branch: followed } = parsed(Settings, sent);
    const none = `${app} follows no branch before its first push.`;
    if (call.args.flag('json')) call.print(printableJson(sent));
    else if (followed === null) call.warn(none);
    else call.print(followed);
    if (wanted !== undefined) call.warn(parsed(ChangedSettings, sent).next);
    return EXIT.ok;
  },
};
