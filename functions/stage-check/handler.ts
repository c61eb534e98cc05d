import { connectCheck } from '../adapters/connect/check.ts';
import { connectStage } from '../adapters/connect/stage.ts';
import { stageTrigger } from '../triggers/stage.ts';
import { check } from './check.ts';

const stage = connectStage('check');

export const handler = stageTrigger(check(connectCheck(stage)), stage);
