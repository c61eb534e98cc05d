import { connectHosts } from '../adapters/connect/hosts.ts';
import { connectStage } from '../adapters/connect/stage.ts';
import { connectTarballs } from '../adapters/connect/tarballs.ts';
import { stageTrigger } from '../triggers/stage.ts';
import { fetchTarball } from './fetch.ts';

export const handler = stageTrigger(
  fetchTarball({ ...connectHosts(), tarballs: connectTarballs() }),
  connectStage('fetch'),
);
