import { DeployError, type ErrorCode } from '../../../core/errors.ts';
import type { ProviderAnswer, ProviderApi } from './api.ts';

/** A new app that a provider has refused, which it also does when its name is taken. */
interface RefusedApp {
  readonly provider: string;
  readonly name: string;
  /** The provider's sentence; null when it gave none. */
  readonly reason: string | null;
  readonly code: ErrorCode;
}

/**
 * Returns the app of this name if it is our own: the name is unique to this installation, so an interrupted call has
 * left it. Throws the refusal otherwise.
 */
export async function ownOrTaken(refused: RefusedApp, api: ProviderApi): Promise<ProviderAnswer> {
  const { provider, name, reason, code } = refused;
  const answer = await api({ method: 'GET', path: ['apps', name], code, what: `the app ${name}`, accept: [403, 404] });
  if (answer.status === 200) return answer;
  const detail =
    answer.status === 403
      ? `The name ${name} belongs to another account on ${provider}. Rename the application in package.json.`
      : `${provider} refused the new app ${name}: ${reason ?? 'no reason given'}`;
  throw new DeployError(code, detail, { retry: false });
}
