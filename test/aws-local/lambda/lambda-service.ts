import type { InvocationRequest } from '@aws-sdk/client-lambda';
import type { S3Client } from '@aws-sdk/client-s3';
import type { LogStore } from '../logs/log-store.ts';
import type { RoleDenial } from '../permissions/permissions.ts';
import type { Concurrency } from '../strict/concurrency.ts';
import { operation, type Service } from '../wire/service.ts';
import { accessOperations } from './access-operations.ts';
import { openCodeStore } from './code.ts';
import { functionOperations } from './function-operations.ts';
import { openFunctionStore } from './function-store.ts';
import { openFunctionUrls } from './function-urls.ts';
import { invokeFunction, openInvocations } from './invocations.ts';
import { ownLogs } from './own-logs.ts';
import { openRunner } from './runner.ts';

/** Lambda's control plane and what it runs. */
export interface LambdaService {
  readonly service: Service;
  /** Ends the servers and the processes. */
  close(): Promise<void>;
}

/** Dependencies of Lambda. */
export interface LambdaOptions {
  /** For the artifacts of functions. */
  readonly folder: string;
  readonly s3: S3Client;
  readonly logs: LogStore;
  /** The roles that Lambda may assume, by their ARNs. */
  readonly roles: ReadonlySet<string>;
  readonly denialOf: RoleDenial;
  readonly concurrency: Concurrency;
}

/**
 * Opens the functions that were created by calls; those of the template are not among them.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Operations.html
 */
export function openLambda(options: LambdaOptions): LambdaService {
  const { folder, s3, logs, roles, denialOf, concurrency } = options;
  const store = openFunctionStore();
  const code = openCodeStore(folder, s3);
  const runner = openRunner(ownLogs(logs, denialOf));
  const invocations = openInvocations({ code, runner, concurrency });
  const urls = openFunctionUrls({ store, invocations });
  const parts = { store, code, runner, urls, roles, concurrency };
  return {
    service: {
      name: 'Lambda',
      load: () => import('@aws-sdk/client-lambda'),
      operations: {
        ...functionOperations(parts),
        ...accessOperations(parts),
        Invoke: operation<InvocationRequest>(
          ['FunctionName', 'Qualifier', 'InvocationType', 'LogType', 'Payload'],
          (input) => invokeFunction(store, invocations, input),
        ),
      },
    },
    close: async () => {
      await urls.close();
      await runner.close();
    },
  };
}
