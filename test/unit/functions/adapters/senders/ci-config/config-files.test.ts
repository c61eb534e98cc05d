import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ciConfigsOf } from '../../../../../../functions/adapters/senders/ci-config/ci-configs.ts';
import { configFiles } from '../../../../../../functions/adapters/senders/ci-config/config-files.ts';
import { senders } from '../../../../../../functions/adapters/senders/registry.ts';

const folder = fileURLToPath(new URL('../../../../../../functions/adapters/senders/', import.meta.url));

/** A value that a file exports: its path in the folder of the senders, and its name. */
interface Exported {
  readonly file: string;
  readonly name: string;
  readonly value: unknown;
}

/** Returns what the files of configurations export: those that define no sender. */
async function exportedConfigs(): Promise<readonly Exported[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('config.ts'));
  const loaded = files.sort().map(async (file): Promise<readonly Exported[]> => {
    if (readFileSync(join(folder, file), 'utf8').includes('defineSender(')) return [];
    const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(join(folder, file)).href);
    return Object.entries(module).map(([name, value]) => ({ file, name, value }));
  });
  return (await Promise.all(loaded)).flat();
}

/** Returns the source of `config-files.ts` for the senders of the registry. */
async function generated(): Promise<string> {
  const exported = await exportedConfigs();
  const configs = senders
    .filter(({ configFile }) => configFile !== null)
    .map(({ id, configFile }) => {
      const config = exported.find(({ value }) => value === configFile);
      if (config === undefined) throw new Error(`Export the configFile of ${id} from a file of its own, *config.ts.`);
      return { id, ...config };
    });
  const imports = [...configs].sort((one, other) => (one.file < other.file ? -1 : 1));
  return [
    '// Generated from the registry: npx vitest -u --config test/vitest.config.ts test/unit/functions/adapters/senders',
    ...imports.map(({ file, name }) => `import { ${name} } from '../${file}';`),
    '',
    '/** The CI configuration files of the senders, without what reads their calls. */',
    'export const configFiles = [',
    ...configs.map(({ id, name }) => `  { id: '${id}', configFile: ${name} },`),
    '] as const;',
    '',
  ].join('\n');
}

describe('the list of CI configuration files', () => {
  it('is generated from the registry', async () => {
    await expect(await generated()).toMatchFileSnapshot(join(folder, 'ci-config/config-files.ts'));
  });

  it('contains the files of the senders in their order', () => {
    const described = (list: Parameters<typeof ciConfigsOf>[0]) =>
      ciConfigsOf(list).map(({ provider, path, alsoElsewhere }) => ({ provider, path, alsoElsewhere }));
    expect(described(configFiles)).toEqual(described(senders));
  });

  it('is all that the stages on AWS load of the senders', () => {
    const events = readFileSync(join(folder, '../../aws/events.ts'), 'utf8');
    expect(events.match(/senders\/[\w/-]+\.ts/g)).toEqual([
      'senders/ci-config/ci-configs.ts',
      'senders/ci-config/config-files.ts',
    ]);
  });
});
