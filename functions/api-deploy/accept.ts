import { type Entry, isFinal } from '../core/entry/entry.ts';
import { trackOf } from '../core/entry/track.ts';
import { DeployError } from '../core/errors.ts';
import { notifyHeldDeploy } from '../core/hold/hold.ts';
import type { Delivery } from '../core/payload/delivery.ts';
import { readPayload } from '../core/payload/payload.ts';
import { SWEEP_AFTER_MS } from '../core/pipeline/pipeline.ts';
import { queueStage } from '../core/pipeline/queue-stage.ts';
import { storeEntry } from '../core/pipeline/store-entry.ts';
import type { AppendRequest, DeployLog, Draft } from '../core/ports/log.ts';
import type { HookCall } from '../core/ports/sender.ts';
import { notifyPreviews } from '../core/preview/checked-previews.ts';
import { commitResultOf, decisionOf, expectedCi, type HookDecision } from './decision.ts';
import { draftOf, type RequestContext } from './draft.ts';
import { ciChoiceOf, type HookOptions, hookOptionsOf } from './hook-options.ts';
import { hostOf, isOwn, ownBranchOf } from './host.ts';
import { decisionOnNeutral, decisionOnRepeat } from './known-decision.ts';
import { withKnownName } from './known-name.ts';
import type { AcceptPorts, DeliveryPorts } from './ports.ts';
import { requireSignature } from './signature.ts';

/** A request to the webhook, after its login. */
export interface HookRequest extends RequestContext {
  readonly headers: HookCall['headers'];
  readonly query: HookCall['query'];
  readonly raw: Uint8Array;
}

/**
 * Accepts a webhook call: stores one entry for each of its deliveries and queues the first stage of those that deploy.
 * Returns the entries, those that deploy first. Throws `deploy:no_payload`, `deploy:provider:not_supported`,
 * `deploy:auth:bad_creds`, `request:too_large`, `request:bad_parameter`, `mw:auth:auth_server_down` and
 * `deploy:db:failed_to_store_payload`.
 */
export async function accept(hook: HookRequest, ports: AcceptPorts): Promise<readonly [Entry, ...Entry[]]> {
  const options = hookOptionsOf(hook.query, ports.defaultBranch);
  const { body } = readPayload(hook.raw, hook.headers['content-type']);
  const call = { headers: hook.headers, query: hook.query, body, raw: hook.raw };
  const sender = ports.recognise(call);
  const deliveries = sender.read(call);
  const foreign = deliveries.filter((delivery) => !isOwn(delivery, ports));
  await requireSignature(foreign, { sender, call, user: hook.user, at: hook.at }, ports);
  const asked = hook.query.branch === undefined ? await withOwnBranch(options, deliveries, hook.user, ports) : options;
  return acceptDeliveries({ ...hook, deliveries, options: asked, payload: hook.raw }, ports);
}

/** A call has builds of one repository, if of any. */
async function withOwnBranch(
  options: HookOptions,
  [delivery]: readonly Delivery[],
  user: string,
  ports: AcceptPorts,
): Promise<HookOptions> {
  const { branch } = options;
  const target = { user, branch, track: trackOf(options) };
  const ownBranch = delivery && (await asStorageFailure(() => ownBranchOf(delivery, target, ports)));
  return { ...options, branch: ownBranch ?? branch };
}

/** What a call says, or a push that came without one. */
interface Delivered extends RequestContext {
  readonly deliveries: readonly Delivery[];
  readonly options: HookOptions;
  /** What the log stores of it. */
  readonly payload: Uint8Array;
  /** The key of a push that may have been found without it: then that is its entry. */
  readonly tipKey?: string | undefined;
}

/**
 * Stores one entry for each delivery and queues the first stage of those that deploy. Returns the entries, those that
 * deploy first. Throws as `accept`.
 */
export async function acceptDeliveries(
  delivered: Delivered,
  ports: DeliveryPorts,
): Promise<readonly [Entry, ...Entry[]]> {
  const plans = await Promise.all(delivered.deliveries.map((delivery) => plan(delivery, delivered, ports)));
  const entries: Entry[] = [];
  // In sequence, so that the entries are numbered in the sender's order.
  for (const request of plans) entries.push(await store(request, delivered, ports));
  entries.sort((one, other) => Number(isFinal(one.status)) - Number(isFinal(other.status)));
  const [first, ...others] = entries;
  if (!first) throw new DeployError('deploy:provider:not_supported', 'The payload names no change of any branch.');
  return [first, ...others];
}

