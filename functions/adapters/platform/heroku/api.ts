import { isObject } from '../../../core/json.ts';
import { oneLine } from '../../../core/text.ts';
import { type Provider, type ProviderApi, type ProviderApiOptions, providerApi } from '../provider/api.ts';

/** The address of Heroku's Platform API: https://devcenter.heroku.com/articles/platform-api-reference */
const HEROKU_API = 'https://api.heroku.com';
const MAX_MESSAGE_LENGTH = 300;

const HEROKU: Provider = {
  name: 'Heroku',
  accept: 'application/vnd.heroku+json; version=3',
  // A request takes one of 4500 tokens, of which an hour brings 4500 new ones; the answer does not say when.
  limitPauseSeconds: 60,
  temporary: [408, 409],
  messageIn,
};

/** Returns Heroku's Platform API, called with the token of the service; `url` is another address of it. */
export function herokuApi({
  url = HEROKU_API,
  ...options
}: Omit<ProviderApiOptions, 'url'> & { readonly url?: string }): ProviderApi {
  return providerApi(HEROKU, { ...options, url });
}

/** Returns the sentence of Heroku's `{ "id", "message" }`, or null. */
export function messageIn(body: unknown): string | null {
  return isObject(body) && typeof body.message === 'string' ? oneLine(body.message, MAX_MESSAGE_LENGTH) : null;
}
