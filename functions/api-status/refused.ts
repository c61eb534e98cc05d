import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import type { LastRefused } from '../api/shapes/log.ts';
import { DeployError } from '../core/errors.ts';
import type { RefusedCalls } from '../core/ports/refused-calls.ts';

/** `GET /1/status/<user>/refused`: the last call of the webhook that was refused, in the last 24 hours. */
export function lastRefused(calls: Pick<RefusedCalls, 'last'>): (request: HttpRequest) => Promise<HttpAnswer> {
  return async ({ user }) => {
    const call = await calls.last(user).catch((cause: unknown) => {
      throw new DeployError('status:db:query_fail', 'The last refused call could not be read; ask again.', { cause });
    });
    const body: LastRefused = { refused: call && { ...call, at: new Date(call.at).toISOString() } };
    return { status: 200, headers: { 'cache-control': 'no-store' }, body };
  };
}