async function plan(sent: Delivery, delivered: Delivered, ports: DeliveryPorts): Promise<AppendRequest> {
  const { options, payload, ...hook } = delivered;
  const { branch } = options;
  const track = trackOf({ ...options, ...(sent.kind === 'pull' && { pullRequest: sent }) });
  const target = { branch, track, user: hook.user };
  const host = await asStorageFailure(() => hostOf(sent, target, ports));
  const { delivery, otherName } =
    sent.kind === 'build'
      ? await asStorageFailure(() => withKnownName(sent, { ...options, ...target, host }, ports))
      : { delivery: sent };
  const decided = decisionOf(delivery, branch);
  const other = decided.deploys ? decisionOnRepeat : decisionOnNeutral;
  const known = await asStorageFailure(() => other(delivery, { ...target, host }, ports));
  const decision = known ?? decided;
  const isPush = delivery.kind === 'push' && delivery.branch === branch;
  const expected = expectedCi(delivery, options, hook.at);
  return {
    draft: draftOf(delivery, { ...options, host, ci: ciChoiceOf(delivery, options) }, decision, hook),
    payload,
    isNewestPush: decision.deploys && (delivery.kind === 'push' || delivery.kind === 'pull'),
    isTip: isPush || delivery.kind === 'pull',
    skip: isPush && delivery.skip?.deploy ? delivery.skip.words : null,
    checkResult: host === null ? null : decision.checkResult,
    commitResult: delivery.kind === 'build' && host !== null ? commitResultOf(delivery) : null,
    expectedCi: expected && { ...expected, ...(otherName && { alsoOf: otherName }) },
    deliveryKey: delivered.tipKey ?? deliveryKeyOf(delivery, track, decision),
    dueAt: hook.at + SWEEP_AFTER_MS,
  };
}

/**
 * Returns the key under which a delivery makes only one entry. It contains the track, because two hooks of a repository
 * may deploy two branches or two applications and send the same delivery id.
 */
function deliveryKeyOf(delivery: Delivery, track: string, { deploys }: HookDecision): string | null {
  if (delivery.id === null || !deploys) return null;
  if (delivery.kind === 'notice') return null;
  const ref = delivery.kind === 'push' ? delivery.ref : delivery.sha;
  return [delivery.provider, delivery.id, ref, track].join('#');
}

async function store(
  request: AppendRequest,
  { tipKey }: Pick<Delivered, 'tipKey'>,
  ports: DeliveryPorts,
): Promise<Entry> {
  const { entry, failure } = await storeEntry('payload', () => append(request, tipKey !== undefined, ports));
  if (entry.status === 'queued') await queueStage(entry, ports);
  else if (request.checkResult) await notifyHeldDeploy(entry, request.checkResult, ports);
  if (request.commitResult) await notifyPreviews(entry, request.commitResult, ports);
  if (failure) throw failure;
  return entry;
}

async function append(request: AppendRequest, mayBeFound: boolean, { log }: DeliveryPorts): Promise<Entry> {
  const appended = await log.append(request);
  if ('entry' in appended) return appended.entry;
  const found = mayBeFound ? await log.read(request.draft.user, appended.duplicateOf) : null;
  return found ?? appendAgain(request, appended.duplicateOf, log);
}

/** Returns what is read before anything is stored. Throws `deploy:db:failed_to_store_payload` when that fails. */
async function asStorageFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof DeployError ? error : notStored(error);
  }
}

function notStored(cause: unknown): DeployError {
  const detail = 'The database did not take the payload in time. Nothing was stored; send the delivery again.';
  return new DeployError('deploy:db:failed_to_store_payload', detail, { cause });
}

/**
 * Stores a repeated delivery: it deploys when the first deploy failed, or else becomes a duplicate. What it says of its
 * commit counts: that may have had another result since.
 */
async function appendAgain(request: AppendRequest, number: number, log: DeployLog): Promise<Entry> {
  const { draft, payload, checkResult = null, commitResult = null, dueAt } = request;
  const first = await log.read(draft.user, number);
  const failed = !first || ['error', 'expired', 'crashed', 'cancelled'].includes(first.status);
  const again = failed ? await log.append({ ...request, replaces: number }) : { duplicateOf: number };
  if ('entry' in again) return again.entry;
  // Not always `number`: a third copy may have been faster than this one.
  const reason = `The same delivery made #${again.duplicateOf}.`;
  const duplicate: Draft = { ...draft, status: 'duplicate', reason, finishedAt: draft.receivedAt };
  const written = await log.append({ draft: duplicate, payload, checkResult, commitResult, dueAt });
  if ('entry' in written) return written.entry;
  throw new Error('An entry without a delivery id cannot be a duplicate.');
}
