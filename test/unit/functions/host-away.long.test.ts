import { hostAnswersContract, hostPaceContract } from '../../contracts/host-answers.ts';
import { rolesInMemory } from '../../support/worlds/pipeline-world.ts';

hostAnswersContract(rolesInMemory);
hostPaceContract(rolesInMemory);
