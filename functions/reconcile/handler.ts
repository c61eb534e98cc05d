import { reconcileTrigger } from '../triggers/reconcile.ts';
import { connect } from './connect.ts';
import { reconcile } from './reconcile.ts';

export const handler = reconcileTrigger(reconcile, connect());
