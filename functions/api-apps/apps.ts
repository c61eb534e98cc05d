import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { DeployError } from '../core/errors.ts';
import { deploy, reconcile, redeploy } from './deploy.ts';
import { addDomain, listDomains, removeDomain } from './domains.ts';
import { changeVariables, listVariables, removeVariable, setVariable } from './env.ts';
import { remove, rename, restart, rollback, stop } from './operate.ts';
import type { AppsPorts } from './ports.ts';
import { listProcesses, scale } from './processes.ts';
import { list, show } from './read.ts';
import { startRun, writeRun } from './runs.ts';
import { changeSettings, showSettings } from './settings.ts';
import { transfer } from './transfer.ts';

type Endpoint = (request: HttpRequest, ports: AppsPorts) => Promise<HttpAnswer>;

const endpoints: Readonly<Record<string, Endpoint | undefined>> = {
  'GET /1/apps/{user}': list,
  'GET /1/apps/{user}/{application}': show,
  'DELETE /1/apps/{user}/{application}': remove,
  'GET /1/apps/{user}/{application}/env': listVariables,
  'PATCH /1/apps/{user}/{application}/env': changeVariables,
  'PUT /1/apps/{user}/{application}/env/{variable}': setVariable,
  'DELETE /1/apps/{user}/{application}/env/{variable}': removeVariable,
  'GET /1/apps/{user}/{application}/settings': showSettings,
  'PATCH /1/apps/{user}/{application}/settings': changeSettings,
  'POST /1/apps/{user}/{application}/transfer': transfer,
  'POST /1/apps/{user}/{application}/rename': rename,
  'GET /1/apps/{user}/{application}/processes': listProcesses,
  'PATCH /1/apps/{user}/{application}/processes': scale,
  'POST /1/apps/{user}/{application}/runs': startRun,
  'POST /1/apps/{user}/{application}/runs/{run}': writeRun,
  'GET /1/apps/{user}/{application}/domains': listDomains,
  'PUT /1/apps/{user}/{application}/domains/{domain}': addDomain,
  'DELETE /1/apps/{user}/{application}/domains/{domain}': removeDomain,
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
