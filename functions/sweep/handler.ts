import { connectSweep } from '../adapters/connect/sweep.ts';
import { sweepTrigger } from '../triggers/sweep.ts';
import { sweep } from './sweep.ts';

export const handler = sweepTrigger(sweep, connectSweep());
