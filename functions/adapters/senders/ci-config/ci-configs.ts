import type { CiConfig } from '../../../core/ports/sender.ts';
import type { SenderDefinition } from '../define-sender.ts';
import { travisConfig } from '../travis/config.ts';
import { readYamlMap } from './yaml.ts';

/** The CI configuration files of the senders, in their order, without what reads their calls. */
export const configFiles = [{ id: 'travis', configFile: travisConfig }] as const;

/**
 * Returns the CI configuration files that can hold a push, in the order of the senders. The stage `check` passes
 * `configFiles`, which contains the same as the senders but none of their readers.
 */
export function ciConfigsOf(senders: readonly Pick<SenderDefinition, 'id' | 'configFile'>[]): readonly CiConfig[] {
  return senders.flatMap(({ id, configFile }) => {
    if (configFile === null) return [];
    const { path } = configFile;
    const settingsOf = (text: string) => {
      try {
        return readYamlMap(text, path);
      } catch (error) {
        if (mayAskToWait(text)) throw error;
        return {};
      }
    };
    return [{ provider: id, path, decide: (text) => configFile.decide(settingsOf(text)) }];
  });
}

/** Whether a file that cannot be read may hold a push: that takes a webhook, in each of these files. */
function mayAskToWait(text: string): boolean {
  return /webhook/i.test(text.replaceAll('\0', ''));
}
