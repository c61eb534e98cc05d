import { type Entry, idOf, LARGEST_PAGE, numberOf } from '../../client/entry.ts';
import { Failure, UsageError } from '../errors.ts';
import type { Api } from './api.ts';
import { logPage, oneEntry } from './entry.ts';

/** An entry that is older is named by its address or its whole id. */
const MAX_SEARCHED = 1000;

/**
 * Returns the entry that the user names: by its number (`12`, `#12`), by at least the first 8 digits of its id, or by
 * its address.
 *
 * @throws UsageError for another text; Failure when there is no such entry
 */
export async function findEntry(api: Api, name: string): Promise<Entry> {
  const id = /(?:^|\/changes\/)([0-9a-f]{32})\/?(?:\?.*)?$/.exec(name)?.[1];
  if (id !== undefined) return oneEntry(api, id);
  // Eight digits may be both; numbers of that size are not reached.
  const number = /^#?(\d{1,7})$/.exec(name)?.[1];
  if (number === undefined && !/^[0-9a-f]{8,31}$/.test(name)) {
    throw new UsageError(
      `"${name}" names no entry: give its number (#12), the first 8 digits of its id, or its address.`,
    );
  }
  return search(api, name, (entry) =>
    number === undefined ? idOf(entry).startsWith(name) : numberOf(entry) === Number(number),
  );
}

async function search(api: Api, name: string, matches: (entry: Entry) => boolean): Promise<Entry> {
  for (let skip = 0; skip < MAX_SEARCHED; skip += LARGEST_PAGE) {
    const { rows, total } = await logPage(api, { skip });
    const found = rows.find(matches);
    if (found) return found;
    if (skip + LARGEST_PAGE >= total) break;
  }
  throw new Failure(`There is no entry "${name}" in the log of ${api.service.user}: "hooks status" lists the entries.`);
}
