import type { SenderDefinition } from '../../../functions/adapters/senders/define-sender.ts';
import { table } from './markdown.ts';

/** Returns how the senders were tested, one row for all that were tested alike. */
export function senderTable(senders: readonly SenderDefinition[]): string {
  const byTest = new Map<string, string[]>();
  for (const { name, id, tested } of senders) {
    const test = `${tested.with} | ${tested.how.join(', ')}`;
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
