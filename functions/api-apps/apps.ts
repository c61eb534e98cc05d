import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { DeployError } from '../core/errors.ts';
import { deploy, reconcile, redeploy } from './deploy.ts';
import { listVariables, removeVariable, setVariable } from './env.ts';
import { remove, restart, stop } from './operate.ts';
import type { AppsPorts } from './ports.ts';
import { list, show } from './read.ts';
import { rollback } from './rollback.ts';

/** An endpoint of applications. */
type Endpoint = (request: HttpRequest, ports: AppsPorts) => Promise<HttpAnswer>;

const endpoints: Readonly<Record<string, Endpoint | undefined>> = {
  'GET /1/apps/{user}': list,
  'GET /1/apps/{user}/{application}': show,
  'DELETE /1/apps/{user}/{application}': remove,
  'GET /1/apps/{user}/{application}/env': listVariables,
  'PUT /1/apps/{user}/{application}/env/{variable}': setVariable,
  'DELETE /1/apps/{user}/{application}/env/{variable}': removeVariable,
  'POST /1/apps/{user}/{application}/restart': restart,
  'POST /1/apps/{user}/{application}/stop': stop,
  'POST /1/apps/{user}/{application}/rollback': rollback,
  'POST /1/apps/{user}/{application}/redeploy': redeploy,
  'POST /1/apps/{user}/{application}/deploy': deploy,
  'POST /1/apps/{user}/{application}/reconcile': reconcile,
};

/** Returns the endpoints below `/1/apps/<user>`: the user's applications and what can be done with them. */
export function apps(ports: AppsPorts): (request: HttpRequest) => Promise<HttpAnswer> {
  return async (request) => {
    const endpoint = endpoints[`${request.method} ${request.resource}`];
    if (!endpoint) throw new DeployError('request:not_found', 'There is no such endpoint of applications.');
    const answer = await endpoint(request, ports);
    return { ...answer, headers: { 'cache-control': 'no-store', ...answer.headers } };
  };
}
