import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { DeployError } from '../core/errors.ts';
import { nameInLog } from './found-app.ts';
import { latestDeploy } from './latest-deploy.ts';
import type { AppsPorts } from './ports.ts';
import { commitOf, record } from './record.ts';

/**
 * `POST …/redeploy`: deploys the commit of the newest deploy again, also of one that failed, so that a new variable or
 * a repaired host is tried without a push. It does not wait for CI.
 */
export async function redeploy(request: HttpRequest, ports: AppsPorts): Promise<HttpAnswer> {
  const name = await nameInLog(request, ports);
  const latest = await latestDeploy(request.user, name, ports);
  if (!latest) {
    const detail = `The log has no recent deploy of ${name} to repeat. Push a commit, or POST …/deploy?ref=<branch>.`;
    throw new DeployError('status:db:not_found', detail);
  }
  // By hand, a commit counts as newer than what the branch deploys, as after a forced push.
  const draft = { ...commitOf(latest), appName: null, stage: 'check', forced: true, ci: BY_HAND } as const;
  return record(request, draft, { isNewestPush: true }, ports);
}

/** Why a deploy by hand waits for no CI. */
export const BY_HAND = { waits: false, because: 'It was asked for by hand' } as const;
