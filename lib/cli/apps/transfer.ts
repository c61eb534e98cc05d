import { Transferred } from '../../../functions/api/shapes/applications.ts';
import { printableJson } from '../../terminal/printable.ts';
import { type CommandDefinition, EXIT, JSON_OPTION, SERVICE_OPTIONS } from '../command.ts';
import { UsageError } from '../errors.ts';
import { parsed } from '../service/api.ts';
import { findApi } from '../service/find-service.ts';

export const transfer: CommandDefinition = {
  name: 'transfer',
  summary: 'Give an application to another repository, with its variables, domains and data',
  details: 'A repository that was renamed at its host is known again by its id, and needs no transfer.',
  args: [
    { name: '<application>', about: 'the application' },
    { name: '<repository>', about: 'the host, owner and name of the repository: github/ann/shop' },
  ],
  options: [
    { flags: '--path <folder>', about: 'the folder of the application in the repository; by default its root' },
    JSON_OPTION,
    ...SERVICE_OPTIONS,
  ],
  examples: [['hooks transfer shop github/ann/store', 'the next push to it is deployed']],
  run: async (call) => {
    const { args, print, warn } = call;
    const [host, ...place] = (args.at(1) ?? '').split('/');
    const name = place.pop();
    if (!host || !name || place.length === 0) {
      throw new UsageError('The repository is written as <host>/<owner>/<name>, such as github/ann/shop.');
    }
    const client = await findApi(call);
    const path = args.text('path');
    const repository = { host, owner: place.join('/'), name, ...(path !== undefined && { path }) };
    const sent = await client.call({
      method: 'POST',
      path: ['apps', client.user, args.at(0) ?? '', 'transfer'],
      body: { repository },
    });
    const { next } = parsed(Transferred, sent);
    if (args.flag('json')) print(printableJson(sent));
    warn(next);
    return EXIT.ok;
  },
};
