import type { Stack } from './stack.ts';

/** A provider of hosting outside the account, on which the applications of a stack run. */
export interface Provider {
  readonly name: string;
  /** How to create a token for the service there. */
  readonly token: string;
}

const PROVIDERS: Readonly<Record<string, Provider>> = {
  heroku: { name: 'Heroku', token: 'heroku authorizations:create' },
  scalingo: { name: 'Scalingo', token: 'https://dashboard.scalingo.com/account/tokens' },
};

/** Returns the provider on which the applications of a stack run; null when that is none. */
export function providerOf({ parameters }: Pick<Stack, 'parameters'>): Provider | null {
  return PROVIDERS[parameters.Platform ?? ''] ?? null;
}
