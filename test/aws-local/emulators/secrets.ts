import type { CreateSecretRequest, GetSecretValueRequest } from '@aws-sdk/client-secrets-manager';
import { nameOf } from '../arn.ts';
import { ACCOUNT, REGION } from '../clients.ts';
import { operation, type Service, ServiceError } from '../wire/service.ts';

/** Secrets by name. */
export interface Secrets {
  /** Returns the value of a secret by its name or ARN; `undefined` when there is none. */
  valueOf(nameOrArn: string): string | undefined;
  /** Stores a new secret. Returns false, without a change, when the name is taken. */
  add(name: string, value: string): boolean;
  /** Sets the value of a secret. */
  use(nameOrArn: string, value: string): void;
}

/** Returns the secrets, with those that are given. */
export function openSecrets(given: Readonly<Record<string, string>> = {}): Secrets {
  const secrets = new Map(Object.entries(given));
  return {
    valueOf: (name) => secrets.get(nameOf(name)),
    add: (name, value) => {
      if (secrets.has(name)) return false;
      secrets.set(name, value);
      return true;
    },
    use: (name, value) => void secrets.set(nameOf(name), value),
  };
}

/**
 * Secrets Manager's CreateSecret and GetSecretValue.
 *
 * @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html
 */
export function secretsService(secrets: Secrets): Service {
  return {
    name: 'Secrets Manager',
    target: 'secretsmanager',
    load: () => import('@aws-sdk/client-secrets-manager'),
    operations: {
      CreateSecret: operation<CreateSecretRequest>(
        ['Name', 'SecretString', 'ClientRequestToken'],
        ({ Name = '', SecretString = '' }) => create(secrets, Name, SecretString),
      ),
      GetSecretValue: operation<GetSecretValueRequest>(['SecretId'], ({ SecretId = '' }) =>
        get(secrets, nameOf(SecretId)),
      ),
    },
  };
}

function create(secrets: Secrets, name: string, value: string): object {
  if (secrets.add(name, value)) return { ARN: arnOf(name), Name: name };
  throw new ServiceError('ResourceExistsException', `A secret named ${name} exists.`);
}

function get(secrets: Secrets, name: string): object {
  const value = secrets.valueOf(name);
  if (value !== undefined) return { ARN: arnOf(name), Name: name, SecretString: value, VersionStages: ['AWSCURRENT'] };
  throw new ServiceError('ResourceNotFoundException', `There is no secret named ${name}.`);
}

function arnOf(name: string): string {
  return `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:${name}`;
}
