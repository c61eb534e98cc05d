import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from '../../../functions/core/concurrency.ts';
import { OperatorError } from '../../../lib/files/errors.ts';
import { publishAwsConfig } from '../access/aws-config.ts';
import type { Permissions } from '../permissions/permissions.ts';
import { startWireEndpoint } from '../wire/endpoint.ts';
import type { Lag } from './database-process.ts';
import { startDynamoDb } from './dynamodb.ts';
import { kmsService } from './kms.ts';
import { openSecrets, secretsService } from './secrets.ts';
import { startSqsS3 } from './sqs-s3.ts';

/** The AWS services of this machine while they run. */
export interface Emulators {
  readonly endpoints: Endpoints;
  /** Resolves with the reason when one of them stops unexpectedly; the service cannot continue then. */
  readonly failed: Promise<OperatorError>;
  /** Returns the value of a secret by its name or ARN. Throws OperatorError when no such secret was created. */
  secretValue(nameOrArn: string): string;
  /** Sets the value of a secret for this process only; it is not written. */
  useSecret(nameOrArn: string, value: string): void;
  /** Stops all of them; a second call does nothing. */
  close(): Promise<void>;
}

/** Options of the emulators. */
export interface EmulatorOptions {
  /** Folder of the database, keys and secrets; created when it does not exist. */
  readonly dataDir: string;
  /** Values of secrets that the caller chooses, by name. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly warn?: (sentence: string) => void;
  /** Gets what the person who starts them has to know; `warn` when absent. */
  readonly notice?: ((sentence: string) => void) | undefined;
  /** The permissions of callers; default: only the operator may do anything. */
  readonly permissions?: Permissions;
  /** Reads of functions may be behind, as on AWS. */
  readonly lag?: Lag;
}

const NOT_ISOLATED =
  'The database emulator has a port of its own, which other users of this machine can use without a signature: the system ' +
  'allows no private network for it (unshare --user --net). Use a machine of your own.';

/**
 * Starts DynamoDB with its streams, SQS, S3, KMS and Secrets Manager, all on 127.0.0.1, for requests that are signed
 * with a key of this process. Messages and objects are in memory.
 *
 * @throws OperatorError with one sentence that says what is wrong and what to do.
 */
export async function startEmulators(options: EmulatorOptions): Promise<Emulators> {
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const secrets = openSecrets(options.secrets);
  const { permissions, warn = () => {}, notice = warn } = options;
  const [database, storage, security] = await allOrNone([
    startDynamoDb({
      file: join(options.dataDir, 'dynamodb.sqlite'),
      permissions,
      lag: options.lag,
    }),
    startSqsS3({ permissions }),
    startWireEndpoint([kmsService(), secretsService(secrets)], warn, permissions?.guard),
  ]);
  if (!database.isIsolated) notice(NOT_ISOLATED);
  const endpoints = {
    dynamodb: database.endpoint,
    sqs: storage.endpoint,
    s3: storage.endpoint,
    kms: security.endpoint,
    secretsManager: security.endpoint,
  };
  const unpublish = await publishAwsConfig(join(options.dataDir, 'config'), endpoints);
  return {
    endpoints,
    failed: Promise.race([database.failed, storage.failed]),
    useSecret: secrets.use,
    secretValue: (nameOrArn) => {
      const value = secrets.valueOf(nameOrArn);
      if (value === undefined) throw new OperatorError(`The template declares no secret ${nameOrArn}.`);
      return value;
    },
    close: once(async () => {
      await Promise.all([database.close(), storage.close(), security.close(), unpublish()]);
    }),
  };
}

interface Closable {
  close(): Promise<void>;
}

/** Returns all services once they run. When one fails, closes the others and throws its error. */
async function allOrNone<A extends Closable, B extends Closable, C extends Closable>(
  starting: readonly [Promise<A>, Promise<B>, Promise<C>],
): Promise<[A, B, C]> {
  const results = await Promise.allSettled(starting);
  const failure = results.find((result) => result.status === 'rejected');
  if (!failure) return Promise.all(starting);
  const running: Closable[] = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  await Promise.all(running.map((service) => service.close()));
  throw failure.reason;
}

/** Addresses of the services on this machine, each as `http://127.0.0.1:<port>`. */
export interface Endpoints {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly s3: string;
  readonly kms: string;
  readonly secretsManager: string;
}

/** Addresses of the services that know the template, which start after the others. */
export interface ServiceEndpoints {
  readonly lambda: string;
  readonly codeBuild: string;
  readonly logs: string;
}
