import { optionalVariable } from './environment.ts';

/**
 * Returns the service's address that the operator configured, without a trailing slash; null to take it from each
 * request.
 */
export function publicUrl(): string | null {
  return optionalVariable('PUBLIC_URL')?.replace(/\/+$/, '') ?? null;
}
