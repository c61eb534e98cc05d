import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { nameFor } from '../../../core/entry/app-owner.ts';
import { type Entry, isFinal } from '../../../core/entry/entry.ts';
import { isDeploy } from '../../../core/entry/kinds.ts';
import { type Badge, badgeOf } from '../../../core/entry/outcome.ts';
import { type Item, keys, N, numberIn, S, stringIn, type UnderWay } from './items.ts';
import { readEntry, readItem, type TableContext } from './table.ts';

/** An entry before a transition, and what it is counted as so far. */
interface CountedEntry {
  readonly entry: Entry;
  readonly counted: UnderWay | null;
}

interface Clause {
  readonly verb: 'SET' | 'ADD' | 'REMOVE';
  readonly text: string;
  readonly values?: Item;
}

/** Returns what an entry counts as; null for one that has ended or deploys nothing. */
export function underWay(entry: Entry): UnderWay | null {
  if (!entry.repository || !isDeploy(entry) || isFinal(entry.status)) return null;
  return entry.status === 'held' ? 'held' : 'deploying';
}

/**
 * Returns the update of the badge of an entry's repository, none when nothing of it changes; `before` is null for a new
 * entry. The item counts the unfinished entries and names the newest, so that its size does not grow with them;
 * `outcome` is the result of the last one that ended with a result. After an entry that ends without a result (skipped,
 * superseded), the badge shows the previous result again. An application in a folder of its repository has a badge of
 * its own besides that of the repository.
 */
export function badgeUpdate(table: string, entry: Entry, before: CountedEntry | null): TransactWriteItem[] {
  const { user, repository, path } = entry;
  if (!repository || !isDeploy(entry)) return [];
  const clauses = [...countClauses(entry, before), ...outcomeClauses(entry, before)];
  if (clauses.length === 0) return [];
  const update = expression(clauses);
  const name = nameFor(repository.name, entry);
  const paths = path === undefined ? [undefined] : [undefined, path];
  return paths.map((one) => ({ Update: { TableName: table, Key: keys.badge(user, name, one), ...update } }));
}

/** Every transition is written once, so that the counts are exact. */
function countClauses(entry: Entry, before: CountedEntry | null): Clause[] {
  const from = before?.counted ?? null;
  const to = underWay(entry);
  if (from === to) return [];
  return [
    ...(before ? [] : [{ verb: 'SET', text: 'newest = :newest', values: { ':newest': N(entry.number) } } as const]),
    ...(from ? [{ verb: 'ADD', text: `${from} :less`, values: { ':less': N(-1) } } as const] : []),
    ...(to ? [{ verb: 'ADD', text: `${to} :more`, values: { ':more': N(1) } } as const] : []),
  ];
}

/** A crash does not replace the outcome of the deploy: after it, the badge shows that outcome again. */
function outcomeClauses(entry: Entry, before: CountedEntry | null): Clause[] {
  const badge = badgeOf(entry);
  if (badge === null || (before && badge === badgeOf(before.entry))) return [];
  const set = (text: string): Clause => ({ verb: 'SET', text, values: { ':badge': S(badge) } });
  if (badge === 'crashed') return [set('crashed = :badge')];
  if (badge === 'failed') return [set('outcome = :badge')];
  if (badge !== 'ok') return [];
  // After a crash, `ok` is not the result of a deploy: a later one may have failed.
  const outcome = entry.appEvent === undefined ? ':badge' : 'if_not_exists(outcome, :badge)';
  return [set(`outcome = ${outcome}`), { verb: 'REMOVE', text: 'crashed' }];
}

function expression(clauses: readonly Clause[]) {
  const ofVerb = (wanted: Clause['verb']) => {
    const texts = clauses.flatMap(({ verb, text }) => (verb === wanted ? [text] : []));
    return texts.length > 0 ? [`${wanted} ${texts.join(', ')}`] : [];
  };
  return {
    UpdateExpression: [...ofVerb('SET'), ...ofVerb('ADD'), ...ofVerb('REMOVE')].join(' '),
    ExpressionAttributeValues: Object.assign({}, ...clauses.map(({ values }) => values)) as Item,
  };
}

/**
 * Returns the badge of a repository, or of the application in that folder of it: that of the unfinished entries, or
 * else a crash, or else the last result. Of those that deploy and those that are held, the newest entry decides; when
 * it has ended, those that deploy.
 */
export async function readBadge(
  context: TableContext,
  { user, repository, path }: { readonly user: string; readonly repository: string; readonly path: string | undefined },
): Promise<Badge> {
  const item = await readItem(context, keys.badge(user, repository, path));
  const deploys = (numberIn(item, 'deploying') ?? 0) > 0;
  const holds = (numberIn(item, 'held') ?? 0) > 0;
  if (deploys && holds) {
    const newest = await readEntry(context, user, numberIn(item, 'newest') ?? 0);
    return (newest && underWay(newest)) ?? 'deploying';
  }
  if (deploys) return 'deploying';
  if (holds) return 'held';
  return (stringIn(item, 'crashed') ?? stringIn(item, 'outcome') ?? 'unknown') as Badge;
}
