import { dispatch } from '../api/dispatch.ts';
import { deploy, deployRepository, reconcile, redeploy } from './deploy.ts';
import { changeSettings, showSettings } from './settings.ts';
import { transfer } from './transfer.ts';

/** Returns the endpoints of where an application comes from: its repository, its branch, and deploys of them. */
export const source = dispatch('api-app-source', {
  'POST /1/apps/{user}': deployRepository,
  'GET /1/apps/{user}/{application}/settings': showSettings,
  'PATCH /1/apps/{user}/{application}/settings': changeSettings,
  'POST /1/apps/{user}/{application}/transfer': transfer,
  'POST /1/apps/{user}/{application}/redeploy': redeploy,
  'POST /1/apps/{user}/{application}/deploy': deploy,
  'POST /1/apps/{user}/{application}/reconcile': reconcile,
});
