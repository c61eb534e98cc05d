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
  const builders = senders.filter(({ sends }) => sends === 'builds');
  const rules = [...new Set(builders.map(holds))];
  const named = (rule: string) => builders.filter((one) => holds(one) === rule).map(({ name }) => name);
  const rows = rules.map((rule) => [named(rule).join(', '), rule]);
  return table(['CI', 'a push waits'], rows);
}

function holds({ configFile, holds: described }: SenderDefinition): string {
  const called = 'once a result was received before';
  if (configFile === null) return described ?? called;
  const { path, alsoElsewhere } = configFile;
  return `when \`${path}\` has a webhook in it${alsoElsewhere ? `, or ${called}` : ''}`;
}
