import { isDeploy } from '../../functions/core/entry/kinds.ts';
import type { Application } from './applications.ts';
import { type Entry, hasEnded } from './entry.ts';

/** A preview of a pull request: an application, or a deploy that will be one. */
export interface Preview {
  readonly name: string;
  /** The application that it previews. */
  readonly preview_of: string;
  readonly pull_request: number;
  readonly title: string | null;
  readonly author: string | null;
  readonly branch: string | null;
  /** The status of its newest deploy while that is unfinished or has failed; else its application's, `ok` for one that runs. */
  readonly state: string;
  /** Where it answers; null until it has been started. */
  readonly url: string | null;
}

/** A preview with its application, null before its first upload, and its newest deploy, null for one that is not known. */
export interface FoundPreview extends Preview {
  readonly app: Application | null;
  readonly entry: Entry | null;
}

/**
 * Returns the previews among the applications, and those of which only a deploy is known: that of a fork is held before
 * it is an application. `entries` is the log, newest first; documents have what they are called.
 */
export function previewsOf(apps: readonly Application[], entries: readonly Entry[]): readonly FoundPreview[] {
  const newest = new Map<string, Entry>();
  for (const entry of entries) {
    if (entry.app_name && isDeploy(entry) && !newest.has(entry.app_name)) newest.set(entry.app_name, entry);
  }
  const names = new Set(apps.map(({ name }) => name));
  const waiting = [...newest.values()].filter((entry) => !names.has(entry.app_name ?? '') && !hasEnded(entry));
  return [
    ...apps.flatMap((app) => previewIn(app, app, newest.get(app.name) ?? app.active)),
    ...waiting.flatMap((entry) => previewIn({ ...entry, name: entry.app_name ?? '' }, null, entry)),
  ].sort((one, other) => order(one.preview_of, other.preview_of) || one.pull_request - other.pull_request);
}

function previewIn(
  { name, preview_of, pull_request }: Pick<Application, 'name' | 'preview_of' | 'pull_request'>,
  app: Application | null,
  entry: Entry | null,
): FoundPreview[] {
  if (typeof preview_of !== 'string' || typeof pull_request !== 'number') return [];
  const { message: title = null, author = null, branch = null } = entry?.doc ?? {};
  const url = app && app.state !== 'never' ? app.url : null;
  return [{ name, preview_of, pull_request, title, author, branch, state: stateOf(app, entry), url, app, entry }];
}

function stateOf(app: Application | null, entry: Entry | null): string {
  if (entry && (app === null || entry.status === 'error' || !hasEnded(entry))) return entry.status;
  return app?.state === 'running' ? 'ok' : (app?.state ?? 'never');
}

function order(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
