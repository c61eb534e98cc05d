import { watchTrigger } from '../triggers/watch.ts';
import { connect } from './connect.ts';
import { watchApps } from './watch.ts';

export const handler = watchTrigger(watchApps, await connect());
