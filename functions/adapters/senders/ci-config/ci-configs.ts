import type { CiConfig } from '../../../core/ports/sender.ts';
import type { SenderDefinition } from '../define-sender.ts';
import { readYamlDocuments, readYamlMap } from './yaml.ts';

/**
 * Returns the CI configuration files that can hold a push, in the order of the senders. The stage `check` passes
 * `configFiles`, which contains the same as the senders but none of their readers.
 */
export function ciConfigsOf(senders: readonly Pick<SenderDefinition, 'id' | 'configFile'>[]): readonly CiConfig[] {
  return senders.flatMap(({ id, configFile }) => {
    if (configFile === null) return [];
    const { path, format, alsoElsewhere = false } = configFile;
    const read = format === 'map' ? readYamlMap : readYamlDocuments;
    return [{ provider: id, path, alsoElsewhere, decide: (text) => configFile.decide(read(text, path)) }];
  });
}
