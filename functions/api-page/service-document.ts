import type { Service } from '../api/shapes/service.ts';
import { version } from '../core/version.ts';

/**
 * Returns what `GET /` answers to programs: the service's name, version and links. `<user>` stands for the user's name.
 */
export function serviceDocument(base: string, signalsUrl: string): Service {
  return {
    name: 'deployment-webhooks',
    version,
    links: {
      page: `${base}/`,
      deploy: `${base}/1/deploy`,
      log: `${base}/1/status/<user>/webhooks`,
      changes: `${base}/1/status/<user>/changes`,
      applications: `${base}/1/apps/<user>`,
      senders: `${base}/1/senders`,
      errors: `${base}/errors`,
      signals: signalsUrl,
      openapi: `${base}/1/openapi.json`,
    },
  };
}
