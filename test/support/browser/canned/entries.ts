import { row } from '../../../../functions/api/views.ts';
import { type Entry, type EntryFields, entryId } from '../../../../functions/core/entry/entry.ts';
import { stageNames } from '../../../../functions/core/pipeline/pipeline.ts';
import { draft, MINUTE, repository, SECOND } from '../../entries.ts';

type Row = Record<string, unknown> & { readonly seq: number };
type Patch = Partial<EntryFields> & { readonly minutesAgo: number };

const TOOK_MS = [380, 520, 140, 1900, 460];

/**
 * The log of a user as it looks on an ordinary day, newest first, and the applications; `base` is the service's
 * address.
 */
export function cannedLog(base: string): { readonly rows: readonly Row[]; readonly apps: readonly object[] } {
  const day = theDay();
  const entries = day.map((patch, place) => entryOf(patch, day.length - place, base));
  const rows = entries.map((entry) => row(entry, { base, docs: 'true' }) as Row);
  const live = (name: string) => rows.filter(({ app_name, status }) => app_name === name && status === 'ok');
  const apps = ['billing-api', 'blog', 'docs-site', 'shop'].map((name) => {
    const [active = null, ...rollback] = live(name);
    const state = active ? 'running' : 'never';
    return {
      name,
      repository: { ...repository, owner: 'ann', name },
      branch: 'main',
      state,
      url: active?.url,
      active,
      rollback,
    };
  });
  return { rows, apps };
}

function theDay(): readonly Patch[] {
  return [
    {
      minutesAgo: 0.1,
      ...of('shop', 'Show the discount beside the price (#41)'),
      status: 'running',
      stages: stages(3, 'running'),
    },
    { minutesAgo: 3, ...of('billing-api', 'Read invoices from the database'), ...failed() },
    { minutesAgo: 9, ...of('blog', 'Tag pages, tested by Travis first'), ...held() },
    { minutesAgo: 26, ...of('docs-site', 'Search with highlighted matches'), ...skipped() },
    { minutesAgo: 48, ...live('docs-site', 'Write the getting started guide', 5) },
    { minutesAgo: 130, ...live('shop', 'Prices have a currency', 4) },
    { minutesAgo: 190, ...live('billing-api', 'Invoices as PDF', 3) },
    { minutesAgo: 60 * 25, ...live('blog', 'First post', 2) },
    { minutesAgo: 60 * 26, ...live('shop', 'Sell things', 1) },
  ];
}

function of(name: string, message: string): Partial<EntryFields> {
  return { appName: name, repository: { ...repository, name }, message, branch: 'main' };
}

function live(name: string, message: string, number: number): Partial<EntryFields> {
  const end = {
    status: 'ok',
    stages: stages(5),
    url: `https://${name}.ann.apps.example.com`,
    snapshot: `1.0.0-${number}`,
  };
  return { ...of(name, message), ...end } as Partial<EntryFields>;
}

const NO_DATABASE = 'Error: no database: set DATABASE_URL (server.js:4)';

function failed(): Partial<EntryFields> {
  const error = { code: 'deploy:platform:start_app', status: 500, detail: NO_DATABASE } as const;
  const logTail = [
    'connecting to the database',
    'server.js:4',
    "  throw new Error('no database: set DATABASE_URL');",
    '  ^',
    '',
    'Error: no database: set DATABASE_URL',
    '    at Object.<anonymous> (server.js:4:9)',
  ];
  return { status: 'error', error, reason: NO_DATABASE, stages: stages(5, 'failed'), logTail };
}

function held(): Partial<EntryFields> {
  return {
    status: 'held',
    reason: 'Waiting for Travis CI to call with a passed build of this commit.',
    expiresAt: Date.now() + 51 * MINUTE,
    stages: stages(1),
  };
}

function skipped(): Partial<EntryFields> {
  const reason =
    'The branch is feature/search; only the branch main is deployed. To deploy feature/search, add ?branch=feature%2Fsearch to the webhook’s address.';
  return { status: 'skipped', appName: null, branch: 'feature/search', reason };
}

/** Records of the first stages; times are counted from the beginning of the entry, and moved there later. */
function stages(count: number, last: 'done' | 'running' | 'failed' = 'done'): Entry['stages'] {
  return stageNames.slice(0, count).map((name, place) => {
    const status = place === count - 1 ? last : 'done';
    const startedAt = TOOK_MS.slice(0, place).reduce((sum, ms) => sum + ms, 0);
    const finishedAt = status === 'running' ? null : startedAt + (TOOK_MS[place] ?? 0);
    return { name, status, startedAt, finishedAt, attempts: 1, detail: null };
  });
}

function entryOf({ minutesAgo, ...patch }: Patch, number: number, base: string): Entry {
  const receivedAt = Date.now() - minutesAgo * MINUTE;
  const moved = (patch.stages ?? []).map((one) => ({
    ...one,
    startedAt: receivedAt + one.startedAt,
    finishedAt: one.finishedAt && receivedAt + one.finishedAt,
  }));
  const finishedAt = patch.status === 'running' || patch.status === 'held' ? null : receivedAt + 3.4 * SECOND;
  const sha = (number * 7_654_321).toString(16).repeat(8).slice(0, 40).padEnd(40, '0');
  const known = { base, user: 'ann', author: 'Ann Example', sha, receivedAt, updatedAt: receivedAt, finishedAt };
  const id = entryId('7c9e6679f0e4a31b5d28', number);
  return { ...draft(), ...known, ...patch, stages: moved, number, id, seq: number };
}
