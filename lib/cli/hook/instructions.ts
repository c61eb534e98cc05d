import type { SenderDefinition } from '../../../functions/adapters/senders/define-sender.ts';
import { secretAdvice } from '../../../functions/adapters/senders/registry.ts';
import type { Setup, SetupValues } from '../../../functions/adapters/senders/setup.ts';
import { basic, type Login } from '../../client/client.ts';
import type { WebhookSettings } from './options.ts';

/** Printed in place of the secret. */
export const SECRET_PLACEHOLDER = '<token>';

/** What follows the set-up, by what the sender sends. */
const THEN = {
  pushes: 'The next push of the branch deploys it; "Connect" on the page of the service deploys what is there already.',
  builds: 'A push that waits for CI is deployed when this calls with a passed build.',
};

/**
 * Returns the instructions to set up a sender's webhook, line by line. The secret is a placeholder unless it is to be
 * shown.
 */
export function instructions(sender: SenderDefinition, setup: Setup, options: WebhookSettings): readonly string[] {
  const { where, settings = [], lines, secretSetting, notes = [] } = setup(valuesOf(options));
  const secret = secretSetting && sender.signature ? [[secretSetting, secretAdvice(sender)] as const] : [];
  const events = options.previews && sender.previews !== null ? [['And the events', sender.previews] as const] : [];
  const rows = [...settings, ...events, ...secret];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    where,
    '',
    ...(lines?.split('\n').map((line) => `  ${line}`) ?? []),
    ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
    ...[...notes, THEN[sender.sends]].map((note) => `\n${note}`),
  ];
}

function valuesOf(options: WebhookSettings): SetupValues {
  const { user, repository, secret, showSecret } = options;
  const shown = showSecret ? secret : undefined;
  const login = { user, secret: shown ?? SECRET_PLACEHOLDER };
  return {
    url: endpoint(options, login),
    plainUrl: endpoint(options, null),
    authorization: shown === undefined ? `Basic <base64 of ${user}:${SECRET_PLACEHOLDER}>` : basic(login),
    ...login,
    repository,
  };
}

/** Returns the URL that a webhook calls, with the login in it unless `login` is null. */
function endpoint({ service, branch, environment, previews }: WebhookSettings, login: Login | null): string {
  const query = [
    branch && `branch=${encodeURIComponent(branch)}`,
    environment && `environment=${environment}`,
    previews && `previews=${previews}`,
  ]
    .filter(Boolean)
    .join('&');
  const plain = `${service}/1/deploy${query === '' ? '' : `?${query}`}`;
  if (login === null) return plain;
  const parts = [login.user, login.secret].map((part) => (/^<\w+>$/.test(part) ? part : encodeURIComponent(part)));
  return plain.replace('://', `://${parts.join(':')}@`);
}
