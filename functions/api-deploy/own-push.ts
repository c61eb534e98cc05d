import type { Entry } from '../core/entry/entry.ts';
import { appName } from '../core/entry/package-name.ts';
import { GIT } from '../core/entry/providers.ts';
import { trackOf } from '../core/entry/track.ts';
import type { Delivery, RepositoryRef } from '../core/payload/delivery.ts';
import { isEnvironment } from '../core/payload/folder.ts';
import type { DefaultTip, MovedRef } from '../core/payload/moved-ref.ts';
import { skips } from '../core/payload/skip-words.ts';
import type { AppSettings, BranchFacts, RepositoryApps } from '../core/ports/facts.ts';
import type { LogReader } from '../core/ports/log.ts';
import { tipKey } from '../core/reconcile/missed-commit.ts';
import { oneLine } from '../core/text.ts';
import { acceptDeliveries } from './accept.ts';
import type { RequestContext } from './draft.ts';
import { hookOptionsOf } from './hook-options.ts';
import type { DeliveryPorts } from './ports.ts';

/** The repository host of this machine, as its pushes are recorded. */
interface OwnHostRecord {
  readonly name: string;
  /** The address of its pages, without a slash at the end. */
  readonly web: string;
}

interface OwnPushPorts extends DeliveryPorts {
  readonly own: OwnHostRecord;
  readonly applications: RepositoryApps;
  readonly reader: Pick<LogReader, 'page'>;
  readonly settings: Pick<AppSettings, 'read'>;
}

type Received = RequestContext & { readonly delivery: string };

/**
 * Stores a push to a repository of this machine, as `accept` one that a webhook reports. A tip that the log has got by a
 * comparison meanwhile makes no second entry. Throws `deploy:db:failed_to_store_payload`, and `request:bad_parameter` for a
 * default branch with a name that cannot be deployed.
 */
export async function acceptOwnPush(push: MovedRef, received: Received, ports: OwnPushPorts): Promise<Entry> {
  const { owner, name, defaultBranch, ref, before, after } = push;
  const { app, ...target } = await targetOf(push, received.user, ports);
  const options = hookOptionsOf({ branch: defaultBranch, ...target }, defaultBranch);
  const isTip = after !== null && ref === `refs/heads/${defaultBranch}`;
  const of = { host: ports.own.name, owner, name, track: trackOf(options) };
  const facts = await ports.facts.branch(received.user, of, of.track);
  const found = isTip && facts.tip === after ? await entryOf(push, after, received.user, ports) : undefined;
  if (found) return found;
  const key = isTip ? tipKey(of, after, facts) : undefined;
  const payload = new TextEncoder().encode(JSON.stringify({ pushed: { ref, before, after } }));
  const deliveries = [deliveryOf({ ...push, app }, received.delivery, ports.own)];
  const [entry] = await acceptDeliveries(
    { ...received, token: push.token, deliveries, options, payload, tipKey: key },
    ports,
  );
  return entry;
}

/**
 * Returns the commit that the log knows as the tip of a branch before this one, which it does not know; null within when it
 * knows none. Null when nothing was missed: a branch of which the log knows no tip may have become the default branch
 * after its commits were pushed.
 */
export async function missedAfter(
  tip: DefaultTip,
  user: string,
  ports: Pick<OwnPushPorts, 'applications' | 'facts' | 'own' | 'reader' | 'settings'>,
): Promise<{ readonly before: string | null } | null> {
  const before = (await branchOf(tip, user, ports)).tip;
  if (before === tip.sha) return null;
  return before === null && (await entryOf(tip, tip.sha, user, ports)) ? null : { before };
}

/** Returns what pushes to a repository deploy, and a name for an environment with another branch; see `DeployedBy`. */
export async function deployedBy(
  repository: Omit<DefaultTip, 'sha'>,
  { user, branch }: { readonly user: string; readonly branch: string },
  ports: Pick<OwnPushPorts, 'applications' | 'own' | 'settings'>,
): Promise<{ readonly app: string; readonly environment: string | null }> {
  const { app, environment } = await targetOf(repository, user, ports);
  const word = appName(branch);
  return { app, environment: environment === undefined ? (isEnvironment(word) ? word : 'staging') : null };
}

async function branchOf(
  { owner, name, defaultBranch: branch }: Omit<DefaultTip, 'sha'>,
  user: string,
  ports: Pick<OwnPushPorts, 'applications' | 'facts' | 'own' | 'settings'>,
): Promise<BranchFacts> {
  const repository: RepositoryRef = { host: ports.own.name, owner, name };
  const { path, environment } = await targetOf(repository, user, ports);
  const options = hookOptionsOf({ branch, path, environment }, branch);
  return ports.facts.branch(user, repository, trackOf(options));
}

/**
 * Returns the application of a repository, with its folder and its environment: that which belongs to it, as it may have
 * been renamed; before its first deploy that which is called as the repository.
 */
async function targetOf(
  { owner, name }: Omit<RepositoryRef, 'host'>,
  user: string,
  { applications, own, settings }: Pick<OwnPushPorts, 'applications' | 'own' | 'settings'>,
) {
  const owned = await applications.ofRepository(user, { host: own.name, owner, name });
  const app = owned?.app ?? appName(name);
  const { path, environment } = owned?.owner ?? (await settings.read({ user, app }));
  return { app, path, environment };
}

/** Entries that are looked through for a commit, newest first. */
const MAX_ENTRIES = 100;

async function entryOf(
  { owner, name }: Pick<MovedRef, 'owner' | 'name'>,
  sha: string,
  user: string,
  { reader, own }: Pick<OwnPushPorts, 'reader' | 'own'>,
): Promise<Entry | undefined> {
  const { entries } = await reader.page({ user, app: null, skip: 0, limit: MAX_ENTRIES });
  const isOf = ({ repository }: Entry) =>
    repository?.host === own.name && repository.owner === owner && repository.name === name;
  return entries.find((entry) => entry.sha === sha && isOf(entry) && entry.kind === 'push');
}

function deliveryOf(push: MovedRef & { readonly app: string }, id: string, { web }: OwnHostRecord): Delivery {
  const { owner, name, ref, before, after, forced } = push;
  const by = { provider: GIT, hostKind: GIT, id };
  const url = `${web}/${owner}/${name}`;
  const repository = { hostname: new URL(web).host, owner, name, url, private: push.private };
  const branch = ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null;
  const message = oneLine(push.message ?? '', 200);
  const author = oneLine(push.author ?? '', 100);
  const skip = skips(push.message ?? '');
  const moved = { ref, before, forced, branch, sha: after };
  return { kind: 'push', ...by, repository, ...moved, message, author, skip, app: push.app };
}
