import { KMSClient } from '@aws-sdk/client-kms';
import type { TokenAccess } from '../../core/access.ts';
import { kmsSealer } from '../sealers/kms.ts';
import { dynamoDbTokens } from '../stores/dynamodb/tokens.ts';
import { variable } from './environment.ts';
import { connectTable } from './table.ts';

/** The stored tokens and the key that opens them, from `TOKEN_KEY`. */
export function connectTokens(): TokenAccess {
  return { tokens: dynamoDbTokens(connectTable()), sealer: kmsSealer(new KMSClient({}), variable('TOKEN_KEY')) };
}
