import type { DeployFacts } from '../../core/ports/deploy-facts.ts';
import { dynamoDbFacts } from '../stores/dynamodb/facts.ts';
import { connectTable } from './table.ts';

/** What the stages must know beside the entry. */
export function connectFacts(): DeployFacts {
  return dynamoDbFacts(connectTable());
}
