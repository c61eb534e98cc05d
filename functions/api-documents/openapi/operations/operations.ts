import type { Endpoint } from '../../../core/routes.ts';
import type { Described } from '../described.ts';
import { applicationOperations } from './applications.ts';
import { deployOperations } from './deploy.ts';
import { documentOperations } from './documents.ts';
import { loginOperations } from './login.ts';
import { statusOperations } from './status.ts';

interface Group {
  readonly description: string;
  readonly operations: Readonly<Record<string, Described>>;
}

/** The endpoints by their tags, in the order in which they are shown. */
export const groups: Readonly<Record<string, Group>> = {
  deploy: { description: 'The webhook.', operations: deployOperations },
  status: { description: 'The log of deploys, and its changes.', operations: statusOperations },
  applications: {
    description: 'Applications, and what can be done with them.',
    operations: applicationOperations,
  },
  login: { description: 'API tokens, and the tokens of repository hosts.', operations: loginOperations },
  documents: { description: 'What needs no login.', operations: documentOperations },
};

const all = {
  ...deployOperations,
  ...statusOperations,
  ...applicationOperations,
  ...loginOperations,
  ...documentOperations,
};

/** The description of every endpoint. The compiler refuses a route without one, and one without a route. */
export const operations: Readonly<Record<Endpoint, Described>> = all satisfies Record<
  Exclude<keyof typeof all, Endpoint>,
  never
>;
