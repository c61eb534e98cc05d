import { readFileSync } from 'node:fs';
import { configFile, readConfig } from '../../local/config/config.ts';
import { dataFolder } from '../../local/config/start-place.ts';
import { type Call, type CommandDefinition, JSON_OPTION } from '../command.ts';
import { findService } from '../service/find-service.ts';
import { columns } from '../text.ts';

export const config: CommandDefinition = {
  name: 'config',
  summary: 'Print the configuration file of the service on this machine, and what can be set in it',
  details: `Secrets are hidden. The file is written by hand and checked at the next start. It also says which service the other
commands call.`,
  options: [{ flags: '--values', about: 'print the secrets too' }, JSON_OPTION],
  examples: [
    ['hooks config', 'path, content and settings'],
    ['hooks config --json', 'the content alone'],
  ],
  run: async (call) => {
    const { env, args, print } = call;
    const dataDir = dataFolder(env);
    const { hookSecrets, ...open } = readConfig(dataDir);
    const hidden = Object.fromEntries(Object.keys(hookSecrets ?? {}).map((who) => [who, '(hidden: --values)']));
    const content = { ...open, ...(hookSecrets && { hookSecrets: args.flag('values') ? hookSecrets : hidden }) };
    if (args.flag('json')) {
      print(JSON.stringify(content));
      return 0;
    }
    const isEmpty = Object.keys(content).length === 0;
    print(`${configFile(dataDir)}${isEmpty ? ' (nothing is set)' : ''}`);
    if (!isEmpty) print(JSON.stringify(content, null, 2));
    print(`\nSettings, all optional:\n${settings().join('\n')}`);
    print(`\nThe other commands call ${await called(call)}.`);
    return 0;
  },
};

/** The table of the README of lib/local, so that there is one documentation. */
function settings(): readonly string[] {
  const readme = readFileSync(new URL('../../local/README.md', import.meta.url), 'utf8');
  const [, table = ''] = readme.split(/<!-- \/?settings -->/);
  const rows = [...table.matchAll(/^\| `(\w+)` \|([^|]*)\| (.+) \|$/gm)];
  const text = (markdown = '') =>
    markdown
      .replaceAll(/\[([^[\]]+)\]\([^()]+\)/g, '$1')
      .replaceAll('`', '')
      .trim();
  return columns(rows.map(([, name = '', fallback, about]) => [`  ${name}`, text(fallback), text(about)]));
}

async function called(call: Call): Promise<string> {
  try {
    const { url, user, from } = await findService(call);
    return `${url} as ${user}: ${from}`;
  } catch {
    return 'no service: none runs here, and there is no login';
  }
}
