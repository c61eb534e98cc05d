import { sweepTrigger } from '../triggers/sweep.ts';
import { connect } from './connect.ts';
import { sweep } from './sweep.ts';

export const handler = sweepTrigger(sweep, connect());
