import { connectPlatform } from '../adapters/connect/platform.ts';
import { connectStage } from '../adapters/connect/stage.ts';
import { connectTarballs } from '../adapters/connect/tarballs.ts';
import { stageTrigger } from '../triggers/stage.ts';
import { upload } from './upload.ts';

export const handler = stageTrigger(
  upload({ platform: await connectPlatform(), tarballs: connectTarballs() }),
  connectStage('upload'),
);
