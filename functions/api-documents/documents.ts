import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { DeployError } from '../core/errors.ts';
import { explainErrors } from './errors/explain.ts';
import { describeApi } from './openapi/document.ts';

const documents: Readonly<Record<string, (request: HttpRequest) => HttpAnswer>> = {
  '/errors': explainErrors,
  '/1/openapi.json': describeApi,
  '/1/openapi': describeApi,
};

/** Returns the document at the address of the request. None needs a login. */
export async function answerDocument(request: HttpRequest): Promise<HttpAnswer> {
  const answer = documents[request.resource];
  if (!answer) throw new DeployError('request:not_found', 'There is no such document.');
  return answer(request);
}
