import { toJsonSchemaDefs } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import * as applications from '../../api/shapes/applications.ts';
import * as entry from '../../api/shapes/entry.ts';
import * as log from '../../api/shapes/log.ts';
import * as logins from '../../api/shapes/logins.ts';
import * as problems from '../../api/shapes/problems.ts';
import * as processes from '../../api/shapes/processes.ts';
import * as runs from '../../api/shapes/runs.ts';
import * as service from '../../api/shapes/service.ts';
import type { Schema } from './types.ts';

const { page: _, ...answers } = log;
const shapes: Record<string, GenericSchema> = {
  ...entry,
  ...answers,
  ...applications,
  ...processes,
  ...logins,
  ...problems,
  ...runs,
  ...service,
};

/** Returns the schemas of the API by name. */
export function schemas() {
  return toJsonSchemaDefs(shapes, {
    target: 'draft-2020-12',
    // A client ignores a field that it does not know; the service sends none.
    overrideSchema: ({ valibotSchema, jsonSchema }) =>
      valibotSchema.type === 'object' ? { ...jsonSchema, additionalProperties: false } : null,
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  }) as Readonly<Record<string, Schema>>;
}
