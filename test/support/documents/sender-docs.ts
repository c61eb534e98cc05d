import type { SenderDefinition } from '../../../functions/adapters/senders/define-sender.ts';
import { secretAdvice } from '../../../functions/adapters/senders/registry.ts';
import type { SetupValues } from '../../../functions/adapters/senders/setup.ts';
import { table } from './markdown.ts';

/** The values of the instructions in the documentation. */
const values: SetupValues = {
  url: '<address>',
  plainUrl: 'https://<service>/1/deploy',
  authorization: 'Basic <base64 of user:token>',
  user: '<user>',
  secret: '<token>',
  repository: '<owner>/<repository>',
  web: (usual) => usual,
};

/** Returns one row for each sender: how it was tested. */
export function senderTable(senders: readonly SenderDefinition[]): string {
  const rows = senders.map(({ name, id, tested }) => [name, `\`${id}\``, tested.with, tested.how.join(', ')]);
  return table(['sender', 'id', 'tested with', 'how'], rows);
}

/** Returns when a push waits for the senders of builds, one row for all that have the same rule. */
export function holdTable(senders: readonly SenderDefinition[]): string {
  const builders = senders.filter(({ sends }) => sends === 'builds');
  const rules = [...new Set(builders.map(holds))];
  const named = (rule: string) => builders.filter((one) => holds(one) === rule).map(({ name }) => name);
  const rows = rules.map((rule) => [named(rule).join(', '), rule]);
  return table(['CI', 'a push waits'], rows);
}

/**
 * Returns a section for each sender that can be set up, with the same settings that `hooks hook` prints. A host's own CI
 * has the host's webhook: its section has what differs.
 */
export function setupSections(senders: readonly SenderDefinition[]): string {
  const before: Section[] = [];
  for (const sender of senders) {
    const section = setupSection(sender);
    if (section) before.push(section);
  }
  return before.map((section, index) => written(section, before.slice(0, index))).join('\n\n');
}

interface Section {
  readonly name: string;
  readonly where: string;
  readonly lines: string[];
  readonly settings: string[];
  readonly notes: readonly string[];
}

function setupSection(sender: SenderDefinition): Section | null {
  if (sender.setup === null) return null;
  const { where, settings = [], lines, language = 'yaml', secretSetting, notes = [] } = sender.setup(values);
  const secret = secretSetting && sender.signature ? [[secretSetting, secretAdvice(sender)]] : [];
  return {
    name: sender.name,
    where: linked(where),
    lines: lines === undefined ? [] : [`\`\`\`${language}\n${lines}\n\`\`\``],
    settings: [...settings, ...secret].map(([name = '', value = '']) => `- ${name}: ${marked(value)}`),
    notes,
  };
}

function written({ name, where, lines, settings, notes }: Section, before: readonly Section[]): string {
  const host = lines.length > 0 ? undefined : before.find((one) => name.startsWith(`${one.name} `));
  const rows = host ? settings.filter((row) => !host.settings.includes(row)) : settings;
  const parts = [host ? `The webhook of ${host.name}, with` : where, ...lines, rows.join('\n'), ...notes];
  return `## ${name}\n\n${parts.filter(Boolean).join('\n\n')}`;
}

function holds({ configFile, holds: described }: SenderDefinition): string {
  const called = 'once a result was received before';
  if (configFile === null) return described ?? called;
  const { path, alsoElsewhere } = configFile;
  return `when \`${path}\` has a webhook in it${alsoElsewhere ? `, or ${called}` : ''}`;
}

/** Addresses and placeholders as code: `<user>` alone would be an HTML element. */
function marked(value: string): string {
  return value.includes('<') || value.startsWith('http') ? `\`${value}\`` : value;
}

function linked(where: string): string {
  return where.replace(/(?:https:\/\/|<your host>)\S+/, (address) => `\`${address}\``);
}
