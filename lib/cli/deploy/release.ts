import { idOf } from '../../client/entry.ts';
import type { CommandDefinition } from '../command.ts';
import { api } from '../service/api.ts';
import { findEntry } from '../service/find-entry.ts';
import { findService } from '../service/find-service.ts';
import { OPERATION_OPTIONS, operate } from './operation.ts';

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
    return operate(call, client, { request: { path: ['status', client.service.user, 'changes', id, 'release'] } });
  },
};
