import { connectFacts } from '../adapters/connect/facts.ts';
import { connectPlatform } from '../adapters/connect/platform.ts';
import { connectStage } from '../adapters/connect/stage.ts';
import { connectTarballs } from '../adapters/connect/tarballs.ts';
import { stageTrigger } from '../triggers/stage.ts';
import { start } from './start.ts';

export const handler = stageTrigger(
  start({ platform: await connectPlatform(), facts: connectFacts(), tarballs: connectTarballs() }),
  connectStage('start'),
);
