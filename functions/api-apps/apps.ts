import { dispatch } from '../api/dispatch.ts';
import { addDomain, listDomains, listProcesses, removeDomain, scale, startRun, writeRun } from './platform.ts';
import { list, show } from './read.ts';

/** Returns the endpoints that change nothing in the log: the user's applications, and what the platform alone does. */
export const apps = dispatch('api-apps', {
  'GET /1/apps/{user}': list,
  'GET /1/apps/{user}/{application}': show,
  'GET /1/apps/{user}/{application}/processes': listProcesses,
  'PATCH /1/apps/{user}/{application}/processes': scale,
  'GET /1/apps/{user}/{application}/domains': listDomains,
  'PUT /1/apps/{user}/{application}/domains/{domain}': addDomain,
  'DELETE /1/apps/{user}/{application}/domains/{domain}': removeDomain,
  'POST /1/apps/{user}/{application}/runs': startRun,
  'POST /1/apps/{user}/{application}/runs/{run}': writeRun,
});
