import { describe } from 'vitest';
import { abbreviatedPreviewContract } from '../../contracts/abbreviated-previews.ts';
import { previewCiContract } from '../../contracts/preview-ci.ts';
import { previewContract } from '../../contracts/previews.ts';
import { watchedPreviewContract } from '../../contracts/watched-previews.ts';
import { createLogTables, emulatedDatabase } from '../../support/dynamodb-table.ts';
import { dynamoDbRoles } from '../../support/worlds/dynamodb-roles.ts';

describe('previews on the log in DynamoDB', () => {
  // The previews of all users are looked after.
  const database = emulatedDatabase(createLogTables, { each: true });
  const roles = () => dynamoDbRoles(database());

  previewContract(roles);
  previewCiContract(roles);
  watchedPreviewContract(roles);
  abbreviatedPreviewContract(roles);
});
