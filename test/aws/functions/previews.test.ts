import { describe } from 'vitest';
import { abbreviatedPreviewContract } from '../../contracts/abbreviated-previews.ts';
import { previewCiContract } from '../../contracts/preview-ci.ts';
import { previewContract } from '../../contracts/previews.ts';
import { watchedPreviewContract } from '../../contracts/watched-previews.ts';
import { createLogTables, emulatedDatabase } from '../../support/dynamodb-table.ts';
import { dynamoDbRoles } from '../../support/worlds/dynamodb-roles.ts';

describe('previews on the log in DynamoDB', () => {
  const database = emulatedDatabase(createLogTables);
  const roles = () => dynamoDbRoles(database());

  // One host and one build: what their calls say is read before the log, and all of them are told to the log in memory.
  previewContract(roles, ['GitHub']);
  previewCiContract(roles, ['github-status/success']);
  watchedPreviewContract(roles);
  abbreviatedPreviewContract(roles);
});
