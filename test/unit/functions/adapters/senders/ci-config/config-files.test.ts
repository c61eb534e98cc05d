import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configFiles } from '../../../../../../functions/adapters/senders/ci-config/config-files.ts';
import { senders } from '../../../../../../functions/adapters/senders/registry.ts';

describe('the list of CI configuration files', () => {
  it('contains the files of the senders in their order', () => {
    const ofSenders = senders.flatMap(({ id, configFile }) => (configFile === null ? [] : [{ id, configFile }]));
    expect(configFiles).toEqual(ofSenders);
  });

  it('is all that the stages on AWS load of the senders', () => {
    const events = readFileSync(new URL('../../../../../../functions/aws/events.ts', import.meta.url), 'utf8');
    expect(events.match(/senders\/[\w/-]+\.ts/g)).toEqual([
      'senders/ci-config/ci-configs.ts',
      'senders/ci-config/config-files.ts',
    ]);
  });
});
