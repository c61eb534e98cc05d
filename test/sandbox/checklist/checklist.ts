import { buildDelay, machines, signedAddress, variables } from './builds.ts';
import { socketAuthorizer, stageVariables } from './gateway.ts';
import type { Item } from './item.ts';
import { commands, ownLog, wordsOfAnEnd } from './lambda.ts';

/** What only an account can show, in the order in which it is asked. */
export const checklist: readonly Item[] = [
  ...[socketAuthorizer, ownLog, stageVariables, wordsOfAnEnd, commands],
  ...[signedAddress, machines, variables, buildDelay],
];
