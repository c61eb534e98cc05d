import type { Schema } from '../types.ts';
import { applicationSchemas } from './applications.ts';
import { entrySchemas } from './entry.ts';
import { logSchemas } from './log.ts';
import { loginSchemas } from './logins.ts';
import { pageSchemas } from './page.ts';
import { problemSchemas } from './problems.ts';

/** The schemas of the API by name. */
export const schemas: Readonly<Record<string, Schema>> = {
  ...entrySchemas,
  ...logSchemas,
  ...applicationSchemas,
  ...loginSchemas,
  ...problemSchemas,
  ...pageSchemas,
};
