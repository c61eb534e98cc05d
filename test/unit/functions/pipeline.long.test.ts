import { describe } from 'vitest';
import { HOSTS, previewContract } from '../../contracts/previews.ts';
import { rolesInMemory } from '../../support/worlds/pipeline-world.ts';

describe('the pipeline on the log in memory', () => {
  const others = HOSTS.filter((name) => name !== 'GitHub');
  previewContract(rolesInMemory, others);
});
