import type { SetupText } from '../../core/ports/page.ts';
import type { SenderDefinition } from './define-sender.ts';
import { secretAdvice, senders } from './registry.ts';
import type { Setup } from './setup.ts';

const USER = '<user>';
const SECRET = '<token>';

/** Returns the set-up of every sender that can be set up, with placeholders for the login and the repository. */
export function setupTexts(service: string): readonly SetupText[] {
  return senders.flatMap((sender) => (sender.setup ? [textOf(sender, sender.setup, service)] : []));
}

function textOf(sender: SenderDefinition, setup: Setup, service: string): SetupText {
  const { id, name, sends, previews, signature } = sender;
  const plainUrl = `${service}/1/deploy`;
  const {
    where,
    settings = [],
    lines,
    secretSetting,
    notes = [],
  } = setup({
    url: plainUrl.replace('://', `://${USER}:${SECRET}@`),
    plainUrl,
    authorization: `Basic <base64 of ${USER}:${SECRET}>`,
    user: USER,
    secret: SECRET,
    repository: '<owner>/<repository>',
  });
  const secret = secretSetting && signature ? [[secretSetting, secretAdvice(sender)] as const] : [];
  return { id, name, sends, where, settings: [...settings, ...secret], lines: lines ?? null, notes, previews };
}
