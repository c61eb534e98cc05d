import { type ConfigFile, defineSender } from '../define-sender.ts';
import { decideByStep } from './webhook-step.ts';

const path = '.woodpecker.yml';

/**
 * A push waits when the file has a step with the webhook plugin (https://woodpecker-ci.org/plugins/webhook,
 * https://woodpecker-ci.org/docs/usage/workflow-syntax). Woodpecker reads its configuration from other files too.
 */
const configFile: ConfigFile = {
  path,
  format: 'documents',
  alsoElsewhere: true,
  decide: (documents) => decideByStep(documents, path, 'Woodpecker'),
};

/** Woodpecker, whose webhook plugin makes the same calls as Drone's. */
export const woodpecker = defineSender({
  id: 'woodpecker',
  name: 'Woodpecker',
  sends: 'builds',
  recognisedAs: 'drone',
  configFile,
  tested: { with: 'fixtures of the plugin', how: ['read'] },
  setup: ({ plainUrl, user, secret }) => ({
    where: 'last step of .woodpecker.yml',
    lines: [
      '- name: deploy',
      '  image: woodpeckerci/plugin-webhook',
      '  settings:',
      `    urls: ${plainUrl}`,
      `    username: ${user}`,
      '    password: {from_secret: deploy_token}',
      '  when: {event: push, status: success}',
    ].join('\n'),
    notes: [`The secret deploy_token contains ${secret}, an API token of the platform.`],
  }),
});
