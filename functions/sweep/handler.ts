import { sweepTrigger } from '../triggers/sweep.ts';
import { connect } from './connect.ts';
import { sweep, sweepAfterRestart } from './sweep.ts';

export const handler = sweepTrigger({ sweep, sweepAfterRestart }, connect());
