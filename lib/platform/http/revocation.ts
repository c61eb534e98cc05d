import { HttpError } from '../http-error.ts';
import { appOf, type Call } from './route.ts';

const CHECK_MS = 2_000;

/**
 * Ends an answer that goes on and on within seconds after its login was revoked, its password changed, or its
 * application removed. `exists` says whether there is such an application.
 */
export function endWhenRevoked(call: Call, exists: (app: ReturnType<typeof appOf>) => Promise<unknown>): void {
  const { response, caller } = call;
  const app = appOf(call);
  const check = async () => {
    const isFine = (await caller.isValid()) && (await exists(app)) !== undefined;
    if (!isFine) response.end();
  };
  const timer = setInterval(() => {
    // A file that cannot be read says nothing about the login.
    check().catch((error: unknown) => error instanceof HttpError && response.end());
  }, CHECK_MS);
  response.once('close', () => clearInterval(timer));
  if (response.destroyed) clearInterval(timer);
}
