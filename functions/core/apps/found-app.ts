import { type AppRequest, appRef, required } from '../app-ref.ts';
import { isSameOwner, ownerOf } from '../entry/app-owner.ts';
import type { Entry } from '../entry/entry.ts';
import { isDeploy } from '../entry/kinds.ts';
import { appName } from '../entry/package-name.ts';
import { MANUAL } from '../entry/providers.ts';
import type { Application } from '../ports/applications.ts';
import type { OwnerClaim } from '../ports/facts.ts';
import { type AppHistory, type AppPorts, historyOf, unreadable } from './history.ts';

export interface FoundApp extends AppHistory {
  readonly app: Application;
  /** The name in package.json, by which the log knows it. */
  readonly name: string;
}

/**
 * Returns the application that a path names. Throws `status:db:not_found`, and `request:failed` without the platform.
 */
export async function foundApp(request: AppRequest, ports: AppPorts): Promise<FoundApp> {
  const ref = appRef(request);
  const [found, fact] = await Promise.all([ports.applications.find(ref), ports.appFacts.named(ref.user, ref.app)]);
  const app = required(found, request);
  const history = await historyOf(app, fact, ports);
  return { app, name: history.active?.appName ?? app.name, ...history };
}

/** Returns the name in package.json of an application that has entries, whether the platform knows it or not. */
export async function nameInLog(request: AppRequest, { appFacts }: Pick<AppPorts, 'appFacts'>): Promise<string> {
  const { user, app } = appRef(request);
  return required(await appFacts.named(user, app), request).name;
}

/** Entries that are looked at, newest first; operations and skipped pushes may lie above a deploy. */
const MAX_ENTRIES = 50;

/**
 * Returns the newest entry of an application that has tried to deploy a commit of its repository, with what result
 * ever; null without. Another repository with the same package name was refused, or a push of another branch, and is not
 * what is to be deployed.
 */
export async function latestDeploy(
  user: string,
  name: string,
  { reader, facts }: Pick<AppPorts, 'reader' | 'facts'>,
): Promise<Entry | null> {
  const [{ entries }, owner] = await Promise.all([
    reader.page({ user, app: name, skip: 0, limit: MAX_ENTRIES }),
    facts.appOwner(user, appName(name)),
  ]).catch(unreadable);
  return entries.find((entry) => hasTried(entry) && isOf(entry, owner)) ?? null;
}

function isOf(entry: Entry, owner: OwnerClaim | null): boolean {
  const entryOwner = ownerOf(entry);
  if (owner === null || entryOwner === null) return owner === null;
  const isAnyBranch =
    entry.provider === MANUAL || entry.pullRequest !== undefined || ['ok', 'crashed'].includes(entry.status);
  const isItsBranch = isAnyBranch || owner.branch === undefined || owner.branch === entry.branch;
  return isSameOwner(entryOwner, owner) && isItsBranch;
}

function hasTried(entry: Entry): boolean {
  const isElsewhere = entry.status === 'skipped' || entry.status === 'duplicate' || entry.status === 'held';
  return isDeploy(entry) && !isElsewhere && entry.repository !== null && entry.sha !== null && entry.branch !== null;
}
