import { describe } from 'vitest';
import { callsContract, everyCase } from '../../contracts/calls.ts';
import { rolesInMemory } from '../../support/worlds/pipeline-world.ts';

// `pipeline.test.ts` has each row once.
describe('the calls of every host and CI', () => {
  callsContract(rolesInMemory, everyCase);
});
