import { operatorTrigger } from '../triggers/operator.ts';
import { connect } from './connect.ts';
import { manage } from './manage.ts';

export const handler = operatorTrigger(manage, connect);
