import * as v from 'valibot';
import type { RunningHost } from '../running.ts';
import type { OwedDelivery } from './journal.ts';

/**
 * What became of a delivery. `taken` and `refused` are answers for good; `locked` (wrong login) and `away` are not, and
 * the delivery stays owed.
 */
export type Outcome =
  | { readonly kind: 'taken'; readonly status: string; readonly reason: string | null; readonly entry: string | null }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'locked'; readonly why: string }
  | { readonly kind: 'away'; readonly why: string };

/** GitHub gives up after 10 s as well. */
const timeoutMs = 10_000;
const Entry = v.object({
  status: v.optional(v.string(), 'accepted'),
  reason: v.nullish(v.string()),
  doc: v.nullish(v.object({ reason: v.nullish(v.string()) })),
});
const Refused = v.object({ title: v.optional(v.string(), ''), detail: v.optional(v.string(), '') });

/** Posts a payload as GitHub does. Never throws; no sentence in the outcome holds the secret. */
export async function sendPush(
  webhook: RunningHost['webhook'],
  owed: OwedDelivery,
  payload: unknown,
): Promise<Outcome> {
  try {
    const response = await fetch(webhook.url, {
      method: 'POST',
      headers: { ...hookHeaders(owed.id), authorization: basic(webhook) },
      body: JSON.stringify(payload),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return outcomeOf(response, await response.text());
  } catch (error) {
    return { kind: 'away', why: `did not answer (${reasonOf(error)})` };
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

function basic({ user, secret }: RunningHost['webhook']): string {
  return `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
}

function outcomeOf(response: Response, text: string): Outcome {
  const { status } = response;
  if (response.ok) return taken(response.headers.get('location'), text);
  const problem = v.safeParse(Refused, parse(text));
  const said = problem.success ? clean(problem.output.detail || problem.output.title).replace(/\.$/, '') : '';
  const why = `answered ${status}${said === '' ? '' : `: ${said}`}`;
  if (status === 401 || status === 403) return { kind: 'locked', why };
  return status >= 500 || status === 408 || status === 429 ? { kind: 'away', why } : { kind: 'refused', why };
}

function taken(location: string | null, text: string): Outcome {
  const entry = v.safeParse(Entry, parse(text));
  const reason = entry.success ? (entry.output.reason ?? entry.output.doc?.reason ?? null) : null;
  return {
    kind: 'taken',
    status: entry.success ? clean(entry.output.status) : 'accepted',
    reason: reason === null ? null : clean(reason),
    entry: location === null ? null : clean(location),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** It goes to someone's terminal. */
function clean(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 300);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed';
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`;
  const cause = error.cause;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'the call failed';
}
