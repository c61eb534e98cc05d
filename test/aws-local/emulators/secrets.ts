import type { GetSecretValueRequest } from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import { nameOf } from '../arn.ts';
import { ACCOUNT, REGION } from '../clients.ts';
import { nameOfResource } from '../resources/resources.ts';
import type { Template } from '../template/template.ts';
import { operation, type Service, ServiceError } from '../wire/service.ts';

/** The values of secrets, by name. */
export type Secrets = Map<string, string>;

/** A value that is to be generated is not emulated. */
const Properties = v.looseObject({ SecretString: v.string() });

/** Returns the secrets of a template with its values. */
export function secretsOf(template: Template): Secrets {
  const declared = template.ofType('AWS::SecretsManager::Secret');
  return new Map(
    declared.map((resource) => [nameOfResource(resource), v.parse(Properties, resource.properties).SecretString]),
  );
}

/**
 * Secrets Manager's GetSecretValue.
 *
 * @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html
 */
export function secretsService(secrets: Secrets): Service {
  return {
    name: 'Secrets Manager',
    target: 'secretsmanager',
    load: () => import('@aws-sdk/client-secrets-manager'),
    operations: {
      GetSecretValue: operation<GetSecretValueRequest>(['SecretId'], ({ SecretId = '' }) => {
        const name = nameOf(SecretId);
        const value = secrets.get(name);
        if (value === undefined) {
          throw new ServiceError('ResourceNotFoundException', `There is no secret named ${name}.`);
        }
        const arn = `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:${name}`;
        return { ARN: arn, Name: name, SecretString: value, VersionStages: ['AWSCURRENT'] };
      }),
    },
  };
}
