import { describe } from 'vitest';
import { abbreviatedPreviewContract } from '../../contracts/abbreviated-previews.ts';
import { callsContract, oneCase } from '../../contracts/calls.ts';
import { hostAwayContract } from '../../contracts/host-away.ts';
import { overrulingContract } from '../../contracts/overruled.ts';
import { pipelineContract } from '../../contracts/pipeline.ts';
import { previewCiContract } from '../../contracts/preview-ci.ts';
import { previewContract } from '../../contracts/previews.ts';
import { watchedPreviewContract } from '../../contracts/watched-previews.ts';
import { rolesInMemory } from '../../support/worlds/pipeline-world.ts';

// `pipeline.long.test.ts` has the other hosts.
describe('the pipeline on the log in memory', () => {
  pipelineContract(rolesInMemory, 50);
  overrulingContract(rolesInMemory);
  previewContract(rolesInMemory, ['GitHub']);
  previewCiContract(rolesInMemory);
  watchedPreviewContract(rolesInMemory);
  abbreviatedPreviewContract(rolesInMemory);
});

describe('a repository host that is away', () => {
  hostAwayContract(rolesInMemory);
});

describe('the calls of hosts and CI, on the log in memory', () => {
  callsContract(rolesInMemory, oneCase);
});
