import { toJsonSchemaDefs } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { type Endpoint, endpoints, groups } from '../../api/endpoints/endpoints.ts';
import type { Answer, Operation, Parameter, Ref, Schema } from '../../api/endpoints/openapi.ts';
import type { Row } from '../../api/endpoints/row.ts';
import { type Route, routes } from '../../api/routes.ts';
import * as applications from '../../api/shapes/applications.ts';
import * as entry from '../../api/shapes/entry.ts';
import * as log from '../../api/shapes/log.ts';
import * as logins from '../../api/shapes/logins.ts';
import * as problems from '../../api/shapes/problems.ts';
import * as processes from '../../api/shapes/processes.ts';
import * as service from '../../api/shapes/service.ts';
import { version } from '../../core/version.ts';
import { cached } from '../cached.ts';
import { headers, pathParameters, sharedParameters } from './components.ts';
import { problemAnswer, responsesOf } from './responses.ts';

const DESCRIPTION = [
  'Push to deploy: a repository host or a CI provider calls the webhook, and the commit becomes a running application.',
  'Every answer has `x-api-uuid`, unique to the request, and `x-api-version`. Every error is a problem document (RFC 9457) whose `type` is the address that explains its code.',
  'An unknown path is `404 request:not_found`, a known path with another method `405 request:method_not_allowed` with `Allow`. A slash at the end of a path makes no difference.',
].join('\n\n');

/** Returns the description of the API. `base` is the address of the service, without a slash at the end. */
export function openApi(base: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Deployment Webhooks',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: base }],
    tags: Object.entries(groups).map(([name, { description }]) => ({ name, description })),
    security: [{ basic: [] }],
    paths: paths(),
    components: {
      schemas: schemas(),
      parameters: { ...pathParameters, ...sharedParameters },
      headers,
      responses: ELSEWHERE,
      securitySchemes: {
        basic: {
          type: 'http',
          scheme: 'basic',
          description: 'The user name of the platform, with the password or an API token.',
        },
      },
    },
  };
}

/** The answers at addresses that are none of the endpoints. */
const ELSEWHERE: Readonly<Record<string, Answer>> = {
  NotFound: problemAnswer(['request:not_found']),
  MethodNotAllowed: problemAnswer(['request:method_not_allowed']),
};

function paths() {
  const operations: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    operations[route.path] = { ...operations[route.path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return operations;
}

function operationOf(route: Route): Operation {
  const endpoint = `${route.method} ${route.path}` as Endpoint;
  const row: Row = endpoints[endpoint];
  const { operationId, summary, description, parameters = [], body } = row;
  const tags = Object.keys(groups).filter((name) => Object.hasOwn(groups[name]?.endpoints ?? {}, endpoint));
  const variables = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => reference(name));
  return {
    operationId,
    tags,
    summary,
    ...(description && { description }),
    parameters: [...variables, ...parameters.map(shown)],
    ...(body && { requestBody: body }),
    ...(route.login === 'none' && { security: [] }),
    responses: responsesOf(route, row),
  };
}

function shown(parameter: Parameter): Parameter | Ref {
  const name = Object.keys(sharedParameters).find((one) => sharedParameters[one] === parameter);
  return name === undefined ? parameter : reference(name);
}

function reference(name: string): Ref {
  return { $ref: `#/components/parameters/${name}` };
}

/** `GET /1/openapi.json` and `GET /1/openapi`, without login: the description of the API, OpenAPI 3.1. */
export const describeApi = cached((base) => ({ type: 'application/json', body: JSON.stringify(openApi(base)) }));

const { page: _page, ...answers } = log;
const { previewFields: _fields, ...entries } = entry;
const shapes: Record<string, GenericSchema> = {
  ...entries,
  ...answers,
  ...applications,
  ...processes,
  ...logins,
  ...problems,
  ...service,
};

function schemas() {
  return toJsonSchemaDefs(shapes, {
    target: 'draft-2020-12',
    // A client ignores a field that it does not know; the service sends none.
    overrideSchema: ({ valibotSchema, jsonSchema }) =>
      valibotSchema.type === 'object' ? { ...jsonSchema, additionalProperties: false } : null,
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  }) as Readonly<Record<string, Schema>>;
}
