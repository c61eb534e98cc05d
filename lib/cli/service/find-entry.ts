import { type Entry, idOf, LARGEST_PAGE, numberOf } from '../../client/entry.ts';
import { packageName } from '../apps/app-name.ts';
import type { Call } from '../command.ts';
import { Failure, UsageError } from '../errors.ts';
import { type Api, Refusal } from './api.ts';
import { logPage, oneEntry } from './entry.ts';

/** An entry that is older is named by its address or its whole id. */
const MAX_SEARCHED = 1000;

/** How the commands that take an entry or an application describe their argument. */
export const entryOrApp = (newest: string) =>
  `an entry, by its number (#12), id or address, or an application: its newest ${newest}; default: that of this folder's application, else of all`;

/** An entry that is chosen among the newest. */
interface Wanted {
  readonly matches: (entry: Entry) => boolean;
  /** What to say when there is none; of one application, or of all. */
  readonly none: (app: string | undefined) => string;
}

/**
 * Returns the entry that the first argument names, else the newest that matches, of the application that it or `--app`
 * names or of this folder's. A folder that is not deployed may have a package.json too: then the newest of all is meant.
 *
 * @throws UsageError for two names of applications; Failure when there is no such entry
 */
export async function chosenEntry({ args, folder }: Call, api: Api, { matches, none }: Wanted): Promise<Entry> {
  const named = args.at(0);
  if (named !== undefined && whereNamed(named) !== null) return findEntry(api, named);
  const option = args.text('app');
  if (named !== undefined && option !== undefined && named !== option) {
    throw new UsageError(`One application can be named, not ${named} and ${option}.`);
  }
  const app = named ?? option;
  const ofFolder = app ?? (await packageName(folder)) ?? undefined;
  const ofOwn = ofFolder === undefined ? [] : await rowsOf(api, ofFolder);
  const isOfOne = app !== undefined || ofOwn.length > 0;
  const entry = (isOfOne ? ofOwn : (await logPage(api)).rows).find(matches);
  if (entry) return entry;
  throw new Failure(none(isOfOne ? ofFolder : undefined));
}

/** Returns the newest entries of an application; none for one that is not in the log. */
async function rowsOf(api: Api, app: string): Promise<readonly Entry[]> {
  const { rows } = await logPage(api, { app }).catch((error) => {
    if (error instanceof Refusal && error.code === 'status:db:not_found') return { rows: [] };
    throw error;
  });
  return rows;
}

/**
 * Returns the entry that the user names: by its number (`12`, `#12`), by at least the first 8 digits of its id, or by
 * its address.
 *
 * @throws UsageError for another text; Failure when there is no such entry
 */
export async function findEntry(api: Api, name: string): Promise<Entry> {
  const where = whereNamed(name);
  if (where === null) {
    throw new UsageError(
      `"${name}" names no entry: give its number (#12), the first 8 digits of its id, or its address.`,
    );
  }
  return 'id' in where ? oneEntry(api, where.id) : search(api, name, where.matches);
}

/** Returns how an entry of that name is found; null for a text that can be the name of none. */
function whereNamed(name: string): { readonly id: string } | Pick<Wanted, 'matches'> | null {
  const id = /(?:^|\/changes\/)([0-9a-f]{32})\/?(?:\?.*)?$/.exec(name)?.[1];
  if (id !== undefined) return { id };
  // Eight digits may be both; numbers of that size are not reached.
  const number = /^#?(\d{1,7})$/.exec(name)?.[1];
  if (number !== undefined) return { matches: (entry) => numberOf(entry) === Number(number) };
  return /^[0-9a-f]{8,31}$/.test(name) ? { matches: (entry) => idOf(entry).startsWith(name) } : null;
}

async function search(api: Api, name: string, matches: (entry: Entry) => boolean): Promise<Entry> {
  for (let skip = 0; skip < MAX_SEARCHED; skip += LARGEST_PAGE) {
    const { rows, total } = await logPage(api, { skip });
    const row = rows.find(matches);
    if (row) return row;
    if (skip + LARGEST_PAGE >= total) break;
  }
  throw new Failure(`There is no entry "${name}" in the log of ${api.service.user}: "hooks status" lists the entries.`);
}
