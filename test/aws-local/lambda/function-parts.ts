import type { Concurrency } from '../strict/concurrency.ts';
import type { CodeStore } from './code.ts';
import type { FunctionStore } from './function-store.ts';
import type { FunctionUrls } from './function-urls.ts';
import type { Runner } from './runner.ts';

/** Dependencies of the operations on functions. */
export interface FunctionParts {
  readonly store: FunctionStore;
  readonly code: CodeStore;
  readonly runner: Runner;
  readonly urls: FunctionUrls;
  /** The roles that Lambda may assume, by their ARNs. */
  readonly roles: ReadonlySet<string>;
  readonly concurrency: Concurrency;
}
