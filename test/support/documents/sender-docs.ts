import type { SenderDefinition } from '../../../functions/adapters/senders/define-sender.ts';
import { table } from './markdown.ts';

const PUBLISHED = 'published payloads; fixtures | read, signed';

/** How senders were tested otherwise than with fixtures that are read and, where they can be, signed. */
const TESTED: Readonly<Record<string, string>> = {
  'forgejo-actions': 'fixtures, after the source of Forgejo | read, signed',
  'gitea-actions': 'fixtures, after the source of Gitea | read, signed',
  github:
    '726 payloads of GitHub.com and Enterprise Server, published by their users (`@octokit/webhooks-examples`); fixtures | read, signed, run',
  'github-actions': PUBLISHED,
  'github-checks': PUBLISHED,
  'github-status': PUBLISHED,
  // The calls without headers have no signature either.
  'github-legacy': 'fixtures | read',
  travis: 'fixtures, those of 2012 too | read, signed, run',
  ci: 'fixtures; its set-up, run by a shell | read, run',
};

/** Returns how the senders were tested, one row for all that were tested alike. */
export function senderTable(senders: readonly SenderDefinition[]): string {
  const byTest = new Map<string, string[]>();
  for (const { name, id, signature } of senders) {
    const test = TESTED[id] ?? `fixtures | ${signature ? 'read, signed' : 'read'}`;
    byTest.set(test, [...(byTest.get(test) ?? []), `${name} (\`${id}\`)`]);
  }
  return table(
    ['sender (id)', 'tested with', 'how'],
    [...byTest].map(([test, named]) => [named.join(', '), test]),
  );
}

/** Returns when a push waits for the senders of builds, one row for all that have the same rule. */
export function holdTable(senders: readonly SenderDefinition[]): string {
  const byRule = new Map<string, string[]>();
  for (const { name, sends, configFile, holds } of senders) {
    if (sends !== 'builds') continue;
    const rule = configFile ? 'when this file has a webhook in it' : (holds ?? 'once a result was received before');
    const named = configFile ? `${name} (\`${configFile.path}\`)` : name;
    byRule.set(rule, [...(byRule.get(rule) ?? []), named]);
  }
  return table(
    ['CI', 'a push waits'],
    [...byRule].map(([rule, named]) => [named.join(', '), rule]),
  );
}
