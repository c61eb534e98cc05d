import * as v from 'valibot';
import type { Delivery } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { oneLine } from '../../../core/text.ts';
import { defineSender, type WithoutProvider } from '../define-sender.ts';
import { verdictReader } from '../fields/verdict.ts';
import { droneBuild, droneVerdict, endFields } from './build.ts';
import { droneConfig } from './config.ts';
import { droneSignature } from './signature.ts';

/**
 * Drone's system webhooks (https://docs.drone.io/webhooks/overview/) and the webhook plugin, which is a step of a Drone
 * or Woodpecker pipeline (https://plugins.drone.io/plugins/webhook).
 */
export const drone = defineSender({
  id: 'drone',
  name: 'Drone',
  sends: 'builds',
  header: 'X-Drone-Event',
  requiredFields: ['repo.name', 'build.number', 'build.status', 'build.event'],
  signature: droneSignature,
  configFile: droneConfig,
  tested: { with: 'fixtures, of the server and of the plugin', how: ['read', 'signed'] },
  setup: ({ url }) => ({
    where: 'environment of the Drone server, for all of its repositories',
    settings: [
      ['DRONE_WEBHOOK_ENDPOINT', url],
      ['DRONE_WEBHOOK_EVENTS', 'build'],
    ],
    secretSetting: 'DRONE_WEBHOOK_SECRET',
    notes: [
      'Or for one repository, the webhook plugin as the last step of .drone.yml, as for Woodpecker, with the image ' +
        'plugins/webhook. The plugin does not sign its calls.',
    ],
  }),
  read: (call) => [read(call)],
  verdict: verdictReader(v.object({ build: endFields }), ({ build }) => droneVerdict(build)),
});

function read({ headers, body }: HookCall): WithoutProvider<Delivery> {
  const event = oneLine(headers['x-drone-event'] ?? 'build', 60) ?? 'without a name';
  if (event === 'build') return droneBuild(body);
  const reason = `The event ${event} of Drone deploys nothing; the service waits for builds.`;
  return { kind: 'notice', id: null, repository: null, reason };
}
