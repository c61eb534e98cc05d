import type { Endpoint } from '../../../core/routes.ts';
import type { Described } from '../described.ts';
import { applicationOperations } from './applications.ts';
import { deployOperations } from './deploy.ts';
import { documentOperations } from './documents.ts';
import { loginOperations } from './login.ts';
import { pageOperations } from './page.ts';
import { statusOperations } from './status.ts';

const all = {
  ...deployOperations,
  ...statusOperations,
  ...applicationOperations,
  ...loginOperations,
  ...documentOperations,
  ...pageOperations,
};

/** The description of every endpoint. The compiler refuses a route without one, and one without a route. */
export const operations: Readonly<Record<Endpoint, Described>> = all satisfies Record<
  Exclude<keyof typeof all, Endpoint>,
  never
>;
