import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { Delivery } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { sameSecret } from '../../../core/secrets.ts';
import { oneLine } from '../../../core/text.ts';
import { defineSender, type WithoutProvider } from '../define-sender.ts';
import { verdictReader } from '../fields/verdict.ts';
import { hmac, isRecent, type SignatureScheme } from '../signatures/scheme.ts';
import { droneBuild, droneVerdict, endFields } from './build.ts';
import { droneConfig } from './config.ts';

/**
 * Drone: an HTTP signature over the headers `date` and `digest`, which is the digest of the body
 * (https://docs.drone.io/webhooks/overview/, https://datatracker.ietf.org/doc/html/draft-cavage-http-signatures).
 */
const droneSignature: SignatureScheme = {
  isSigned: (headers) => Boolean(headers.signature),
  isValid: ({ headers, raw }, secret, now) => {
    const { date = '', digest = '', signature = '' } = headers;
    if (!sameSecret(digest, `SHA-256=${createHash('sha256').update(raw).digest('base64')}`)) return false;
    if (!isRecent(Date.parse(date) / 1000, now)) return false;
    const signed = parameter(signature, 'headers') ?? '';
    if (!['date', 'digest'].every((name) => signed.split(' ').includes(name))) return false;
    return sameSecret(parameter(signature, 'signature') ?? '', hmac(secret, 'base64', signingText(signed, headers)));
  },
};

function signingText(names: string, headers: HookCall['headers']): string {
  return names
    .split(' ')
    .map((name) => `${name}: ${headers[name] ?? ''}`)
    .join('\n');
}

function parameter(signature: string, name: string): string | undefined {
  return new RegExp(`(?:^|[ ,])${name}="([^"]{1,500})"`).exec(signature.slice(0, 2000))?.[1];
}

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
