import type { CiConfig } from '../../../core/ports/ci-config.ts';
import { appveyorConfig } from '../appveyor/config.ts';
import { buildkiteConfig } from '../buildkite/config.ts';
import { droneConfig } from '../drone/config.ts';
import { woodpeckerConfig } from '../drone/woodpecker.ts';
import { travisConfig } from '../travis/config.ts';

/** Every CI configuration that can hold a push, in the order in which a tree is asked for them. */
export const ciConfigs: readonly CiConfig[] = [
  travisConfig,
  buildkiteConfig,
  appveyorConfig,
  droneConfig,
  woodpeckerConfig,
];
