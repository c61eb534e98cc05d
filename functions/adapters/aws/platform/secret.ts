import { variable } from '../environment.ts';
import { requiredSecret } from '../secrets.ts';
import { platformUrl } from './kind.ts';

/** The service's own token for the platform API, and how it is read again after it was replaced. */
interface TokenReaders<Token> {
  readonly serviceToken: Token;
  readonly renewToken: () => Promise<string>;
}

/** Returns how the platform API is called. */
export async function platformAccess(): Promise<TokenReaders<string> & { readonly url: string }> {
  const { serviceToken, renewToken } = serviceTokenWhenNeeded();
  return { url: platformUrl(), serviceToken: await serviceToken(), renewToken };
}

/** Returns the token as a function that reads it, for what may not need it. */
export function serviceTokenWhenNeeded(): TokenReaders<() => Promise<string>> {
  const read = () => requiredSecret(variable('PLATFORM_SECRET'));
  return { serviceToken: read, renewToken: read };
}
