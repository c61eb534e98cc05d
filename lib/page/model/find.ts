import type { Application } from '../../client/applications.ts';
import { type Entry, idOf, numberOf, shaOf, subjectOf } from '../../client/entry.ts';
import type { Route } from './route.ts';

/** A view that was found by a part of its words. */
export interface Place {
  readonly to: Pick<Route, 'view'> & Partial<Pick<Route, 'name' | 'query'>>;
  readonly label: string;
  /** The kind of it, for people. */
  readonly kind: string;
}

const COMMANDS: readonly Place[] = [
  { to: { view: 'new' }, label: 'New application', kind: 'Command' },
  { to: { view: 'connect' }, label: 'Connect a repository', kind: 'Command' },
  { to: { view: 'deploys', query: { status: 'failed' } }, label: 'Failed deploys', kind: 'Command' },
  { to: { view: 'deploys' }, label: 'Deploys', kind: 'Command' },
  { to: { view: 'apps' }, label: 'Applications', kind: 'Command' },
  { to: { view: 'settings' }, label: 'Settings: API tokens, repository hosts', kind: 'Command' },
];
const MOST_OF_A_KIND = 6;
/** Entries that are looked through: those before are found by the filters of the list. */
const MOST_ENTRIES = 2_000;

/** Returns the applications, deploys and commands that have a text in their words; of each kind the first few. */
export function placesWith(text: string, apps: readonly Application[], entries: readonly Entry[]): readonly Place[] {
  const wanted = text.trim().toLowerCase();
  const has = (words: string) => words.toLowerCase().includes(wanted);
  const first = <T>(all: readonly T[], wordsOf: (one: T) => string) =>
    all.filter((one) => has(wordsOf(one))).slice(0, MOST_OF_A_KIND);
  const found = first(apps, ({ name }) => name).map(
    ({ name }): Place => ({
      to: { view: 'app', name },
      label: name,
      kind: 'Application',
    }),
  );
  const deploys = wanted === '' ? [] : first(entries.slice(0, MOST_ENTRIES), wordsOfEntry).map(placeOf);
  return [...found, ...deploys, ...first(COMMANDS, ({ label }) => label)];
}

function wordsOfEntry(entry: Entry): string {
  const { doc, app_name } = entry;
  return [`#${numberOf(entry)}`, app_name, shaOf(entry), doc?.message, doc?.branch].join('\n');
}

function placeOf(entry: Entry): Place {
  const { app_name, doc } = entry;
  const label = [`#${numberOf(entry)}`, app_name ?? subjectOf(entry), doc?.message ?? ''].join(' ').trim();
  return { to: { view: 'deploy', name: idOf(entry) }, label, kind: 'Deploy' };
}
