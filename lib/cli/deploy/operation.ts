import type { ApiRequest } from '../../client/client.ts';
import { type Entry, numberOf } from '../../client/entry.ts';
import { type Call, EXIT, JSON_OPTION, type OptionDefinition, SERVICE_OPTIONS } from '../command.ts';
import { followEntry, report } from '../log/follow-entry.ts';
import type { Api } from '../service/api.ts';
import { entryJson, entryOf } from '../service/entry.ts';

/** The options of all operations: each is recorded as an entry of the log. */
export const OPERATION_OPTIONS: readonly OptionDefinition[] = [
  { flags: '--no-wait', about: 'do not wait for the end' },
  JSON_OPTION,
  ...SERVICE_OPTIONS,
];

/** Something that is done to an application and recorded as an entry. */
interface Operation {
  /** A POST unless it says otherwise. */
  readonly request: ApiRequest;
  /** The sentence after success; default: the application is live, with its address. */
  readonly done?: string | undefined;
}

/** Requests an operation and follows its entry to the end. Returns 0 when it succeeded, else 1. */
export async function operate(call: Call, client: Api, { request, done }: Operation): Promise<number> {
  return follow(call, client, entryOf(await client.call({ method: 'POST', ...request })), done);
}

/** Follows an entry to its end, unless the call has `--no-wait`. Returns 0 when it succeeded, else 1. */
export async function follow(call: Call, client: Api, entry: Entry, done?: string): Promise<number> {
  const { args, print, warn } = call;
  if (args.unlessNo('wait')) return report(call, await followEntry(call, client, entry), done);
  const number = numberOf(entry);
  print(args.flag('json') ? entryJson(entry) : `#${number} is ${entry.status}.`);
  warn(`"hooks watch --exit-status --entry ${number}" waits for it.`);
  return EXIT.ok;
}
