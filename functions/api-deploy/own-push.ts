import { type Entry, GIT } from '../core/entry/entry.ts';
import { appName } from '../core/entry/package-name.ts';
import { trackOf } from '../core/entry/track.ts';
import type { Delivery, RepositoryRef } from '../core/payload/delivery.ts';
import { folderPath } from '../core/payload/folder.ts';
import type { DefaultTip, MovedRef } from '../core/payload/moved-ref.ts';
import { skips } from '../core/payload/skip-words.ts';
import type { AppSettings } from '../core/ports/facts.ts';
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
  const path = await folderOf(name, received.user, ports);
  const options = hookOptionsOf({ branch: defaultBranch, path }, defaultBranch);
  const isTip = after !== null && ref === `refs/heads/${defaultBranch}`;
  const of = { host: ports.own.name, owner, name, track: trackOf(options) };
  const facts = isTip ? await ports.facts.branch(received.user, of, of.track) : null;
  const found = isTip && facts?.tip === after ? await entryOf(push, after, received.user, ports) : undefined;
  if (found) return found;
  const key = isTip && facts ? tipKey(of, after, facts) : undefined;
  const payload = new TextEncoder().encode(JSON.stringify({ pushed: { ref, before, after } }));
  const deliveries = [deliveryOf(push, received.delivery, ports.own)];
  const [entry] = await acceptDeliveries({ ...received, deliveries, options, payload, tipKey: key }, ports);
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
  ports: Pick<OwnPushPorts, 'facts' | 'own' | 'reader' | 'settings'>,
): Promise<{ readonly before: string | null } | null> {
  const before = await tipOf(tip, user, ports);
  if (before === tip.sha) return null;
  return before === null && (await entryOf(tip, tip.sha, user, ports)) ? null : { before };
}

async function tipOf(
  { owner, name, defaultBranch: branch }: DefaultTip,
  user: string,
  ports: Pick<OwnPushPorts, 'facts' | 'own' | 'settings'>,
): Promise<string | null> {
  const repository: RepositoryRef = { host: ports.own.name, owner, name };
  const path = folderPath(await folderOf(name, user, ports));
  return (await ports.facts.branch(user, repository, trackOf({ branch, path }))).tip;
}

/** Returns the folder that the application which is called as a repository has in it. */
async function folderOf(
  repository: string,
  user: string,
  { settings }: Pick<OwnPushPorts, 'settings'>,
): Promise<string | undefined> {
  return (await settings.read({ user, app: appName(repository) })).path;
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

function deliveryOf(push: MovedRef, id: string, { web }: OwnHostRecord): Delivery {
  const { owner, name, ref, before, after, forced } = push;
  const by = { provider: GIT, hostKind: GIT, id };
  const url = `${web}/${owner}/${name}`;
  const repository = { hostname: new URL(web).host, owner, name, url, private: push.private };
  const branch = ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null;
  const message = oneLine(push.message ?? '', 200);
  const author = oneLine(push.author ?? '', 100);
  const sha = after ?? before;
  if (push.preview === null || branch === null || sha === null) {
    const skip = skips(push.message ?? '');
    return { kind: 'push', ...by, repository, ref, before, forced, branch, sha: after, message, author, skip };
  }
  const state = { number: push.preview, closed: after === null, draft: false, fromFork: false };
  return { kind: 'pull', ...by, repository, ...state, branch, sha, before, title: message, author };
}
