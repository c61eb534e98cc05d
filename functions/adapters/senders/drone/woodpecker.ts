import { defineSender } from '../define-sender.ts';
import { woodpeckerConfig } from './config.ts';

/** Woodpecker, whose webhook plugin makes the same calls as Drone's. */
export const woodpecker = defineSender({
  id: 'woodpecker',
  name: 'Woodpecker',
  sends: 'builds',
  recognisedAs: 'drone',
  configFile: woodpeckerConfig,
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
