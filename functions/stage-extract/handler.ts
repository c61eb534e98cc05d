import { connectPlatform } from '../adapters/connect/platform.ts';
import { connectStage } from '../adapters/connect/stage.ts';
import { stageTrigger } from '../triggers/stage.ts';
import { extract } from './extract.ts';

const stage = connectStage('extract');

export const handler = stageTrigger(extract({ platform: await connectPlatform(), clock: stage.clock }), stage);
