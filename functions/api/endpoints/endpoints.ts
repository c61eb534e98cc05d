import { applicationEndpoints } from './applications.ts';
import { deployEndpoints } from './deploy.ts';
import { documentEndpoints } from './documents.ts';
import { loginEndpoints } from './login.ts';
import { operationEndpoints } from './operations.ts';
import type { Row } from './row.ts';
import { statusEndpoints } from './status.ts';

interface Group {
  readonly description: string;
  readonly endpoints: Readonly<Record<string, Row>>;
}

/** The endpoints by their tags, in the order in which they are shown. */
export const groups: Readonly<Record<string, Group>> = {
  deploy: { description: 'The webhook.', endpoints: deployEndpoints },
  status: { description: 'The log of deploys, and its changes.', endpoints: statusEndpoints },
  applications: {
    description: 'Applications, and what can be done with them.',
    endpoints: { ...applicationEndpoints, ...operationEndpoints },
  },
  login: { description: 'API tokens, and the tokens of repository hosts.', endpoints: loginEndpoints },
  documents: { description: 'What needs no login.', endpoints: documentEndpoints },
};

/** Every endpoint of the API: one row each. */
export const endpoints = {
  ...deployEndpoints,
  ...statusEndpoints,
  ...applicationEndpoints,
  ...operationEndpoints,
  ...loginEndpoints,
  ...documentEndpoints,
};

/** The method and path of an endpoint. */
export type Endpoint = keyof typeof endpoints;

/** The functions that answer endpoints: each has its access on AWS and its work on one machine. */
export type EndpointFunction = (typeof endpoints)[Endpoint]['function'];
