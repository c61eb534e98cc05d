// Generated from the registry: npx vitest -u --config test/vitest.config.ts test/unit/functions/adapters/senders
import { appveyorConfig } from '../appveyor/config.ts';
import { buildkiteConfig } from '../buildkite/config.ts';
import { droneConfig } from '../drone/config.ts';
import { woodpeckerConfig } from '../drone/woodpecker-config.ts';
import { travisConfig } from '../travis/config.ts';

/** The CI configuration files of the senders, without what reads their calls. */
export const configFiles = [
  { id: 'travis', configFile: travisConfig },
  { id: 'buildkite', configFile: buildkiteConfig },
  { id: 'appveyor', configFile: appveyorConfig },
  { id: 'drone', configFile: droneConfig },
  { id: 'woodpecker', configFile: woodpeckerConfig },
] as const;
