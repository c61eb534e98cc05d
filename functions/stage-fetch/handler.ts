import { variable } from '../adapters/aws/environment.ts';
import { s3 } from '../adapters/aws/s3.ts';
import { s3Tarballs } from '../adapters/stores/s3-tarballs.ts';
import { receive } from '../triggers/aws-ports.ts';
import { fetchTokens, repositoryHosts } from '../triggers/host-ports.ts';
import { stageTrigger } from '../triggers/stage.ts';
import { fetchTarball } from './fetch.ts';

const ports = {
  ...receive('fetch'),
  host: repositoryHosts().named,
  token: fetchTokens(),
  tarballs: s3Tarballs({ client: s3(), bucket: variable('TARBALL_BUCKET') }),
};

export const handler = stageTrigger(fetchTarball(ports), ports);
