import * as v from 'valibot';

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly active: boolean;
  readonly events: readonly string[];
}

export interface NewWebhook {
  /** The URL to call, with the login in it. */
  readonly url: string;
  /** The webhook's address without the login. */
  readonly plainUrl: string;
  /** The value of the `Authorization` header with the login. */
  readonly authorization: string;
  /** Whether the events of pull requests are wanted too. */
  readonly previews: boolean;
}

/** The part of a host's API that manages webhooks. */
export interface WebhookApi {
  /** The default base URL of the API. */
  readonly api: string;
  /** Returns the headers that authenticate with a token. */
  login(token: string): Readonly<Record<string, string>>;
  /** Returns the path of a repository's webhooks below the base URL. */
  path(repository: string): string;
  /** Returns the body of the request that creates a webhook. */
  body(webhook: NewWebhook): unknown;
  /** Returns the webhooks in a response. Throws an Error when it is not as documented. */
  read(response: unknown): readonly Webhook[];
}

/** The id of a webhook, which some hosts send as a number. */
export const webhookId = v.pipe(v.union([v.string(), v.number()]), v.transform(String));

/** Returns the webhooks in a response: a list, or the created one. Throws an Error when it is neither. */
export function webhooksIn(schema: v.GenericSchema<unknown, Webhook>, response: unknown): readonly Webhook[] {
  const result = v.safeParse(v.array(schema), Array.isArray(response) ? response : [response]);
  if (result.success) return result.output;
  throw new Error('The response of the host could not be understood.');
}
