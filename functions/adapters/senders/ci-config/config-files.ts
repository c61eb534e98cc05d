import { appveyorConfig } from '../appveyor/config.ts';
import { buildkiteConfig } from '../buildkite/config.ts';
import { droneConfig, woodpeckerConfig } from '../drone/config.ts';
import { travisConfig } from '../travis/config.ts';

/** The CI configuration files of the senders, in their order, without what reads their calls. */
export const configFiles = [
  { id: 'travis', configFile: travisConfig },
  { id: 'buildkite', configFile: buildkiteConfig },
  { id: 'appveyor', configFile: appveyorConfig },
  { id: 'drone', configFile: droneConfig },
  { id: 'woodpecker', configFile: woodpeckerConfig },
] as const;
