import * as v from 'valibot';
import { basicHeader } from '../../../functions/core/basic-auth.ts';
import { type LocalAnswer, localFetch } from '../../http/local-fetch.ts';
import { printable } from '../../terminal/printable.ts';
import { type Webhook, webhookSecret } from '../running.ts';
import type { PendingDelivery } from './pending-deliveries.ts';

/**
 * The outcome of a delivery. `accepted` and `rejected` are final; after `unauthorized` (wrong login) and `unavailable`
 * the delivery stays pending.
 */
export type Outcome =
  | {
      readonly kind: 'accepted';
      readonly status: string;
      readonly reason: string | null;
      readonly entry: string | null;
      /** The address of its page, when the answer names one. */
      readonly page: string | null;
      /** The service goes on with it: `202`. */
      readonly isOpen: boolean;
    }
  | { readonly kind: 'rejected'; readonly why: string }
  | { readonly kind: 'unauthorized'; readonly why: string }
  | { readonly kind: 'unavailable'; readonly why: string };

type Accepted = Extract<Outcome, { readonly kind: 'accepted' }>;

/** GitHub's own timeout. */
const TIMEOUT_MS = 10_000;
const Entry = v.object({
  status: v.optional(v.string(), 'accepted'),
  reason: v.nullish(v.string()),
  doc: v.nullish(v.object({ reason: v.nullish(v.string()) })),
});
const Problem = v.object({ title: v.optional(v.string(), ''), detail: v.optional(v.string(), '') });

/** Posts a payload as GitHub does and returns the outcome, which never holds the secret. Never throws. */
export async function sendPush(webhook: WebhookCall, delivery: PendingDelivery, payload: unknown): Promise<Outcome> {
  try {
    const response = await localFetch(webhook.url, {
      method: 'POST',
      headers: { ...hookHeaders(delivery.id), authorization: basic(webhook) },
      body: JSON.stringify(payload),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return outcomeOf(response, await response.text());
  } catch (error) {
    return { kind: 'unavailable', why: `did not answer (${reasonOf(error)})` };
  }
}

/** https://docs.github.com/webhooks/webhook-events-and-payloads#delivery-headers */
function hookHeaders(id: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/local',
    'x-github-event': 'push',
    'x-github-delivery': id,
  };
}

function basic({ user, secret }: WebhookCall): string {
  return basicHeader(`${user}:${secret}`);
}

function outcomeOf(response: LocalAnswer, text: string): Outcome {
  const { status } = response;
  if (response.ok) return { ...accepted(response.headers, text), isOpen: status === 202 };
  const problem = v.safeParse(Problem, parse(text));
  const detail = problem.success ? clean(problem.output.detail || problem.output.title).replace(/\.$/, '') : '';
  const why = `answered ${status}${detail === '' ? '' : `: ${detail}`}`;
  if (status === 401 || status === 403) return { kind: 'unauthorized', why };
  return status >= 500 || status === 408 || status === 429 ? { kind: 'unavailable', why } : { kind: 'rejected', why };
}

function accepted(headers: LocalAnswer['headers'], text: string): Omit<Accepted, 'isOpen'> {
  const location = headers.get('location');
  const entry = v.safeParse(Entry, parse(text));
  const reason = entry.success ? (entry.output.reason ?? entry.output.doc?.reason ?? null) : null;
  return {
    kind: 'accepted',
    status: entry.success ? clean(entry.output.status) : 'accepted',
    reason: reason === null ? null : clean(reason),
    entry: location === null ? null : clean(location),
    page: pageIn(headers.get('link') ?? ''),
  };
}

/** Returns the link to a page (RFC 8288), as this service writes it. */
function pageIn(links: string): string | null {
  const page = /<([^<>]+)>; rel="alternate"; type="text\/html"/.exec(links)?.[1];
  return page === undefined ? null : clean(page);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns text of an answer as it may be printed to a terminal. */
function clean(text: string): string {
  return printable(text).trim().slice(0, 300);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed';
  if (error.name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} s`;
  return 'code' in error && typeof error.code === 'string' ? error.code : 'the call failed';
}

interface WebhookCall {
  readonly url: string;
  readonly user: string;
  readonly secret: string;
}

/** Returns the call for a push to a repository of that owner: with the owner's login, if there is one. */
export function webhookCall(
  webhook: Webhook,
  { owner, defaultBranch }: { readonly owner: string; readonly defaultBranch: string },
): WebhookCall {
  const secret = webhookSecret(webhook, owner);
  return {
    url: webhook.url.replaceAll('{default_branch}', encodeURIComponent(defaultBranch)),
    ...(secret === null ? { user: webhook.user, secret: webhook.secret } : { user: owner, secret }),
  };
}
