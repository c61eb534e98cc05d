import { dispatch } from '../api/dispatch.ts';
import { explainErrors } from './errors/explain.ts';
import { describeApi } from './openapi/document.ts';

/** Returns the documents, none of which needs a login. */
export const documents = dispatch('api-documents', {
  'GET /errors': explainErrors,
  'GET /1/openapi.json': describeApi,
  'GET /1/openapi': describeApi,
});
