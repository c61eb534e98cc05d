import { createHash, randomBytes } from 'node:crypto';
import { OperatorError } from '../../../lib/files/errors.ts';
import { ACCOUNT } from '../clients.ts';
import { functionName } from '../invoke/settings.ts';
import { nameOfResource } from '../resources/resources.ts';
import type { Resource, Template } from '../template/template.ts';
import type { Principal } from './guard.ts';
import { roleOfArn, statementsOfRole } from './role-policies.ts';

const SECRET_BYTES = 32;
const ID_CHARACTERS = 16;

/**
 * Returns the functions of a template, by name, each with a key of this start that may do what the function's role may.
 *
 * @throws OperatorError for a role that is not in the template, and a policy that is not understood here
 */
export function functionPrincipals(template: Template): ReadonlyMap<string, Principal> {
  return new Map(
    template
      .ofType('AWS::Lambda::Function')
      .map((resource) => [functionName(resource), principalOf(template, resource)]),
  );
}

function principalOf(template: Template, resource: Resource): Principal {
  const role = roleOfArn(template, resource.properties.Role);
  if (!role) {
    const given = JSON.stringify(resource.properties.Role);
    throw new OperatorError(`function ${resource.logicalId}: its role ${given} is not in the template.`);
  }
  const roleName = nameOfResource(role);
  const session = `${roleName}/${functionName(resource)}`;
  return {
    accessKeyId: keyIdOf(session),
    secretAccessKey: randomBytes(SECRET_BYTES).toString('base64url'),
    sessionToken: randomBytes(SECRET_BYTES).toString('base64'),
    arn: `arn:aws:sts::${ACCOUNT}:assumed-role/${session}`,
    role: roleName,
    statements: statementsOfRole(template, role),
  };
}

/** Of the form of Lambda's, and the same at each start. */
function keyIdOf(session: string): string {
  return `ASIA${createHash('sha256').update(session).digest('hex').slice(0, ID_CHARACTERS).toUpperCase()}`;
}
